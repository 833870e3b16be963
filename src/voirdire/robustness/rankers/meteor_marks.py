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

from voirdire.metrics.meteor.lexicon import EXACT
from voirdire.stats.compiled import compiled

__all__ = ["CAPPED", "ONE", "WIDEST", "inverted", "mark", "ordinals", "samples", "span", "unmark"]

CAPPED = 3
# Places are the bits of one machine word, with one to spare for the place after the last.
WIDEST = 63
ONE = np.uint64(1)


@compiled
def span(start, length):  # type: ignore[no-untyped-def]
    """The bits of `length` places from `start`."""
    return ((ONE << np.uint64(length)) - ONE) << np.uint64(start)


@compiled
def _ordinal(sentence, place, keys, function):  # type: ignore[no-untyped-def]
    """How many words of one key with this one go before it: the heavier, then the earlier."""
    word, before = sentence[place], 0
    for other in range(len(sentence)):
        if keys[sentence[other]] == keys[word] and other != place:
            one, two = function[sentence[other]], function[word]
            before += one < two or (one == two and other < place)
    return before


@compiled
def ordinals(first, words, keys, function):  # type: ignore[no-untyped-def]
    """The ordinal of every word of every sentence."""
    found = np.empty(len(words), np.int32)
    for sentence in range(len(first) - 1):
        here = words[first[sentence] : first[sentence + 1]]
        for place in range(len(here)):
            found[first[sentence] + place] = _ordinal(here, place, keys, function)
    return found


@compiled
def inverted(first, items, kinds):  # type: ignore[no-untyped-def]
    """The sentences by what they hold: (first of each kind, the sentences), a sentence as often as it holds it."""
    kind_first = np.zeros(kinds + 1, np.int32)
    for at in range(len(items)):
        kind_first[items[at] + 1] += 1
    for kind in range(kinds):
        kind_first[kind + 1] += kind_first[kind]
    place, holders = kind_first.copy(), np.empty(len(items), np.int32)
    for sentence in range(len(first) - 1):
        for at in range(first[sentence], first[sentence + 1]):
            holders[place[items[at]]] = sentence
            place[items[at]] += 1
    return kind_first, holders


@compiled
def samples(first, words_first, phrases, starts, kinds):  # type: ignore[no-untyped-def]
    """Where in the words of the sentences a phrase stands, for each kind of phrase; −1 where it does not.

    first, words_first  the first phrase and the first word of each sentence
    """
    found = np.full(kinds, -1, np.int32)
    for sentence in range(len(first) - 1):
        for at in range(first[sentence], first[sentence + 1]):
            found[phrases[at]] = words_first[sentence] + starts[at]
    return found


@compiled
def _mark_words(here, keys, function, relative_first, relatives, relation, row_first, masks):  # type: ignore[no-untyped-def]
    """Fill the masks of the rows of all words that a matcher joins with a word of the reference."""
    for place in range(len(here)):
        bit, ordinal = ONE << np.uint64(place), _ordinal(here, place, keys, function)
        for at in range(relative_first[here[place]], relative_first[here[place] + 1]):
            for row in range(row_first[relatives[at]], row_first[relatives[at] + 1]):
                masks[row, relation[at]] |= bit
                if relation[at] == EXACT and row - row_first[relatives[at]] == ordinal:
                    masks[row, CAPPED] |= bit


@compiled
def _link(phrase, start, length, spans, heads, links, count):  # type: ignore[no-untyped-def]
    """Add a phrase of the reference to the chain of one that it may be matched with."""
    if count == len(links):
        larger = np.empty((2 * count, 4), np.int32)
        larger[:count] = links
        links = larger
    links[count, 0], links[count, 1], links[count, 2], links[count, 3] = heads[phrase], start, length, phrase
    heads[phrase] = count
    spans[phrase] |= span(start, length)
    return links


@compiled
def mark(tables, lists, reference, masks, spans, heads, links):  # type: ignore[no-untyped-def]
    """Mark everything of one reference: (links, grown where needed, how many of them there are).

    heads  int32 by phrase, −1 everywhere; masks and spans are 0 everywhere
    """
    here = tables.words[tables.first[reference] : tables.first[reference + 1]]
    _mark_words(
        *(here, tables.keys, tables.function, tables.relative_first, tables.relatives, tables.relation),
        *(lists.row_first, masks),
    )
    count = 0
    for at in range(tables.phrase_first[reference], tables.phrase_first[reference + 1]):
        phrase, start, length = tables.phrase[at], tables.phrase_start[at], tables.phrase_length[at]
        for k in range(tables.emit_first[phrase], tables.emit_first[phrase + 1]):
            links = _link(tables.emits[k], start, length, spans, heads, links, count)
            count += 1
        for k in range(lists.emitter_first[phrase], lists.emitter_first[phrase + 1]):
            links = _link(lists.emitters[k], start, length, spans, heads, links, count)
            count += 1
    return links, count


@compiled
def unmark(tables, lists, reference, masks, spans, heads, links, count):  # type: ignore[no-untyped-def]
    """Undo `mark`."""
    for at in range(tables.first[reference], tables.first[reference + 1]):
        word = tables.words[at]
        for k in range(tables.relative_first[word], tables.relative_first[word + 1]):
            masks[lists.row_first[tables.relatives[k]] : lists.row_first[tables.relatives[k] + 1]] = 0
    for at in range(count):
        spans[links[at, 3]] = 0
        heads[links[at, 3]] = -1
