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

Compiled; import it late.
"""

import numpy as np

from voirdire.metrics.meteor.lexicon import EXACT, PARAPHRASE, SYNONYM
from voirdire.stats.compiled import compiled

__all__ = [
    "BEAM",
    "LENGTH",
    "MATCHER",
    "OTHER",
    "OTHER_LENGTH",
    "START",
    "align",
    "beam_space",
    "clear",
    "find_matches",
    "lay_out",
]

# The columns of a match.
START, LENGTH, OTHER, OTHER_LENGTH, MATCHER = 0, 1, 2, 3, 4
BEAM = 40
# The columns of an alignment: what it is compared by, where its last match ended on both sides (−1: no open chunk).
TOTAL, CHUNKS, DISTANCE, REACHED, OPEN = 0, 1, 2, 3, 4
# What a step does, beside taking a match: nothing, passing a word over.
KEEP, SKIP = -1, -2


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


@compiled
def beam_space(words):  # type: ignore[no-untyped-def]
    """Room for two beams over sentences of at most so many words: columns, match by word, words used on both sides;
    and for the steps between them, with their order."""
    return (
        np.empty((2, BEAM, 5), np.int64),
        np.empty((2, BEAM, words), np.int32),
        np.empty((2, BEAM, words), np.bool_),
        np.empty((2, BEAM, words), np.bool_),
        np.empty((BEAM, 5), np.int64),
        np.empty(BEAM, np.int64),
    )


@compiled
def _gain(match):  # type: ignore[no-untyped-def]
    """What a match adds to the words matched."""
    if match[MATCHER] == EXACT:
        return match[LENGTH] + match[OTHER_LENGTH]
    return match[LENGTH] // 2 + match[OTHER_LENGTH] // 2


@compiled
def _by_start(found, count, words):  # type: ignore[no-untyped-def]
    """The matches in the order of their start, else as they are, and the first of each start."""
    first = np.zeros(words + 1, np.int32)
    for at in range(count):
        first[found[at, START] + 1] += 1
    for word in range(words):
        first[word + 1] += first[word]
    ordered = np.empty((count, 5), np.int32)
    place = first.copy()
    for at in range(count):
        ordered[place[found[at, START]]] = found[at]
        place[found[at, START]] += 1
    return ordered, first


@compiled
def _take_beforehand(matches, chosen, used_here, used_there):  # type: ignore[no-untyped-def]
    """Begin an alignment with the matches that share no word with another; whether these are all."""
    cover_here, cover_there = np.zeros(len(used_here), np.int32), np.zeros(len(used_there), np.int32)
    for at in range(len(matches)):
        for k in range(matches[at, LENGTH]):
            cover_here[matches[at, START] + k] += 1
        for k in range(matches[at, OTHER_LENGTH]):
            cover_there[matches[at, OTHER] + k] += 1
    chosen[:], used_here[:], used_there[:] = -1, False, False
    taken = 0
    for at in range(len(matches)):
        start, other = matches[at, START], matches[at, OTHER]
        end, other_end = start + matches[at, LENGTH], other + matches[at, OTHER_LENGTH]
        if cover_here[start:end].max() == 1 and cover_there[other:other_end].max() == 1:
            chosen[start] = at
            used_here[start:end] = True
            used_there[other:other_end] = True
            taken += 1
    return taken == len(matches)


@compiled
def _free(match, used_here, used_there):  # type: ignore[no-untyped-def]
    """Whether no word of the match is used."""
    for k in range(match[LENGTH]):
        if used_here[match[START] + k]:
            return False
    for k in range(match[OTHER_LENGTH]):  # noqa: SIM110
        if used_there[match[OTHER] + k]:
            return False
    return True


@compiled
def _offer(steps, order, count, parent, step, total, chunks, distance):  # type: ignore[no-untyped-def]
    """Put a step among the best so far, behind those that are as good; how many there are then.

    order  the rows of the steps, best first
    """
    place = count
    while place > 0:
        row = order[place - 1]
        if total != steps[row, 2]:
            better = total > steps[row, 2]
        elif chunks != steps[row, 3]:
            better = chunks < steps[row, 3]
        else:
            better = distance < steps[row, 4]
        if not better:
            break
        place -= 1
    if place == BEAM:
        return count
    row = count
    if count == BEAM:
        count, row = BEAM - 1, order[BEAM - 1]
    for at in range(count, place, -1):
        order[at] = order[at - 1]
    order[place] = row
    steps[row, 0], steps[row, 1], steps[row, 2], steps[row, 3], steps[row, 4] = parent, step, total, chunks, distance
    return count + 1


@compiled
def _open(state):  # type: ignore[no-untyped-def]
    """1 where a chunk is open."""
    return 1 if state[OPEN] != -1 else 0


@compiled
def _closes(state, match):  # type: ignore[no-untyped-def]
    """1 where a match ends the open chunk instead of continuing it."""
    return 1 if state[OPEN] != -1 and state[OPEN] != match[OTHER] else 0


@compiled
def _offer_all(space, now, alive, word, matches, first):  # type: ignore[no-untyped-def]
    """Gather the best steps that the alignments can take at a word; how many there are."""
    states, chosens, all_here, all_there, steps, order = space
    count = 0
    for path in range(alive):
        state, used_here, used_there = states[now, path], all_here[now, path], all_there[now, path]
        total, chunks, distance = state[TOTAL], state[CHUNKS], state[DISTANCE]
        if used_here[word] and word < state[REACHED]:
            count = _offer(steps, order, count, path, KEEP, total, chunks, distance)
        elif used_here[word]:
            taken = chosens[now, path, word]
            match = matches[taken]
            distance += abs(match[START] - match[OTHER])
            count = _offer(
                steps, order, count, path, taken, total + _gain(match), chunks + _closes(state, match), distance
            )
        else:
            for at in range(first[word], first[word + 1]):
                match = matches[at]
                if _free(match, used_here, used_there):
                    better, closed = total + _gain(match), chunks + _closes(state, match)
                    count = _offer(steps, order, count, path, at, better, closed, distance)
                    distance += abs(match[START] - match[OTHER])
            count = _offer(steps, order, count, path, SKIP, total, chunks + _open(state), distance)
    return count


@compiled
def _make_all(space, now, count, words, other_words, matches):  # type: ignore[no-untyped-def]
    """Carry the best steps out: each on a copy of the alignment that takes it."""
    states, chosens, all_here, all_there, steps, order = space
    new = 1 - now
    for path in range(count):
        row = order[path]
        parent, step = steps[row, 0], steps[row, 1]
        for k in range(words):
            chosens[new, path, k] = chosens[now, parent, k]
            all_here[new, path, k] = all_here[now, parent, k]
        for k in range(other_words):
            all_there[new, path, k] = all_there[now, parent, k]
        reached, open_at = states[now, parent, REACHED], states[now, parent, OPEN]
        if step == SKIP:
            reached, open_at = reached + 1, -1
        elif step != KEEP:
            start, other = matches[step, START], matches[step, OTHER]
            reached, open_at = start + matches[step, LENGTH], other + matches[step, OTHER_LENGTH]
            chosens[new, path, start] = step
            for k in range(start, reached):
                all_here[new, path, k] = True
            for k in range(other, open_at):
                all_there[new, path, k] = True
        for column in range(3):
            states[new, path, column] = steps[row, column + 2]
        states[new, path, REACHED], states[new, path, OPEN] = reached, open_at


@compiled
def align(found, count, words, other_words, space):  # type: ignore[no-untyped-def]
    """The matches in order, and for each word of the reference the number of the match that begins there, or −1."""
    states, chosens, all_here, all_there, steps, order = space
    matches, first = _by_start(found, count, words)
    if _take_beforehand(matches, chosens[0, 0, :words], all_here[0, 0, :words], all_there[0, 0, :other_words]):
        return matches, chosens[0, 0, :words]
    states[0, 0] = 0
    states[0, 0, OPEN] = -1
    now, alive = 0, 1
    for word in range(words):
        offered = _offer_all(space, now, alive, word, matches, first)
        _make_all(space, now, offered, words, other_words, matches)
        now, alive = 1 - now, offered
    offered = 0
    for path in range(alive):
        state = states[now, path]
        offered = _offer(steps, order, offered, path, KEEP, state[TOTAL], state[CHUNKS] + _open(state), state[DISTANCE])
    return matches, chosens[now, steps[order[0], 0], :words]
