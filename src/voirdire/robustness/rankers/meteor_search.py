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

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor import WIDTH
from voirdire.metrics.meteor.alignment import ZERO, Room, clear, lay_out, room_for
from voirdire.metrics.meteor.lexicon import PARAPHRASE
from voirdire.metrics.meteor.scorer import MATCHERS, score_laid
from voirdire.metrics.meteor.tables import Tables
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
from voirdire.robustness.rankers.meteor_marks import CAPPED, WIDEST, mark, most_links, unmark
from voirdire.robustness.rankers.meteor_sieve import clear_gains, fill_gains, sift
from voirdire.robustness.rankers.neighbours import enter
from voirdire.stats.compiled import compiled, inner

if TYPE_CHECKING:
    from voirdire.robustness.rankers.meteor import MeteorLists, MeteorPool

# How many questions are bounded closely at first; how finely they are ordered before.
PORTION, STEPS = 64, 1024

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Float64 = npt.NDArray[np.float64]


class SearchRoom(NamedTuple):
    """Where lists are searched for, one main question after the other.

    masks, spans, heads, links  what the main question would match, by `meteor_marks.mark`
    gains, phrase_gains         by `meteor_sieve.fill_gains`
    met, fresh, part            the last main question that each question was met for; those met now, and some of them
    bounds, part_bounds         of the last two
    order, part_order, steps    of the same; by step the next place in an order
    ends, segments              for `meteor_bounds.bound_all`
    places                      how many entries the lists of each place have, and the most that it can weigh
    factor                      by `meteor_bounds.factors`
    aligning, counts, row       for `scorer.score_laid`
    """

    masks: npt.NDArray[np.uint64]
    spans: npt.NDArray[np.uint64]
    heads: Int32
    links: Int32
    gains: Int64
    phrase_gains: Int64
    met: Int32
    fresh: Int32
    part: Int32
    bounds: Float64
    part_bounds: Float64
    order: Int32
    part_order: Int32
    steps: Int64
    ends: npt.NDArray[np.uint64]
    segments: Int64
    places: Int64
    factor: Float64
    aligning: Room
    counts: Int64
    row: Float64


class MeteorFound(NamedTuple):
    """The lists, one row per main question: sequences of the pool, their scores; how long each list is and may become;
    how many pairs were scored for it."""

    sequences: Int64
    keys: Float64
    filled: Int64
    wanted: Int64
    scored: Int64


def search(
    tables: Tables,
    pool: "MeteorPool",
    lists: "MeteorLists",
    wanted: Int64,
    sequences: Int64,
    keys: Float64,
    filled: Int64,
) -> Int64:
    """Fill the list of each main question, which are the sentences after the pool's; how many pairs were scored.

    wanted                   how long each list may become
    sequences, keys, filled  the lists, one row per main question, and how long each is
    """
    count = len(pool.earliest)
    matches = MeteorFound(sequences, keys, filled, wanted, np.zeros(len(wanted), np.int64))
    longest = int(np.diff(tables.first[: count + 1]).max())
    _search_all(tables, pool, lists, _room_for(tables, pool, lists), matches, longest)
    return matches.scored


def _room_for(tables: Tables, pool: "MeteorPool", lists: "MeteorLists") -> SearchRoom:
    count, phrases, rows = len(pool.earliest), len(tables.emit_first), int(pool.row_first[-1])
    return SearchRoom(
        masks=np.zeros((rows, CAPPED + 1), np.uint64),
        spans=np.zeros(phrases, np.uint64),
        heads=np.full(phrases, -1, np.int32),
        links=np.empty((most_links(tables, lists.emitter_first, count), 4), np.int32),
        gains=np.zeros(rows, np.int64),
        phrase_gains=np.zeros(phrases, np.int64),
        met=np.full(count, -1, np.int32),
        fresh=np.empty(count, np.int32),
        part=np.empty(count, np.int32),
        bounds=np.empty(count),
        part_bounds=np.empty(count),
        order=np.empty(count, np.int32),
        part_order=np.empty(count, np.int32),
        steps=np.empty(STEPS + 2, np.int64),
        ends=np.empty((2, WIDEST + 2), np.uint64),
        segments=np.empty((4, WIDEST + 1), np.int64),
        places=np.empty((2, WIDEST), np.int64),
        factor=factors(),
        aligning=room_for(tables),
        counts=np.empty((2, 2, MATCHERS), np.int64),
        row=np.empty(WIDTH),
    )


@inner
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


@inner
def _meet(entries, met, reference, fresh, count):  # type: ignore[no-untyped-def]
    """Note the questions of one list that were not met yet; how many are noted then."""
    for at in range(len(entries)):
        if met[entries[at]] != reference:
            met[entries[at]] = reference
            fresh[count] = entries[at]
            count += 1
    return count


@inner
def _meet_place(tables, pool, lists, reference, place, links, linked, met, fresh):  # type: ignore[no-untyped-def]
    """Note the questions that hold something for one place and were not met yet; how many there are."""
    word_first, phrase_first = lists.word_first, lists.phrase_first
    count, word = ZERO, tables.words[tables.first[reference] + place]
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


@inner
def _unmet(weight, places, length, longest, factor):  # type: ignore[no-untyped-def]
    """A bound of the score of every question that was not met.

    weight, places  what the places that are left weigh at most, and how many they are
    """
    twice = places + longest
    return mean(ZERO + 1, ZERO + 1, weight, length) * (factor[1, twice] if twice < factor.shape[1] else 1.0)


@inner
def _by_steps(bounds, number, order, first):  # type: ignore[no-untyped-def]
    """Order bounds from high to low by steps of 1 / STEPS, which takes one pass; within a step as they are."""
    for step in range(STEPS + 2):
        first[step] = 0
    for at in range(number):
        first[STEPS - int(min(bounds[at], 1.0) * STEPS) + 1] += 1
    for step in range(STEPS + 1):
        first[step + 1] += first[step]
    for at in range(number):
        step = STEPS - int(min(bounds[at], 1.0) * STEPS)
        order[first[step]] = at
        first[step] += 1


@inner
def _score_best(tables, earliest, reference, questions, bounds, number, room, sequences, keys, filled, wanted):  # type: ignore[no-untyped-def]
    """Score questions, higher bounds first, those that can enter the list: (its length, how many were scored)."""
    first, words, relative_first, relatives = tables.first, tables.words, tables.relative_first, tables.relatives
    order, aligning, row = room.part_order, room.aligning, room.row
    here = words[first[reference] : first[reference + 1]]
    _by_steps(bounds, number, order, room.steps)
    scored = 0
    for place in range(number):
        at = order[place]
        if filled == wanted and bounds[at] < keys[wanted - 1]:
            continue
        question = np.int64(questions[at])
        there = words[first[question] : first[question + 1]]
        lay_out(there, relative_first, relatives, tables.relation, aligning.heads, aligning.links)
        row[2], row[3] = tables.weight[question], tables.weight[reference]
        score = score_laid(
            *(tables.keys, tables.function, tables[8:], question, reference, there, here),
            *(aligning, room.counts, row),
        )
        clear(there, relative_first, relatives, aligning.heads)
        scored += 1
        if score > 0.0:
            filled = enter(question, score, earliest, sequences, keys, filled, wanted)
    return filled, scored


@inner
def _search_places(tables, pool, lists, reference, side, linked, largest, longest, room, sequences, keys, wanted):  # type: ignore[no-untyped-def]
    """Go through the places of one reference: (length of its list, how many questions were scored)."""
    sizes, best, fresh, bounds, order, part = (
        room.places[0],
        room.places[1],
        room.fresh,
        room.bounds,
        room.order,
        room.part,
    )
    phrases = (tables.phrase_first, tables.phrase_start, tables.phrase_length, tables.phrase)
    marks = (room.masks, room.spans, room.heads, room.links)
    left = places = filled = scored = ZERO
    for place in range(side[WORDS]):
        left += best[place]
        places += best[place] > 0
    for begun in range(side[WORDS]):
        # The place with the fewest entries for what it can weigh; one that has been gone through has none.
        place = ZERO - 1
        for at in range(side[WORDS]):
            if sizes[at] and (place < 0 or sizes[at] * best[place] < sizes[place] * best[at]):
                place = at
        if place < 0:
            break
        least = keys[wanted - 1] if filled == wanted else 0.0
        if begun and _unmet(left, places, side[WEIGHT], longest, room.factor) < least:
            break
        number = _meet_place(tables, pool, lists, reference, place, room.links, linked, room.met, fresh)
        number = sift(
            *(fresh, number, tables.first, pool.rows, pool.weight, tables.phrase_first, tables.phrase),
            *((room.gains, room.phrase_gains, largest), side, least, room.factor, bounds),
        )
        _by_steps(bounds, number, order, room.steps)
        # In growing portions: the first ones raise the least score that the others have to reach.
        start, portion = 0, PORTION
        while start < number and bounds[order[start]] + 1.0 / STEPS >= least:
            stop = min(start + portion, number)
            for at in range(start, stop):
                part[at - start] = fresh[order[at]]
            close = bound_all(
                *(part, stop - start, tables.first, pool.rows, phrases, (pool.meaning, pool.again, pool.weight)),
                *(marks, side, least, room.factor, (room.ends, room.segments), room.part_bounds),
            )
            filled, more = _score_best(
                *(tables, pool.earliest, reference, part, room.part_bounds, close),
                *(room, sequences, keys, filled, wanted),
            )
            least = keys[wanted - 1] if filled == wanted else 0.0
            scored, start, portion = scored + more, stop, 4 * portion
        left, places, sizes[place] = left - best[place], places - 1, 0
    return filled, scored


@compiled
def _search_all(tables, pool, lists, room, matches, longest):  # type: ignore[no-untyped-def]
    count = len(pool.earliest)
    for question in range(len(matches.wanted)):
        reference, sequences, keys = count + question, matches.sequences[question], matches.keys[question]
        wanted = matches.wanted[question]
        here = tables.words[tables.first[reference] : tables.first[reference + 1]]
        if len(here) > WIDEST:
            for at in range(count):
                room.fresh[at], room.bounds[at] = at, np.inf
            matches.filled[question], matches.scored[question] = _score_best(
                tables, pool.earliest, reference, room.fresh, room.bounds, count, room, sequences, keys, ZERO, wanted
            )
            continue
        side = side_of(here, tables.keys, tables.function)
        linked = mark(tables, lists, reference, room.masks, room.spans, room.heads, room.links)
        largest = fill_gains(
            tables, lists, reference, side, room.masks, room.links, linked, room.gains, room.phrase_gains
        )
        _contributions(tables, lists, reference, room.links, linked, room.places[0], room.places[1])
        matches.filled[question], matches.scored[question] = _search_places(
            tables, pool, lists, reference, side, linked, largest, longest, room, sequences, keys, wanted
        )
        clear_gains(tables, lists, reference, room.links, linked, room.gains, room.phrase_gains)
        unmark(tables, lists, reference, room.masks, room.spans, room.heads, room.links, linked)
