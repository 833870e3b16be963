"""Upper bounds of METEOR's score of a pair, from what may be matched and without an alignment.

    score = F(P, R) · (1 − γ · (c / m)^β),  F = 1 / ((1 − α)/P + α/R)

F rises with the matched weight of either side, the second factor with the matched words m and falls with the chunks c.
So whatever alignment is taken, its score is at most that of larger weights, more matches and fewer chunks. Let a place
be *matchable* where any matcher joins it with something on the other side, and weigh what its best matcher weighs.

1. All together. The matched weight of a side is at most that of its matchable places. Of d places with one word no
   more are matched as themselves than the other side has of it, say k: let k of them, C, count as equal words and the
   others as what else they may be. An alignment may have other k places A as equal words instead; each place that it
   gives up in C it may match otherwise, for at most what a synonym weighs, and for each it takes one outside C, which
   would count already where it is matchable otherwise, for at least what a stem weighs. So the weight is raised by a
   synonym's for each such exchange with a place that equal words alone can match, and by the difference of both for
   one with another place. This, and one chunk, or none where all words of both sides are matched, is the rough bound.
2. By chunks. Two neighbouring places of a side are *linked* where one match may cover both, or where one match may end
   and another begin between them at one place of the other side. Two neighbours in one chunk are linked. So each
   chunk lies within one *segment*: a run of matchable, linked places. c chunks lie in at most c segments, and weigh at
   most what the c heaviest segments weigh, on either side, and not more than by 1. The largest score over
   c = 1, 2, … is the close bound; c above the number of segments on both sides gains nothing.

Weights are whole numbers of twentieths. Both bounds are raised by SLACK, far more than rounding can move a score.

Compiled; import it late.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor import ALPHA, BETA, DELTA, GAMMA, WEIGHTS
from voirdire.metrics.meteor.lexicon import EXACT, PARAPHRASE, STEM, SYNONYM
from voirdire.metrics.meteor.tables import IntArray
from voirdire.robustness.rankers.meteor_marks import CAPPED, ONE, WIDEST, BoolArray, span
from voirdire.stats.compiled import compiled, inner

Bits = npt.NDArray[np.uint64]
Int64 = npt.NDArray[np.int64]

UNIT = 20
# By matcher, of words with meaning and of function words.
MEANING = tuple(round(UNIT * weight * DELTA) for weight in WEIGHTS)
FUNCTION = tuple(round(UNIT * weight * (1 - DELTA)) for weight in WEIGHTS)
# A stem weighs what a paraphrase does: one mask serves both.
EXACTLY, AS_SYNONYM, WEAKLY = (MEANING[at] for at in (EXACT, SYNONYM, STEM))
EXACTLY_F, AS_SYNONYM_F, WEAKLY_F = (FUNCTION[at] for at in (EXACT, SYNONYM, PARAPHRASE))
SLACK = 1e-9
NONE = np.uint64(0)
# What `side_of` gives.
MEANS, AGAIN, WEIGHT, WORDS = 0, 1, 2, 3


def factors() -> npt.NDArray[np.float64]:
    """1 − γ · (c / m)^β by chunks and by twice the matches; 1 for no chunks."""
    table = np.ones((WIDEST + 1, 2 * WIDEST + 1))
    for chunks in range(1, WIDEST + 1):
        for twice in range(1, 2 * WIDEST + 1):
            table[chunks, twice] = 1.0 - GAMMA * (2.0 * chunks / twice) ** BETA
    return table


@inner
def side_of(words, keys, function):  # type: ignore[no-untyped-def]
    """Of a sentence: (places that carry meaning, places whose word is there again, weight and number of all words)."""
    meaning, again, weight = NONE, NONE, 0
    for place in range(len(words)):
        bit = ONE << np.uint64(place)
        weight += EXACTLY_F if function[words[place]] else EXACTLY
        meaning |= NONE if function[words[place]] else bit
        for other in range(len(words)):
            if other != place and keys[words[other]] == keys[words[place]]:
                again |= bit
    return meaning, again, weight, len(words)


def sides_of(first: IntArray, words: IntArray, keys: IntArray, function: BoolArray) -> tuple[Bits, Bits, Int64]:
    """The first three of `side_of` for every sentence; nothing for one that has too many words for bits."""
    meaning, again = np.zeros(len(first) - 1, np.uint64), np.zeros(len(first) - 1, np.uint64)
    weight = np.zeros(len(first) - 1, np.int64)
    _fill_sides(first, words, keys, function, meaning, again, weight)
    return meaning, again, weight


@compiled
def _fill_sides(first, words, keys, function, meaning, again, weight):  # type: ignore[no-untyped-def]
    for at in range(len(first) - 1):
        if first[at + 1] - first[at] <= WIDEST:
            side = side_of(words[first[at] : first[at + 1]], keys, function)
            meaning[at], again[at], weight[at] = side[MEANS], side[AGAIN], side[WEIGHT]


@inner
def _count(bits):  # type: ignore[no-untyped-def]
    count = 0
    while bits:
        bits &= bits - ONE
        count += 1
    return count


@inner
def _weigh(exact, synonym, weak, meaning):  # type: ignore[no-untyped-def]
    """What places weigh, each by its best matcher."""
    synonym &= ~exact
    weak &= ~(exact | synonym)
    return (
        EXACTLY_F * _count(exact)
        + (EXACTLY - EXACTLY_F) * _count(exact & meaning)
        + AS_SYNONYM_F * _count(synonym)
        + (AS_SYNONYM - AS_SYNONYM_F) * _count(synonym & meaning)
        + WEAKLY_F * _count(weak)
        + (WEAKLY - WEAKLY_F) * _count(weak & meaning)
    )


@inner
def mean(matched, length, other_matched, other_length):  # type: ignore[no-untyped-def]
    """F, raised: matched weight and length of the hypothesis, of the reference."""
    return (1.0 + SLACK) / ((1.0 - ALPHA) * length / matched + ALPHA * other_length / other_matched)


@inner
def _most(places, side):  # type: ignore[no-untyped-def]
    """(weight, number) that can be matched on one side at most."""
    exact, capped, synonym, weak = places
    loose, cut = synonym | weak, exact & ~capped
    weight, count = _weigh(capped, synonym, weak, side[MEANS]), _count(capped | loose)
    given = capped & loose & side[AGAIN]
    if cut and given:
        heavy = (cut | given) & side[MEANS]
        alone, others = min(_count(given), _count(cut & ~loose)), min(_count(given), _count(cut & loose))
        weight += (
            alone * AS_SYNONYM + others * (AS_SYNONYM - WEAKLY)
            if heavy
            else (alone * AS_SYNONYM_F + others * (AS_SYNONYM_F - WEAKLY_F))
        )
        count += alone
    return weight, count


@inner
def _rough(here, there, side, other_side, factor):  # type: ignore[no-untyped-def]
    """The first bound: (bound, (weight, number) that can be matched of the reference, of the question).

    here, there       the matchable places: (exact, capped, synonym, weak) of the reference and of the question
    side, other_side  of the reference and of the question, what `side_of` gives
    """
    most, most_there = _most(here, side), _most(there, other_side)
    if not most[1] or not most_there[1]:
        return 0.0, most, most_there
    whole = most[1] == side[WORDS] and most_there[1] == other_side[WORDS]
    f = mean(most_there[0], other_side[WEIGHT], most[0], side[WEIGHT])
    return f * factor[0 if whole else 1, most[1] + most_there[1]], most, most_there


@inner
def _links(words, phrases, rows, tables, marks, begins, ends):  # type: ignore[no-untyped-def]
    """The linked places of the reference and of the question: bit b where place b may go on from b − 1.

    words, phrases  (first, last) of the question's words, of the phrases in it
    begins, ends    room: by place of the question, the places of the reference where a match may begin and end with it
    """
    starts, lengths, phrase = tables
    masks, heads, chains = marks
    size = words[1] - words[0]
    linked, linked_there = NONE, NONE
    begins[: size + 1] = NONE
    ends[: size + 1] = NONE
    for place in range(size):
        row = rows[words[0] + place]
        joined = masks[row, EXACT] | masks[row, STEM] | masks[row, SYNONYM]
        begins[place] |= joined
        ends[place + 1] |= joined << ONE
    for at in range(phrases[0], phrases[1]):
        link = heads[phrase[at]]
        if link >= 0:
            linked_there |= span(starts[at] + 1, lengths[at] - 1)
        while link >= 0:
            start, length = chains[link, 1], chains[link, 2]
            begins[starts[at]] |= ONE << np.uint64(start)
            ends[starts[at] + lengths[at]] |= ONE << np.uint64(start + length)
            linked |= span(start + 1, length - 1)
            link = chains[link, 0]
    for place in range(1, size):
        through = begins[place] & ends[place]
        if through:
            linked |= through
            linked_there |= ONE << np.uint64(place)
    return linked, linked_there


@inner
def _segments(places, linked, meaning, weights, counts):  # type: ignore[no-untyped-def]
    """The weights and the numbers of places of the segments, each with the largest first; how many there are."""
    exact, _, synonym, weak = places
    rest = exact | synonym | weak
    starting = rest & ~(linked & (rest << ONE))
    number = 0
    while rest:
        # From this start up to the next.
        low = starting & (~starting + ONE)
        starting ^= low
        segment = rest & ((starting & (~starting + ONE)) - ONE) if starting else rest
        rest ^= segment
        weight, count = _weigh(exact & segment, synonym & segment, weak & segment, meaning), _count(segment)
        at = number
        while at > 0 and weights[at - 1] < weight:
            weights[at] = weights[at - 1]
            at -= 1
        weights[at] = weight
        at = number
        while at > 0 and counts[at - 1] < count:
            counts[at] = counts[at - 1]
            at -= 1
        counts[at] = count
        number += 1
    return number


@inner
def _close(here, there, side, other_side, most, most_there, linked, room, factor):  # type: ignore[no-untyped-def]
    """The second bound.

    most, most_there  (weight, number) that `_rough` gave of either side
    linked            the linked places of both sides, as `_links` gives them
    room              int64[4, WIDEST + 1]
    """
    weights, counts, weights_there, counts_there = room[0], room[1], room[2], room[3]
    number = _segments(here, linked[0], side[MEANS], weights, counts)
    number_there = _segments(there, linked[1], other_side[MEANS], weights_there, counts_there)
    best = 0.0
    weight = count = weight_there = count_there = 0
    whole = number == 1 and number_there == 1 and most[1] == side[WORDS] and most_there[1] == other_side[WORDS]
    for chunk in range(max(number, number_there)):
        if chunk < number:
            weight, count = min(weight + weights[chunk], most[0]), min(count + counts[chunk], most[1])
        if chunk < number_there:
            weight_there = min(weight_there + weights_there[chunk], most_there[0])
            count_there = min(count_there + counts_there[chunk], most_there[1])
        f = mean(weight_there, other_side[WEIGHT], weight, side[WEIGHT])
        best = max(best, f * factor[0 if whole else chunk + 1, count + count_there])
    return best


@inner
def bound_all(questions, number, first, rows, phrases, sides, marks, side, least, factor, room, bounds):  # type: ignore[no-untyped-def]
    """Bound the score of questions; those that may reach `least` move to the front: how many they are.

    questions, number  the questions, and how many of them
    first, rows        the rows of the words of each question of the pool
    phrases            (first, start, length, phrase) of the phrases in each
    sides              (meaning, again, weight) of each, by `sides_of`
    marks              (masks, spans, heads, chains) of the reference, by `mark`; `side` is its side
    bounds             the bounds of those that are kept, in the same order

    One loop over arrays that are taken apart before: to pass them for each question would cost more than its bound.
    """
    phrase_first, starts, lengths, phrase = phrases
    meaning, again, weight = sides
    masks, spans, heads, chains = marks
    ends, segments = room
    kept = 0
    for at in range(number):
        question = questions[at]
        from_word, to_word = first[question], first[question + 1]
        from_phrase, to_phrase = phrase_first[question], phrase_first[question + 1]
        bound = np.inf
        if to_word - from_word <= WIDEST:
            exact, capped, synonym, weak = NONE, NONE, NONE, NONE
            exact_there, capped_there, synonym_there, weak_there = NONE, NONE, NONE, NONE
            bit = ONE
            for word in range(from_word, to_word):
                row = rows[word]
                same, stem, other, cap = masks[row, EXACT], masks[row, STEM], masks[row, SYNONYM], masks[row, CAPPED]
                exact |= same
                capped |= cap
                synonym |= other
                weak |= stem
                exact_there |= bit if same else NONE
                capped_there |= bit if cap else NONE
                synonym_there |= bit if other else NONE
                weak_there |= bit if stem else NONE
                bit <<= ONE
            for k in range(from_phrase, to_phrase):
                covered = spans[phrase[k]]
                if covered:
                    weak |= covered
                    weak_there |= span(starts[k], lengths[k])
            here, there = (exact, capped, synonym, weak), (exact_there, capped_there, synonym_there, weak_there)
            other_side = meaning[question], again[question], weight[question], to_word - from_word
            bound, most, most_there = _rough(here, there, side, other_side, factor)
            if bound >= least and bound > 0.0:
                linked = _links(
                    *((from_word, to_word), (from_phrase, to_phrase), rows, (starts, lengths, phrase)),
                    *((masks, heads, chains), ends[0], ends[1]),
                )
                bound = min(bound, _close(here, there, side, other_side, most, most_there, linked, segments, factor))
        if bound > 0.0 and bound >= least:
            questions[kept], bounds[kept] = question, bound
            kept += 1
    return kept
