"""What one main question (the reference) would match in any question of the pool, as bits of its places.

    masks[o, m]     places of the reference that matcher m joins with row o of the pool (m: exact, stem, synonym)
    masks[o, CAPPED]  of the exact ones the single place that this occurrence may have
    spans[p]        places that phrases of the reference cover that phrase p may be matched with
    links           the same one by one, as chains by phrase: (next, start, length, phrase)

A row stands for the k-th occurrence of a word in a sentence: of c occurrences in the pool's question and d of the same
key in the reference at most min(c, d) are matched as themselves, so the k-th occurrence here is given the k-th there.
Where words of one key differ in their weight, the heavier come first, so that min(c, d) of them weigh what is possible.

Compiled; import it late.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.lexicon import EXACT
from voirdire.metrics.meteor.tables import IntArray, Tables
from voirdire.stats.compiled import compiled, inner

CAPPED = 3
# Places are the bits of one machine word, with one to spare for the place after the last.
WIDEST = 63
ONE = np.uint64(1)

BoolArray = npt.NDArray[np.bool_]


@inner
def span(start, length):  # type: ignore[no-untyped-def]
    """The bits of `length` places from `start`."""
    return ((ONE << np.uint64(length)) - ONE) << np.uint64(start)


@inner
def _ordinal(sentence, place, keys, function):  # type: ignore[no-untyped-def]
    """How many words of one key with this one go before it: the heavier, then the earlier."""
    word, before = sentence[place], 0
    for other in range(len(sentence)):
        if keys[sentence[other]] == keys[word] and other != place:
            theirs, own = function[sentence[other]], function[word]
            before += theirs < own or (theirs == own and other < place)
    return before


def ordinals(first: IntArray, words: IntArray, keys: IntArray, function: BoolArray) -> IntArray:
    """The ordinal of every word of every sentence."""
    out = np.empty(len(words), np.int32)
    _fill_ordinals(first, words, keys, function, out)
    return out


@compiled
def _fill_ordinals(first, words, keys, function, out):  # type: ignore[no-untyped-def]
    for sentence in range(len(first) - 1):
        here = words[first[sentence] : first[sentence + 1]]
        for place in range(len(here)):
            out[first[sentence] + place] = _ordinal(here, place, keys, function)


def inverted(first: IntArray, items: IntArray, kinds: int) -> tuple[IntArray, IntArray]:
    """The sentences by what they hold: (first of each kind, the sentences), a sentence as often as it holds it."""
    kind_first = np.append(0, np.cumsum(np.bincount(items, minlength=kinds))).astype(np.int32)
    holders = np.empty(len(items), np.int32)
    _invert(first, items, kind_first.copy(), holders)
    return kind_first, holders


@compiled
def _invert(first, items, place, holders):  # type: ignore[no-untyped-def]
    for sentence in range(len(first) - 1):
        for at in range(first[sentence], first[sentence + 1]):
            holders[place[items[at]]] = sentence
            place[items[at]] += 1


def samples(first: IntArray, words_first: IntArray, phrases: IntArray, starts: IntArray, kinds: int) -> IntArray:
    """Where in the words of the sentences a phrase stands, for each kind of phrase; −1 where it does not.

    first, words_first  the first phrase and the first word of each sentence
    """
    stands_at = np.full(kinds, -1, np.int32)
    # Of several places the last one stays.
    stands_at[phrases] = np.repeat(words_first[: len(first) - 1], np.diff(first)) + starts
    return stands_at


@inner
def mark(tables, lists, reference, masks, spans, heads, links):  # type: ignore[no-untyped-def]
    """Mark everything of one reference: how many links there are.

    heads  int32 by phrase, −1 everywhere; masks and spans are 0 everywhere
    links  as many rows as `most_links` says
    """
    first, words, keys, function = tables.first, tables.words, tables.keys, tables.function
    relative_first, relatives, relation, row_first = (
        tables.relative_first,
        tables.relatives,
        tables.relation,
        lists.row_first,
    )
    here = words[first[reference] : first[reference + 1]]
    # Fill the masks of the rows of all words that a matcher joins with a word of the reference.
    for place in range(len(here)):
        bit, ordinal = ONE << np.uint64(place), _ordinal(here, place, keys, function)
        for at in range(relative_first[here[place]], relative_first[here[place] + 1]):
            for row in range(row_first[relatives[at]], row_first[relatives[at] + 1]):
                masks[row, relation[at]] |= bit
                if relation[at] == EXACT and row - row_first[relatives[at]] == ordinal:
                    masks[row, CAPPED] |= bit
    # Add each phrase of the reference to the chains of those that it may be matched with.
    count = 0
    for at in range(tables.phrase_first[reference], tables.phrase_first[reference + 1]):
        phrase, start, length = tables.phrase[at], tables.phrase_start[at], tables.phrase_length[at]
        emitted = tables.emit_first[phrase + 1] - tables.emit_first[phrase]
        emitting = lists.emitter_first[phrase + 1] - lists.emitter_first[phrase]
        for k in range(emitted + emitting):
            if k < emitted:
                other = tables.emits[tables.emit_first[phrase] + k]
            else:
                other = lists.emitters[lists.emitter_first[phrase] + k - emitted]
            links[count, 0], links[count, 1], links[count, 2], links[count, 3] = heads[other], start, length, other
            heads[other] = count
            spans[other] |= span(start, length)
            count += 1
    return count


def most_links(tables: Tables, emitter_first: IntArray, pool: int) -> int:
    """The most links of any sentence after the pool's."""
    each = (np.diff(tables.emit_first) + np.diff(emitter_first)).astype(np.int64)
    first = tables.phrase_first[pool:]
    sums = np.append(0, np.cumsum(each[tables.phrase[first[0] :]]))[first - first[0]]
    return int(np.diff(sums).max(initial=0))


@inner
def unmark(tables, lists, reference, masks, spans, heads, links, count):  # type: ignore[no-untyped-def]
    """Undo `mark`."""
    for at in range(tables.first[reference], tables.first[reference + 1]):
        word = tables.words[at]
        for k in range(tables.relative_first[word], tables.relative_first[word + 1]):
            for row in range(lists.row_first[tables.relatives[k]], lists.row_first[tables.relatives[k] + 1]):
                for column in range(CAPPED + 1):
                    masks[row, column] = 0
    for at in range(count):
        spans[links[at, 3]] = 0
        heads[links[at, 3]] = -1
