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
def _mark_synonyms(first, synonyms, word, marks):  # type: ignore[no-untyped-def]
    """Mark the words that share a synset with a word, and no others, by a number that was not used before."""
    marks[-1] += 1
    for at in range(first[word], first[word + 1]):
        marks[synonyms[at]] = marks[-1]
    return marks[-1]


@compiled
def _exact(keys, stem_keys, first, synonyms, here, there, marks, found):  # type: ignore[no-untyped-def]
    """Matches of equal words; with them their number, and whether other words share a stem or a synset."""
    count, related = 0, False
    for i in range(len(here)):
        key, stem_key, mark = keys[here[i]], stem_keys[here[i]], _mark_synonyms(first, synonyms, here[i], marks)
        for j in range(len(there)):
            word = there[j]
            if keys[word] == key:
                found = _put(found, count, i, 1, j, 1, EXACT)
                count += 1
            elif stem_keys[word] == stem_key or marks[word] == mark:
                related = True
    return found, count, related


@compiled
def _inexact(keys, stem_keys, first, synonyms, here, there, marks, found, count):  # type: ignore[no-untyped-def]
    """Matches of words that are not the same, by stem, then by synset."""
    for matcher in (STEM, SYNONYM):
        for i in range(len(here)):
            key, stem_key, mark = keys[here[i]], stem_keys[here[i]], _mark_synonyms(first, synonyms, here[i], marks)
            for j in range(len(there)):
                word = there[j]
                matched = stem_keys[word] == stem_key if matcher == STEM else marks[word] == mark
                if matched and keys[word] != key:
                    found = _put(found, count, i, 1, j, 1, matcher)
                    count += 1
    return found, count


@compiled
def _paraphrases(tables, source, target, turned, marks, found, count):  # type: ignore[no-untyped-def]
    """Matches between phrases of one sentence and what may stand for them in another.

    turned  whether the source is the hypothesis
    """
    marks[-1] += 1
    mark = marks[-1]
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
def find_matches(tables, hypothesis, reference, word_marks, phrase_marks, found):  # type: ignore[no-untyped-def]
    """All matches, by matcher: (the array that holds them, grown where needed, how many there are).

    word_marks, phrase_marks  int64, zeros at first: one a word, one a phrase, and the last mark that was used
    """
    here = tables.words[tables.first[reference] : tables.first[reference + 1]]
    there = tables.words[tables.first[hypothesis] : tables.first[hypothesis + 1]]
    # Compiled functions take arrays apart more cheaply than the tables as a whole.
    keys, stem_keys, first, synonyms = tables.keys, tables.stem_keys, tables.synonym_first, tables.synonyms
    found, count, related = _exact(keys, stem_keys, first, synonyms, here, there, word_marks, found)
    same = len(here) == len(there)
    if same:
        for i in range(len(here)):
            same = same and keys[here[i]] == keys[there[i]]
    if same:
        # A sentence is matched with itself by its words alone.
        return found, count
    if related:
        found, count = _inexact(keys, stem_keys, first, synonyms, here, there, word_marks, found, count)
    found, count = _paraphrases(tables, reference, hypothesis, False, phrase_marks, found, count)
    return _paraphrases(tables, hypothesis, reference, True, phrase_marks, found, count)
