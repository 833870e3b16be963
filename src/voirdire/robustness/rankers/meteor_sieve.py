"""The first bound of METEOR's score: sums over a question's words and phrases, cheap enough for every question met.

    weight of the reference that is matched ≤ Σ_words gain(row) + Σ_phrases gain(phrase)

and likewise the number of its places, and the weight and the number of the question's own places; each sum at most the
whole. With these and one chunk (none where all places of both sides are reached) the formula of the score bounds it.

A word is in one match at most. Of the reference it brings, as a word, at most what the heaviest place weighs that a
matcher joins with its row (see `meteor_marks`: equal words only as often as the reference has them); a phrase brings
what the places weigh that its partners cover. Of its own side a word brings its weight by the best matcher of its row,
a phrase that of its words. Which of a word's occurrences is matched makes no difference, since their rows differ only
in how many may be equal words; where two words have one key, that does not hold, and their rows are not limited.
What has been counted already is left out of a phrase, if it is about a word that has its key alone:

1. A place of the reference whose word w is in the phrase and only once in the reference. Where the phrase is matched at
   this place, equal words cannot match it, so that the gain of the first row of w, which counts it, is free; and if
   that occurrence is matched otherwise, then with a gain that the row of the phrase's own w has too.
2. A word of the phrase whose rows all have a gain: its place weighs no less there than in a paraphrase, and a place
   that equal words could match in its stead is counted with what else it may be, which is no less either.

The four numbers are added up at once, 16 bits each; a question whose phrases are so many that these might not do has no
bound here.

Compiled; import it late.
"""

import numpy as np

from voirdire.metrics.meteor.alignment import ZERO
from voirdire.metrics.meteor.lexicon import EXACT, STEM, SYNONYM
from voirdire.robustness.rankers.meteor_bounds import (
    AGAIN,
    AS_SYNONYM,
    AS_SYNONYM_F,
    EXACTLY,
    EXACTLY_F,
    MEANS,
    WEAKLY,
    WEAKLY_F,
    WEIGHT,
    WORDS,
    mean,
)
from voirdire.robustness.rankers.meteor_marks import CAPPED, ONE, WIDEST
from voirdire.stats.compiled import inner

BITS, LOW = 16, (1 << 16) - 1


@inner
def _packed(weight, count, own_weight, own_count):  # type: ignore[no-untyped-def]
    return weight | count << BITS | own_weight << 2 * BITS | own_count << 3 * BITS


@inner
def _row_gain(mask, meaning, function, alone):  # type: ignore[no-untyped-def]
    """The gain of one row, from its masks; whether its word is a function word, and has its key alone."""
    exact, synonym, stem = mask[CAPPED] if alone else mask[EXACT], mask[SYNONYM], mask[STEM]
    weight = own = ZERO
    # From the lightest to the heaviest matcher, so that the last one that there is decides on the own weight.
    if stem:
        weight = WEAKLY if stem & meaning else WEAKLY_F
        own = WEAKLY_F if function else WEAKLY
    if synonym:
        weight = max(weight, AS_SYNONYM if synonym & meaning else AS_SYNONYM_F)
        own = AS_SYNONYM_F if function else AS_SYNONYM
    if exact:
        weight = max(weight, EXACTLY if exact & meaning else EXACTLY_F)
        own = EXACTLY_F if function else EXACTLY
    return _packed(weight, ZERO + 1, own, ZERO + 1) if weight else 0


@inner
def _alone(tables, word):  # type: ignore[no-untyped-def]
    """Whether no other word has the key of this one."""
    same = 0
    for at in range(tables.relative_first[word], tables.relative_first[word + 1]):
        same += tables.relation[at] == EXACT
    return same == 1


@inner
def _phrase_gain(tables, lists, reference, start, length, phrase, again, gains):  # type: ignore[no-untyped-def]
    """The gain of a phrase of the pool by one phrase of the reference that it may be matched with."""
    first, sample, size = tables.first[reference], lists.samples[phrase], lists.sizes[phrase]
    weight = count = own_weight = own_count = ZERO
    for place in range(first + start, first + start + length):
        word = tables.words[place]
        counted = not (again >> np.uint64(place - first)) & ONE and _alone(tables, word)
        if counted:
            counted = False
            for at in range(sample, sample + size):
                counted |= tables.words[at] == word
        if not counted:
            weight += WEAKLY_F if tables.function[word] else WEAKLY
            count += 1
    for at in range(sample, sample + size):
        word = tables.words[at]
        counted = _alone(tables, word)
        for row in range(lists.row_first[word], lists.row_first[word + 1]):
            counted &= gains[row] > 0
        if not counted:
            own_weight += WEAKLY_F if tables.function[word] else WEAKLY
            own_count += 1
    return _packed(weight, count, own_weight, own_count)


@inner
def fill_gains(tables, lists, reference, side, masks, chains, linked, gains, phrase_gains):  # type: ignore[no-untyped-def]
    """Fill the gains of rows and of phrases, which are 0 everywhere, once the reference is marked.

    What comes back is the most that a phrase has in one of its four numbers.
    """
    for at in range(tables.first[reference], tables.first[reference + 1]):
        for k in range(tables.relative_first[tables.words[at]], tables.relative_first[tables.words[at] + 1]):
            word = tables.relatives[k]
            alone = _alone(tables, word)
            for row in range(lists.row_first[word], lists.row_first[word + 1]):
                gains[row] = _row_gain(masks[row], side[MEANS], tables.function[word], alone)
    largest = 0
    for link in range(linked):
        start, length, phrase = chains[link, 1], chains[link, 2], chains[link, 3]
        if lists.samples[phrase] >= 0:
            gain = _phrase_gain(tables, lists, reference, start, length, phrase, side[AGAIN], gains)
            phrase_gains[phrase] += gain
            largest = max(largest, phrase_gains[phrase] & LOW, phrase_gains[phrase] >> 2 * BITS & LOW)
    return largest


@inner
def clear_gains(tables, lists, reference, chains, linked, gains, phrase_gains):  # type: ignore[no-untyped-def]
    """Undo `fill_gains`."""
    for at in range(tables.first[reference], tables.first[reference + 1]):
        for k in range(tables.relative_first[tables.words[at]], tables.relative_first[tables.words[at] + 1]):
            for row in range(lists.row_first[tables.relatives[k]], lists.row_first[tables.relatives[k] + 1]):
                gains[row] = 0
    for link in range(linked):
        phrase_gains[chains[link, 3]] = 0


@inner
def sift(questions, number, first, rows, weights, phrase_first, phrase, gains, side, least, factor, bounds):  # type: ignore[no-untyped-def]
    """Bound the score of questions; those that may reach `least` move to the front: how many they are.

    weights  what the words of each question weigh
    gains    of rows, of phrases, and the largest field of the latter
    bounds   the bounds of those that are kept, in the same order
    """
    row_gains, phrase_gains, largest = gains
    # The smallest weight of the reference with which `least` can be reached at all.
    enough = ZERO + 1
    while enough < side[WEIGHT] and mean(ZERO + 1, ZERO + 1, enough, side[WEIGHT]) < least:
        enough += 1
    # So many phrases can be added up beside the words; a phrase's fields are at most `largest`.
    most = (LOW - EXACTLY * WIDEST) // max(largest, 1)
    kept = 0
    for at in range(number):
        question = questions[at]
        start, stop = first[question], first[question + 1]
        start_phrase, stop_phrase = phrase_first[question], phrase_first[question + 1]
        bound = np.inf
        if stop - start <= WIDEST and stop_phrase - start_phrase <= most:
            total = 0
            for word in range(start, stop):
                total += row_gains[rows[word]]
            for k in range(start_phrase, stop_phrase):
                total += phrase_gains[phrase[k]]
            if total & LOW < enough:
                continue
            weight, count = min(total & LOW, side[WEIGHT]), min(total >> BITS & LOW, side[WORDS])
            own_weight = min(total >> 2 * BITS & LOW, weights[question])
            own_count = min(total >> 3 * BITS & LOW, stop - start)
            chunks = 0 if count == side[WORDS] and own_count == stop - start else 1
            bound = mean(own_weight, weights[question], weight, side[WEIGHT]) * factor[chunks, count + own_count]
        if bound >= least:
            questions[kept], bounds[kept] = question, bound
            kept += 1
    return kept
