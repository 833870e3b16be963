"""The best questions of a pool by METEOR, found without scoring all of them.

    for the places of the main question, rarest first:
        every question that holds something for that place and was not met before: its bounds, from cheap to close
        those whose bounds reach the last of the list, highest first: their score
    until a question that matches the other places alone cannot reach the last of the list

A place's questions come from inverted lists: of the words that a matcher joins with it, and of the phrases that stand
for one that covers it. A question that was not met matches none of the places that were gone through, so its R is at
most what the rest of the places weigh, each by the best matcher that the pool has for it; its P is at most 1, its
chunks at least 1, since one place at least is not matched, and its matches at most the rest of the places and the
words of the pool's longest question, halved. A question is left aside only where a bound is *below* the last score of
a full list, so that questions of equal score are all there for the pool's order to decide.

Compiled; import it late.
"""

import numpy as np

from voirdire.metrics.meteor import WIDTH
from voirdire.metrics.meteor.alignment import clear, lay_out
from voirdire.metrics.meteor.lexicon import PARAPHRASE
from voirdire.metrics.meteor.scorer import room_for, score_laid
from voirdire.robustness.rankers.meteor_bounds import (
    FUNCTION,
    MEANING,
    WEIGHT,
    WORDS,
    bound_all,
    factors,
    mean,
    side_of,
)
from voirdire.robustness.rankers.meteor_marks import CAPPED, WIDEST, mark, unmark
from voirdire.robustness.rankers.meteor_sieve import clear_gains, fill_gains, sift
from voirdire.robustness.rankers.neighbours import enter
from voirdire.stats.compiled import compiled

__all__ = ["search"]

# How many questions are bounded closely at first; how finely they are ordered before.
PORTION, STEPS = 64, 1024


@compiled
def _contributions(tables, lists, reference, links, count, sizes, best):  # type: ignore[no-untyped-def]
    """By place of the reference, how many entries its lists have and the most that it can weigh when it is matched."""
    word_first, phrase_first = lists.word_first, lists.phrase_first
    first = tables.first[reference]
    for place in range(tables.first[reference + 1] - first):
        word = tables.words[first + place]
        weights = FUNCTION if tables.function[word] else MEANING
        sizes[place] = best[place] = 0
        for at in range(tables.relative_first[word], tables.relative_first[word + 1]):
            entries = word_first[tables.relatives[at] + 1] - word_first[tables.relatives[at]]
            if entries:
                sizes[place] += entries
                best[place] = max(best[place], weights[tables.relation[at]])
    for link in range(count):
        phrase = links[link, 3]
        entries = phrase_first[phrase + 1] - phrase_first[phrase]
        if entries:
            for place in range(links[link, 1], links[link, 1] + links[link, 2]):
                weights = FUNCTION if tables.function[tables.words[first + place]] else MEANING
                sizes[place] += entries
                best[place] = max(best[place], weights[PARAPHRASE])


@compiled
def _meet(entries, met, reference, fresh, count):  # type: ignore[no-untyped-def]
    """Note the questions of one list that were not met yet; how many are noted then."""
    for at in range(len(entries)):
        if met[entries[at]] != reference:
            met[entries[at]] = reference
            fresh[count] = entries[at]
            count += 1
    return count


@compiled
def _meet_place(tables, pool, lists, reference, place, links, linked, met, fresh):  # type: ignore[no-untyped-def]
    """Note the questions that hold something for one place and were not met yet; how many there are."""
    word_first, phrase_first = lists.word_first, lists.phrase_first
    count, word = 0, tables.words[tables.first[reference] + place]
    for at in range(tables.relative_first[word], tables.relative_first[word + 1]):
        related = tables.relatives[at]
        count = _meet(pool.by_word[word_first[related] : word_first[related + 1]], met, reference, fresh, count)
    for link in range(linked):
        if links[link, 1] <= place < links[link, 1] + links[link, 2]:
            phrase = links[link, 3]
            count = _meet(
                lists.by_phrase[phrase_first[phrase] : phrase_first[phrase + 1]], met, reference, fresh, count
            )
    return count


@compiled
def _unmet(weight, places, length, longest, factor):  # type: ignore[no-untyped-def]
    """A bound of the score of every question that was not met.

    weight, places  what the places that are left weigh at most, and how many they are
    """
    twice = places + longest
    return mean(1, 1, weight, length) * (factor[1, twice] if twice < factor.shape[1] else 1.0)


@compiled
def _score_best(tables, reference, fresh, bounds, number, earliest, space, listed, wanted):  # type: ignore[no-untyped-def]
    """Score questions, highest bound first, until the rest cannot enter the list: (its length, how many were scored).

    fresh, bounds  the questions, and a bound of each
    listed         (sequences, keys, their number) of the list
    """
    heads, room, matches, row = space
    sequences, keys, filled = listed
    scored, links, found = 0, matches[0], matches[1]
    here = tables.words[tables.first[reference] : tables.first[reference + 1]]
    for at in np.argsort(-bounds[:number]):
        if filled == wanted and bounds[at] < keys[wanted - 1]:
            break
        question = fresh[at]
        there = tables.words[tables.first[question] : tables.first[question + 1]]
        links = lay_out(there, tables.relative_first, tables.relatives, tables.relation, heads, links)
        row[2], row[3] = tables.weight[question], tables.weight[reference]
        score, found = score_laid(
            *(tables.keys, tables.function, tables[8:], question, reference, there, here, (heads, links)),
            *(room, found, row),
        )
        clear(there, tables.relative_first, tables.relatives, heads)
        scored += 1
        if score > 0.0:
            filled = enter(question, score, earliest, sequences, keys, filled, wanted)
    return filled, scored


@compiled
def _by_steps(bounds, number, order):  # type: ignore[no-untyped-def]
    """Order bounds from high to low by steps of 1 / STEPS, which takes one pass; within a step as they are."""
    first = np.zeros(STEPS + 2, np.int64)
    for at in range(number):
        first[STEPS - int(min(bounds[at], 1.0) * STEPS) + 1] += 1
    for step in range(STEPS + 1):
        first[step + 1] += first[step]
    for at in range(number):
        step = STEPS - int(min(bounds[at], 1.0) * STEPS)
        order[first[step]] = at
        first[step] += 1


@compiled
def _search_places(tables, pool, lists, reference, side, marks, links, gains, space, bounding, listed, wanted):  # type: ignore[no-untyped-def]
    """Go through the places of one reference: (length of its list, how many questions were scored)."""
    met, fresh, bounds, order, part, part_bounds, sizes, best, factor, room, longest = bounding
    sequences, keys, filled = listed
    phrases = (tables.phrase_first, tables.phrase_start, tables.phrase_length, tables.phrase)
    sides = (pool.meaning, pool.again, pool.weight)
    words = side[WORDS]
    left, places = best[:words].sum(), (best[:words] > 0).sum()
    begun, scored = False, 0
    for place in np.argsort(sizes[:words] / np.maximum(best[:words], 1)):
        if not sizes[place]:
            continue
        least = keys[wanted - 1] if filled == wanted else 0.0
        if begun and _unmet(left, places, side[WEIGHT], longest, factor) < least:
            break
        number = _meet_place(tables, pool, lists, reference, place, marks[3], links, met, fresh)
        number = sift(
            *(fresh, number, tables.first, pool.rows, pool.weight, tables.phrase_first, tables.phrase),
            *(gains, side, least, factor, bounds),
        )
        _by_steps(bounds, number, order)
        # In growing portions: the first ones raise the least score that the others have to reach.
        start, portion = 0, PORTION
        while start < number and bounds[order[start]] + 1.0 / STEPS >= least:
            stop = min(start + portion, number)
            for at in range(start, stop):
                part[at - start] = fresh[order[at]]
            close = bound_all(
                *(part, stop - start, tables.first, pool.rows, phrases, sides),
                *(marks, side, least, factor, room, part_bounds),
            )
            listed = (sequences, keys, filled)
            filled, more = _score_best(
                tables, reference, part, part_bounds, close, pool.earliest, space, listed, wanted
            )
            least = keys[wanted - 1] if filled == wanted else 0.0
            scored, start, portion = scored + more, stop, 4 * portion
        begun, left, places = True, left - best[place], places - 1
    return filled, scored


@compiled
def search(tables, pool, lists, wanted, sequences, keys, filled):  # type: ignore[no-untyped-def]
    """Fill the list of each main question, which are the sentences after the pool's; how many pairs were scored.

    pool, lists              `MeteorPool` and `MeteorLists` of module `meteor`
    wanted                   how long each list may become
    sequences, keys, filled  the lists, one row per main question, and how long each is
    """
    count, phrases = len(pool.earliest), len(tables.emit_first)
    longest = np.diff(tables.first[: count + 1]).max()
    links, found = np.empty((64, 3), np.int32), np.empty((64, 5), np.int32)
    space = (np.full(len(tables.keys), -1, np.int32), room_for(tables), (links, found), np.empty(WIDTH))
    masks, spans = np.zeros((pool.row_first[-1], CAPPED + 1), np.uint64), np.zeros(phrases, np.uint64)
    heads, chains = np.full(phrases, -1, np.int32), np.empty((64, 4), np.int32)
    gains, phrase_gains = np.zeros(len(masks), np.int64), np.zeros(phrases, np.int64)
    met, fresh, bounds = np.full(count, -1, np.int32), np.empty(count, np.int32), np.empty(count)
    order, part, part_bounds = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count)
    room = (np.empty((2, WIDEST + 2), np.uint64), np.empty((4, WIDEST + 1), np.int64))
    sizes, best = np.empty(WIDEST, np.int64), np.empty(WIDEST, np.int64)
    bounding = (met, fresh, bounds, order, part, part_bounds, sizes, best, factors(), room, longest)
    scored = np.zeros(len(wanted), np.int64)
    for question in range(len(wanted)):
        reference, listed = count + question, (sequences[question], keys[question], 0)
        here = tables.words[tables.first[reference] : tables.first[reference + 1]]
        if len(here) > WIDEST:
            fresh[:], bounds[:] = np.arange(count), np.inf
            filled[question], scored[question] = _score_best(
                tables, reference, fresh, bounds, count, pool.earliest, space, listed, wanted[question]
            )
            continue
        side = side_of(here, tables.keys, tables.function)
        chains, linked = mark(tables, lists, reference, masks, spans, heads, chains)
        largest = fill_gains(tables, lists, reference, side, masks, chains, linked, gains, phrase_gains)
        _contributions(tables, lists, reference, chains, linked, sizes, best)
        filled[question], scored[question] = _search_places(
            *(tables, pool, lists, reference, side, (masks, spans, heads, chains), linked),
            *((gains, phrase_gains, largest), space, bounding, listed, wanted[question]),
        )
        clear_gains(tables, lists, reference, chains, linked, gains, phrase_gains)
        unmark(tables, lists, reference, masks, spans, heads, chains, linked)
    return scored
