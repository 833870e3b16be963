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

from voirdire.metrics.meteor import ALPHA, BETA, DELTA, GAMMA, WEIGHTS, WIDTH
from voirdire.metrics.meteor.alignment import (
    LENGTH,
    MATCHER,
    OTHER,
    OTHER_LENGTH,
    align,
    beam_space,
    clear,
    find_matches,
    lay_out,
)
from voirdire.metrics.meteor.lexicon import PARAPHRASE
from voirdire.stats.compiled import compiled

__all__ = ["room_for", "score_laid", "score_of", "score_pairs"]

MATCHERS = PARAPHRASE + 1


@compiled
def score_of(matched, other_matched, length, other_length, chunks, matches):  # type: ignore[no-untyped-def]
    """The score of the statistics of one pair, or of their sums over many."""
    if matches == 0.0:
        return 0.0
    mean = 1.0 / ((1.0 - ALPHA) / (matched / length) + ALPHA / (other_matched / other_length))
    return max(mean * (1.0 - GAMMA * (chunks / matches) ** BETA), 0.0)


@compiled
def _weight(counts):  # type: ignore[no-untyped-def]
    """What matched words weigh, by meaning (0) or function (1) and by matcher."""
    weight = 0.0
    for matcher in range(MATCHERS):
        weight += counts[0, matcher] * WEIGHTS[matcher] * DELTA
    for matcher in range(MATCHERS):
        weight += counts[1, matcher] * WEIGHTS[matcher] * (1.0 - DELTA)
    return weight


@compiled
def _fill(function, here, there, matches, chosen, counts, row):  # type: ignore[no-untyped-def]
    """The statistics of one alignment beside the lengths, in the order of `score_of`."""
    counts[:] = 0
    chunks, word, open_at = 0, 0, -1
    while word < len(here):
        if chosen[word] < 0:
            chunks += open_at != -1
            open_at = -1
            word += 1
            continue
        match = matches[chosen[word]]
        for k in range(match[OTHER_LENGTH]):
            counts[0, int(function[there[match[OTHER] + k]]), match[MATCHER]] += 1
        for k in range(match[LENGTH]):
            counts[1, int(function[here[word + k]]), match[MATCHER]] += 1
        chunks += open_at != -1 and open_at != match[OTHER]
        open_at = match[OTHER] + match[OTHER_LENGTH]
        word += match[LENGTH]
    chunks += open_at != -1
    one, other = counts[0].sum(), counts[1].sum()
    whole = chunks == 1 and one == len(there) and other == len(here)
    row[0], row[1] = _weight(counts[0]), _weight(counts[1])
    row[4], row[5] = (0 if whole else chunks), (one + other) / 2.0


@compiled
def score_laid(keys, function, phrases, hypothesis, reference, there, here, laid, room, found, row):  # type: ignore[no-untyped-def]
    """The score of one pair, and the array of matches, grown where needed.

    there, here  the words of the hypothesis and of the reference
    laid         (heads, links), as `lay_out` made them of the hypothesis
    room         what `room_for` gives
    row          the statistics; the lengths are there, the rest is filled in
    """
    space, counts, marks = room
    found, count = find_matches(keys, here, there, laid[0], laid[1], phrases, hypothesis, reference, marks, found)
    if not count:
        return 0.0, found
    matches, chosen = align(found, count, len(here), len(there), space)
    _fill(function, here, there, matches, chosen, counts, row)
    return score_of(row[0], row[1], row[2], row[3], row[4], row[5]), found


@compiled
def room_for(tables):  # type: ignore[no-untyped-def]
    """Room to score any pair of the sentences."""
    words = max(1, np.diff(tables.first).max())
    return beam_space(words), np.empty((2, 2, MATCHERS), np.int64), np.zeros(len(tables.emit_first), np.int64)


@compiled
def score_pairs(tables, hypotheses, references):  # type: ignore[no-untyped-def]
    """The statistics and the scores of pairs of sentences; quickest where those of a hypothesis follow each other."""
    # Taken apart once: compiled functions pass arrays more cheaply than the tables as a whole.
    first, words, weight, keys, function, relative_first, relatives, relation = tables[:8]
    phrases = tables[8:]
    room, heads = room_for(tables), np.full(len(keys), -1, np.int32)
    links, found = np.empty((64, 3), np.int32), np.empty((64, 5), np.int32)
    statistics, scores = np.zeros((len(hypotheses), WIDTH)), np.zeros(len(hypotheses))
    laid, there = -1, words[:0]
    for pair in range(len(hypotheses)):
        hypothesis, reference = hypotheses[pair], references[pair]
        if hypothesis != laid:
            clear(there, relative_first, relatives, heads)
            laid, there = hypothesis, words[first[hypothesis] : first[hypothesis + 1]]
            links = lay_out(there, relative_first, relatives, relation, heads, links)
        here = words[first[reference] : first[reference + 1]]
        row = statistics[pair]
        row[2], row[3] = weight[hypothesis], weight[reference]
        scores[pair], found = score_laid(
            keys, function, phrases, hypothesis, reference, there, here, (heads, links), room, found, row
        )
    return statistics, scores
