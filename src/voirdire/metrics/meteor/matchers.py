"""Everything that may be matched between a hypothesis and a reference: exact words, stems, synonyms, paraphrases.

A match joins `length` words of the reference from `start` with `other_length` words of the hypothesis from `other`.
Order decides between alignments that are otherwise equal: matches stand by start in the reference, and there by
matcher, then by place in the hypothesis; paraphrases by phrase in the order of their table, those found from the
reference first, then those found from the hypothesis (a pair that the table holds in both directions comes twice).

Compiled; import it late.
"""

import numpy as np

from voirdire.metrics.meteor.relatives import EXACT, PARAPHRASE, SYNONYM
from voirdire.stats.compiled import compiled

__all__ = ["LENGTH", "MATCHER", "OTHER", "OTHER_LENGTH", "START", "clear", "find_matches", "lay_out"]

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
def lay_out(hypothesis, first, relatives, relation, heads, links):  # type: ignore[no-untyped-def]
    """Lay out what each word of a reference would match in a hypothesis: chains of (next, place, matcher).

    heads  int32 by word, −1 everywhere: afterwards where the chain of each related word begins
    links  the chains, by matcher and place; grown where needed and returned
    """
    count = 0
    for matcher in range(SYNONYM, EXACT - 1, -1):
        for place in range(len(hypothesis) - 1, -1, -1):
            for at in range(first[hypothesis[place]], first[hypothesis[place] + 1]):
                if relation[at] != matcher:
                    continue
                if count == len(links):
                    larger = np.empty((2 * count, 3), np.int32)
                    larger[:count] = links
                    links = larger
                links[count, 0], links[count, 1], links[count, 2] = heads[relatives[at]], place, matcher
                heads[relatives[at]] = count
                count += 1
    return links


@compiled
def clear(hypothesis, first, relatives, heads):  # type: ignore[no-untyped-def]
    """Undo `lay_out`."""
    for place in range(len(hypothesis)):
        for at in range(first[hypothesis[place]], first[hypothesis[place] + 1]):
            heads[relatives[at]] = -1


@compiled
def _same(keys, one, other):  # type: ignore[no-untyped-def]
    """Whether two sentences have equal words."""
    if len(one) != len(other):
        return False
    for at in range(len(one)):  # noqa: SIM110
        if keys[one[at]] != keys[other[at]]:
            return False
    return True


@compiled
def _paraphrases(phrases, source, target, turned, marks, found, count):  # type: ignore[no-untyped-def]
    """Matches between phrases of one sentence and what may stand for them in another.

    phrases  the last six of the tables
    turned   whether the source is the hypothesis
    marks    by phrase; at its end the last mark that was used
    """
    first, starts, lengths, phrase, emit_first, emits = phrases
    marks[-1] += 1
    mark = marks[-1]
    for at in range(first[target], first[target + 1]):
        marks[phrase[at]] = mark
    for at in range(first[source], first[source + 1]):
        for emitted in range(emit_first[phrase[at]], emit_first[phrase[at] + 1]):
            if marks[emits[emitted]] != mark:
                continue
            for place in range(first[target], first[target + 1]):
                if phrase[place] != emits[emitted]:
                    continue
                start, length, other, other_length = starts[at], lengths[at], starts[place], lengths[place]
                if turned:
                    start, length, other, other_length = other, other_length, start, length
                found = _put(found, count, start, length, other, other_length, PARAPHRASE)
                count += 1
    return found, count


@compiled
def find_matches(keys, here, there, heads, links, phrases, hypothesis, reference, marks, found):  # type: ignore[no-untyped-def]
    """All matches, those of words first: (the array that holds them, grown where needed, how many there are).

    here, there   the words of the reference and of the hypothesis
    heads, links  as `lay_out` made them of the hypothesis
    """
    count, same = 0, _same(keys, here, there)
    for start in range(len(here)):
        link = heads[here[start]]
        while link >= 0:
            # A sentence is matched with itself by its words alone.
            if links[link, 2] == EXACT or not same:
                found = _put(found, count, start, 1, links[link, 1], 1, links[link, 2])
                count += 1
            link = links[link, 0]
    if same:
        return found, count
    found, count = _paraphrases(phrases, reference, hypothesis, False, marks, found, count)
    return _paraphrases(phrases, hypothesis, reference, True, marks, found, count)
