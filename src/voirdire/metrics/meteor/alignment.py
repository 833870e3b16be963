"""What may be matched between a hypothesis and a reference, and which of it is taken.

A match joins `length` words of the reference from `start` with `other_length` words of the hypothesis from `other`:
exact words, stems, synonyms, paraphrases. Order decides between alignments that are otherwise equal: matches stand by
start in the reference, and there by matcher, then by place in the hypothesis; paraphrases by phrase in the order of
their table, those found from the reference first, then those found from the hypothesis (a pair that the table holds in
both directions comes twice).

Matches are taken by a search with a beam of 40 over the words of the reference. Each word of the hypothesis and of the
reference takes part in one match at most. Alignments are compared by

    1. more words matched, both sides together; a match other than of equal words counts half its words, rounded down
    2. fewer chunks: runs of matches that follow each other on both sides
    3. smaller distance
    4. the order in which they came about

A match that shares none of its words with another is taken beforehand. The distance of an alignment is, as in METEOR
1.5, the sum of |start − other| over matches taken beforehand and over those that were *tried and not taken* at its
words before the one that was: a slip of the original, kept since figures depend on it.

Compiled; import it late. Whatever is written to stands in a `Room`, which is made once for many pairs: to make arrays
in compiled code, to grow them and to hand them back costs much of the time that it takes to compile.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.lexicon import EXACT, PARAPHRASE, SYNONYM
from voirdire.metrics.meteor.tables import Tables
from voirdire.stats.compiled import inner

# The columns of a match; the last is what it adds to the words matched.
START, LENGTH, OTHER, OTHER_LENGTH, MATCHER, GAIN = 0, 1, 2, 3, 4, 5
MATCHES = 1024
"""So many matches of one pair have room; for a pair that has more, room is made."""
BEAM = 40
# The columns of an alignment: what it is compared by, where its last match ended on both sides (−1: no open chunk).
TOTAL, CHUNKS, DISTANCE, REACHED, OPEN = 0, 1, 2, 3, 4
# Those of a step: which alignment takes it, what it does, and what it is compared by; and the row that is so good.
PARENT, STEP, NEW_TOTAL, NEW_CHUNKS, NEW_DISTANCE, ROW = 0, 1, 2, 3, 4, 5
# What a step does, beside taking a match: nothing, passing a word over.
KEEP, SKIP = np.int64(-1), np.int64(-2)
# A plain 0 has a type of its own in compiled code: a function that is given one is compiled once more.
ZERO: Any = np.int64(0)
# Rows of `Room.words`, and the sides of `Room.used`.
FIRST, NEXT, COVER = 0, 1, 2
HERE, THERE = 0, 1

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


class Room(NamedTuple):
    """Where pairs of sentences are aligned, one after the other.

    heads    by word, −1 everywhere: where the chain of what a word of the reference would match begins
    links    these chains, of the hypothesis that is laid out: (next, place, matcher)
    marks    by phrase; at its end the last mark that was used
    matches  as they are found, and in their order
    words    by word: the first match that starts there, the next to be put there, how many cover it on each side
    states   two beams of alignments, by column
    steps    between the beams, by column
    chosen   the match that begins at each word of the reference, −1 where none does; for each alignment of each beam
    used     whether a word is in a match, of either side; likewise
    """

    heads: Int32
    links: Int32
    marks: Int64
    matches: Int64
    words: Int64
    states: Int64
    steps: Int64
    chosen: Int64
    used: npt.NDArray[np.bool_]


def room_for(tables: Tables) -> Room:
    """Room to align any pair of the sentences."""
    longest = max(1, int(np.diff(tables.first).max(initial=0)))
    related = np.append(0, np.cumsum(np.diff(tables.relative_first).astype(np.int64)[tables.words]))[tables.first]
    return Room(
        heads=np.full(len(tables.keys), -1, np.int32),
        links=np.empty((max(1, int(np.diff(related).max(initial=0))), 3), np.int32),
        marks=np.zeros(len(tables.emit_first), np.int64),
        matches=np.empty((2, MATCHES, GAIN + 1), np.int64),
        words=np.empty((COVER + 2, longest + 1), np.int64),
        states=np.empty((2, BEAM, OPEN + 1), np.int64),
        steps=np.empty((BEAM, ROW + 1), np.int64),
        chosen=np.empty((2, BEAM, longest), np.int64),
        used=np.empty((2, 2, BEAM, longest), np.bool_),
    )


@inner
def lay_out(hypothesis, first, relatives, relation, heads, links):  # type: ignore[no-untyped-def]
    """Lay out what each word of a reference would match in a hypothesis, in chains by matcher and place."""
    count = 0
    for matcher in range(SYNONYM, EXACT - 1, -1):
        for place in range(len(hypothesis) - 1, -1, -1):
            for at in range(first[hypothesis[place]], first[hypothesis[place] + 1]):
                if relation[at] == matcher:
                    links[count, 0], links[count, 1], links[count, 2] = heads[relatives[at]], place, matcher
                    heads[relatives[at]] = count
                    count += 1


@inner
def clear(hypothesis, first, relatives, heads):  # type: ignore[no-untyped-def]
    """Undo `lay_out`."""
    for place in range(len(hypothesis)):
        for at in range(first[hypothesis[place]], first[hypothesis[place] + 1]):
            heads[relatives[at]] = -1


@inner
def _paraphrases(phrases, source, target, turned, marks, unsorted, count):  # type: ignore[no-untyped-def]
    """Matches between phrases of one sentence and what may stand for them in another; how many there are then.

    phrases  the last six of the tables
    turned   1 where the source is the hypothesis
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
                if phrase[place] == emits[emitted]:
                    if count < len(unsorted):
                        here, there = (place, at) if turned else (at, place)
                        unsorted[count, START], unsorted[count, LENGTH] = starts[here], lengths[here]
                        unsorted[count, OTHER], unsorted[count, OTHER_LENGTH] = starts[there], lengths[there]
                        unsorted[count, MATCHER] = PARAPHRASE
                    count += 1
    return count


@inner
def find_matches(keys, here, there, heads, links, phrases, hypothesis, reference, marks, unsorted):  # type: ignore[no-untyped-def]
    """All matches, those of words first: how many there are. Those that have no room in `unsorted` are only counted.

    here, there   the words of the reference and of the hypothesis
    heads, links  as `lay_out` made them of the hypothesis
    """
    count, same = ZERO, len(here) == len(there)
    for at in range(len(here) if same else 0):
        same = same and keys[here[at]] == keys[there[at]]
    for start in range(len(here)):
        link = heads[here[start]]
        while link >= 0:
            # A sentence is matched with itself by its words alone.
            if links[link, 2] == EXACT or not same:
                if count < len(unsorted):
                    unsorted[count, START], unsorted[count, LENGTH] = start, 1
                    unsorted[count, OTHER], unsorted[count, OTHER_LENGTH] = links[link, 1], 1
                    unsorted[count, MATCHER] = links[link, 2]
                count += 1
            link = links[link, 0]
    # First those of the reference, then those of the hypothesis.
    for turned in range(0 if same else 2):
        source, target = (hypothesis, reference) if turned else (reference, hypothesis)
        count = _paraphrases(phrases, source, target, turned, marks, unsorted, count)
    return count


@inner
def _by_start(unsorted, count, words, ordered, first, place):  # type: ignore[no-untyped-def]
    """Put the matches in the order of their start, else as they are, with what each gains; `first` of each start."""
    for word in range(words + 1):
        first[word] = 0
    for at in range(count):
        first[unsorted[at, START] + 1] += 1
    for word in range(words):
        first[word + 1] += first[word]
        place[word] = first[word]
    for at in range(count):
        row = place[unsorted[at, START]]
        place[unsorted[at, START]] += 1
        for column in range(GAIN):
            ordered[row, column] = unsorted[at, column]
        length, other_length = unsorted[at, LENGTH], unsorted[at, OTHER_LENGTH]
        ordered[row, GAIN] = (
            length + other_length if unsorted[at, MATCHER] == EXACT else length // 2 + other_length // 2
        )


@inner
def _take_beforehand(matches, count, words, other_words, cover, chosen, used):  # type: ignore[no-untyped-def]
    """Begin an alignment with the matches that share no word with another; whether these are all."""
    for word in range(words):
        cover[HERE, word], chosen[0, 0, word], used[HERE, 0, 0, word] = 0, -1, False
    for word in range(other_words):
        cover[THERE, word], used[THERE, 0, 0, word] = 0, False
    for at in range(count):
        for word in range(matches[at, START], matches[at, START] + matches[at, LENGTH]):
            cover[HERE, word] += 1
        for word in range(matches[at, OTHER], matches[at, OTHER] + matches[at, OTHER_LENGTH]):
            cover[THERE, word] += 1
    taken = 0
    for at in range(count):
        start, other = matches[at, START], matches[at, OTHER]
        end, other_end = start + matches[at, LENGTH], other + matches[at, OTHER_LENGTH]
        alone = True
        for word in range(start, end):
            alone = alone and cover[HERE, word] == 1
        for word in range(other, other_end):
            alone = alone and cover[THERE, word] == 1
        if alone:
            chosen[0, 0, start] = at
            for word in range(start, end):
                used[HERE, 0, 0, word] = True
            for word in range(other, other_end):
                used[THERE, 0, 0, word] = True
            taken += 1
    return taken == count


@inner
def _offer(steps, count, parent, step, total, chunks, distance):  # type: ignore[no-untyped-def]
    """Put a step among the best so far, behind those that are as good; how many there are then."""
    place = count
    while place > 0:
        row = steps[place - 1, ROW]
        if total != steps[row, NEW_TOTAL]:
            better = total > steps[row, NEW_TOTAL]
        elif chunks != steps[row, NEW_CHUNKS]:
            better = chunks < steps[row, NEW_CHUNKS]
        else:
            better = distance < steps[row, NEW_DISTANCE]
        if not better:
            break
        place -= 1
    if place == BEAM:
        return count
    row = count
    if count == BEAM:
        count, row = BEAM - 1, steps[BEAM - 1, ROW]
    for at in range(count, place, -1):
        steps[at, ROW] = steps[at - 1, ROW]
    steps[place, ROW] = row
    steps[row, PARENT], steps[row, STEP] = parent, step
    steps[row, NEW_TOTAL], steps[row, NEW_CHUNKS], steps[row, NEW_DISTANCE] = total, chunks, distance
    return count + 1


@inner
def _offer_all(room, now, alive, word, matches):  # type: ignore[no-untyped-def]
    """Gather the best steps that the alignments can take at a word; how many there are."""
    states, steps, used, first = room.states, room.steps, room.used, room.words[FIRST]
    count = ZERO
    for path in range(alive):
        total, chunks, distance = states[now, path, TOTAL], states[now, path, CHUNKS], states[now, path, DISTANCE]
        open_at = states[now, path, OPEN]
        if used[HERE, now, path, word] and word < states[now, path, REACHED]:
            count = _offer(steps, count, path, KEEP, total, chunks, distance)
            continue
        # The match that is taken already, or all that begin here and then none.
        taken = used[HERE, now, path, word]
        low = room.chosen[now, path, word] if taken else first[word]
        for at in range(low, low + 1 if taken else first[word + 1]):
            start, other = matches[at, START], matches[at, OTHER]
            apart = abs(start - other)
            free = True
            if taken:
                distance += apart
            else:
                for k in range(start, start + matches[at, LENGTH]):
                    free = free and not used[HERE, now, path, k]
                for k in range(other, other + matches[at, OTHER_LENGTH]):
                    free = free and not used[THERE, now, path, k]
            if free:
                closed = chunks + 1 if open_at != -1 and open_at != other else chunks
                count = _offer(steps, count, path, at, total + matches[at, GAIN], closed, distance)
                if not taken:
                    distance += apart
        if not taken:
            count = _offer(steps, count, path, SKIP, total, chunks + 1 if open_at != -1 else chunks, distance)
    return count


@inner
def _make_all(room, now, count, words, other_words, matches):  # type: ignore[no-untyped-def]
    """Carry the best steps out: each on a copy of the alignment that takes it."""
    states, steps, chosen, used = room.states, room.steps, room.chosen, room.used
    new = 1 - now
    for path in range(count):
        row = steps[path, ROW]
        parent, step = steps[row, PARENT], steps[row, STEP]
        for k in range(words):
            chosen[new, path, k] = chosen[now, parent, k]
            used[HERE, new, path, k] = used[HERE, now, parent, k]
        for k in range(other_words):
            used[THERE, new, path, k] = used[THERE, now, parent, k]
        reached, open_at = states[now, parent, REACHED], states[now, parent, OPEN]
        if step == SKIP:
            reached, open_at = reached + 1, -1
        elif step != KEEP:
            start, other = matches[step, START], matches[step, OTHER]
            reached, open_at = start + matches[step, LENGTH], other + matches[step, OTHER_LENGTH]
            chosen[new, path, start] = step
            for k in range(start, reached):
                used[HERE, new, path, k] = True
            for k in range(other, open_at):
                used[THERE, new, path, k] = True
        states[new, path, TOTAL], states[new, path, CHUNKS] = steps[row, NEW_TOTAL], steps[row, NEW_CHUNKS]
        states[new, path, DISTANCE] = steps[row, NEW_DISTANCE]
        states[new, path, REACHED], states[new, path, OPEN] = reached, open_at


@inner
def align(unsorted, matches, count, words, other_words, room):  # type: ignore[no-untyped-def]
    """Put the matches in order into `matches`, and align: (beam, row) of the best alignment in `room.chosen`."""
    states = room.states
    _by_start(unsorted, count, words, matches, room.words[FIRST], room.words[NEXT])
    if _take_beforehand(matches, count, words, other_words, room.words[COVER:], room.chosen, room.used):
        return 0, 0
    for column in range(OPEN):
        states[0, 0, column] = 0
    states[0, 0, OPEN] = -1
    now, alive = ZERO, ZERO + 1
    for word in range(words):
        alive = _offer_all(room, now, alive, word, matches)
        _make_all(room, now, alive, words, other_words, matches)
        now = 1 - now
    # The chunk that is open at the end counts; of equal ones the first is taken.
    best = 0
    for path in range(alive):
        states[now, path, CHUNKS] += states[now, path, OPEN] != -1
        for column in range(TOTAL, DISTANCE + 1):
            mine, other = states[now, path, column], states[now, best, column]
            if mine != other:
                if (mine > other) == (column == TOTAL):
                    best = path
                break
    return now, best
