"""Everything that may be matched between a hypothesis and a reference: exact words, stems, synonyms, paraphrases.

A match joins `length` words of the reference from `start` with `other_length` words of the hypothesis from `other`.
Order decides between alignments that are otherwise equal: matches stand by start in the reference, and there by
matcher, then by place in the hypothesis; paraphrases by phrase in the order of their table, those found from the
reference first, then those found from the hypothesis (a pair that the table holds in both directions comes twice).

Compiled; import it late.
"""

import numpy as np

from voirdire.metrics.meteor.compiled import compiled

__all__ = ["EXACT", "LENGTH", "MATCHER", "OTHER", "OTHER_LENGTH", "PARAPHRASE", "START", "find_matches"]

EXACT, STEM, SYNONYM, PARAPHRASE = 0, 1, 2, 3
# The columns of a match.
START, LENGTH, OTHER, OTHER_LENGTH, MATCHER = 0, 1, 2, 3, 4


@compiled
def _put(found, count, start, length, other, other_length, matcher):  # type: ignore[no-untyped-def]
    """Add a match; the array grows where it is full."""
    if count == len(found):
        larger = np.empty((2 * count, 5), np.int32)
        larger[:count] = found
        found = larger
    row = found[count]
    row[START], row[LENGTH], row[OTHER], row[OTHER_LENGTH], row[MATCHER] = start, length, other, other_length, matcher
    return found


@compiled
def _share_synset(tables, one, other):  # type: ignore[no-untyped-def]
    """Whether two words have a synset in common: both lists rise."""
    if not tables.synset_bits[one] & tables.synset_bits[other]:
        return False
    i, j = tables.synset_first[one], tables.synset_first[other]
    while i < tables.synset_first[one + 1] and j < tables.synset_first[other + 1]:
        if tables.synsets[i] == tables.synsets[j]:
            return True
        if tables.synsets[i] < tables.synsets[j]:
            i += 1
        else:
            j += 1
    return False


@compiled
def _words_match(tables, one, other, matcher):  # type: ignore[no-untyped-def]
    """Whether a matcher of single words joins two words; only the first joins a word with itself."""
    same = tables.keys[one] == tables.keys[other]
    if matcher == EXACT:
        return same
    if same:
        return False
    if matcher == STEM:
        return tables.stem_keys[one] == tables.stem_keys[other]
    return _share_synset(tables, one, other)


@compiled
def _paraphrases(tables, source, target, turned, marks, mark, found, count):  # type: ignore[no-untyped-def]
    """Matches between phrases of one sentence and what may stand for them in another.

    turned  whether the source is the hypothesis
    marks   by phrase, holds `mark` for those of the target
    """
    for at in range(tables.phrase_first[target], tables.phrase_first[target + 1]):
        marks[tables.phrase[at]] = mark
    for at in range(tables.phrase_first[source], tables.phrase_first[source + 1]):
        phrase = tables.phrase[at]
        for emitted in range(tables.emit_first[phrase], tables.emit_first[phrase + 1]):
            instead = tables.emits[emitted]
            if marks[instead] != mark:
                continue
            for place in range(tables.phrase_first[target], tables.phrase_first[target + 1]):
                if tables.phrase[place] != instead:
                    continue
                start, length = tables.phrase_start[at], tables.phrase_length[at]
                other, other_length = tables.phrase_start[place], tables.phrase_length[place]
                if turned:
                    start, length, other, other_length = other, other_length, start, length
                found = _put(found, count, start, length, other, other_length, PARAPHRASE)
                count += 1
    return found, count


@compiled
def find_matches(tables, hypothesis, reference, marks, mark, found):  # type: ignore[no-untyped-def]
    """All matches, by matcher: (the array that holds them, grown where needed, how many there are).

    mark  a number that `marks` has not seen, nor the one after it
    """
    here = tables.words[tables.first[reference] : tables.first[reference + 1]]
    there = tables.words[tables.first[hypothesis] : tables.first[hypothesis + 1]]
    same = len(here) == len(there)
    if same:
        for i in range(len(here)):
            same = same and tables.keys[here[i]] == tables.keys[there[i]]
    count = 0
    # A sentence is matched with itself by its words alone.
    for matcher in range(EXACT, STEM if same else PARAPHRASE):
        for i in range(len(here)):
            for j in range(len(there)):
                if _words_match(tables, there[j], here[i], matcher):
                    found = _put(found, count, i, 1, j, 1, matcher)
                    count += 1
    if not same:
        found, count = _paraphrases(tables, reference, hypothesis, False, marks, mark, found, count)
        found, count = _paraphrases(tables, hypothesis, reference, True, marks, mark + 1, found, count)
    return found, count
