"""The statistics and the score of aligned sentences.

    P = matched weight / length weight of the hypothesis, R = the same of the reference
    F = 1 / ((1 − α)/P + α/R)
    score = F · (1 − γ · (chunks / matches)^β)

A word weighs δ where it carries meaning and 1 − δ where it is a function word, times the weight of its matcher where it
is matched; matches are the matched words of both sides, halved. The penalty is nothing where all words of both sides
are matched in one chunk. A score is 0 where nothing is matched.

Compiled; import it late.
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor import ALPHA, BETA, DELTA, GAMMA, WEIGHTS, WIDTH
from voirdire.metrics.meteor.alignment import (
    GAIN,
    LENGTH,
    MATCHER,
    OTHER,
    OTHER_LENGTH,
    align,
    clear,
    find_matches,
    lay_out,
    room_for,
)
from voirdire.metrics.meteor.lexicon import PARAPHRASE
from voirdire.metrics.meteor.tables import Tables
from voirdire.stats.compiled import compiled, inner

MATCHERS = PARAPHRASE + 1
Float64 = npt.NDArray[np.float64]


@inner
def _score_of(row):  # type: ignore[no-untyped-def]
    """The score of the statistics of one pair."""
    matched, other_matched, length, other_length, chunks, matches = row[0], row[1], row[2], row[3], row[4], row[5]
    if matches == 0.0:
        return 0.0
    mean = 1.0 / ((1.0 - ALPHA) / (matched / length) + ALPHA / (other_matched / other_length))
    return max(mean * (1.0 - GAMMA * (chunks / matches) ** BETA), 0.0)


@inner
def _fill(function, here, there, matches, chosen, counts, row):  # type: ignore[no-untyped-def]
    """The statistics of one alignment beside the lengths, in the order of `_score_of`.

    counts  room: matched words by side, by meaning (0) or function (1) and by matcher
    """
    for side in range(2):
        for matcher in range(MATCHERS):
            counts[side, 0, matcher] = counts[side, 1, matcher] = 0
    chunks, word, open_at, ours, theirs = 0, 0, -1, 0, 0
    while word < len(here):
        at = chosen[word]
        if at < 0:
            chunks += open_at != -1
            open_at = -1
            word += 1
            continue
        matcher, start = matches[at, MATCHER], matches[at, OTHER]
        chunks += open_at != -1 and open_at != start
        open_at = start + matches[at, OTHER_LENGTH]
        for place in range(start, open_at):
            counts[0, 1 if function[there[place]] else 0, matcher] += 1
            ours += 1
        for _ in range(matches[at, LENGTH]):
            counts[1, 1 if function[here[word]] else 0, matcher] += 1
            word += 1
            theirs += 1
    chunks += open_at != -1
    for side in range(2):
        row[side] = 0.0
        for matcher in range(MATCHERS):
            row[side] += counts[side, 0, matcher] * WEIGHTS[matcher] * DELTA
        for matcher in range(MATCHERS):
            row[side] += counts[side, 1, matcher] * WEIGHTS[matcher] * (1.0 - DELTA)
    row[4] = 0 if chunks == 1 and ours == len(there) and theirs == len(here) else chunks
    row[5] = (ours + theirs) / 2.0


@inner
def score_laid(keys, function, phrases, hypothesis, reference, there, here, room, counts, row):  # type: ignore[no-untyped-def]
    """The score of one pair.

    there, here  the words of the hypothesis and of the reference
    room         a `Room`, in which the hypothesis is laid out
    counts       int64[2, 2, MATCHERS]
    row          the statistics; the lengths are there, the rest is filled in
    """
    heads, links, marks, matches = room.heads, room.links, room.marks, room.matches
    count = find_matches(keys, here, there, heads, links, phrases, hypothesis, reference, marks, matches[0])
    if not count:
        return 0.0
    if count > matches.shape[1]:
        matches = np.empty((2, count, GAIN + 1), np.int64)
        find_matches(keys, here, there, heads, links, phrases, hypothesis, reference, marks, matches[0])
    beam, path = align(matches[0], matches[1], count, len(here), len(there), room)
    _fill(function, here, there, matches[1], room.chosen[beam, path], counts, row)
    return _score_of(row)


def score_pairs(
    tables: Tables, hypotheses: npt.NDArray[np.int64], references: npt.NDArray[np.int64]
) -> tuple[Float64, Float64]:
    """The statistics and the scores of pairs of sentences; quickest where those of a hypothesis follow each other."""
    statistics, scores = np.zeros((len(hypotheses), WIDTH)), np.zeros(len(hypotheses))
    counts = np.empty((2, 2, MATCHERS), np.int64)
    _score_all(tables, room_for(tables), counts, hypotheses, references, statistics, scores)
    return statistics, scores


@compiled
def _score_all(tables, room, counts, hypotheses, references, statistics, scores):  # type: ignore[no-untyped-def]
    # Taken apart once: compiled functions pass arrays more cheaply than the tables as a whole.
    first, words, weight, keys, function, relative_first, relatives, relation = tables[:8]
    phrases = tables[8:]
    laid, there = -1, words[:0]
    for pair in range(len(hypotheses)):
        hypothesis, reference = hypotheses[pair], references[pair]
        if hypothesis != laid:
            clear(there, relative_first, relatives, room.heads)
            laid, there = hypothesis, words[first[hypothesis] : first[hypothesis + 1]]
            lay_out(there, relative_first, relatives, relation, room.heads, room.links)
        here = words[first[reference] : first[reference + 1]]
        row = statistics[pair]
        row[2], row[3] = weight[hypothesis], weight[reference]
        scores[pair] = score_laid(keys, function, phrases, hypothesis, reference, there, here, room, counts, row)
