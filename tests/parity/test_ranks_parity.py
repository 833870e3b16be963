"""Rank measures against ranx, where it is installed; it is not among our dependencies."""

import numpy as np
import pytest

from voirdire.metrics.ranks import MRR, RECALLS, true_ranks

pytestmark = pytest.mark.slow

ranx = pytest.importorskip("ranx")


def test_equal_to_the_bit_where_no_scores_tie():
    rng = np.random.default_rng(2)
    scores, truth = rng.normal(size=(200, 100)), rng.integers(0, 100, 200)
    qrels = ranx.Qrels({f"{row:03}": {str(place): 1} for row, place in enumerate(truth.tolist())})
    run = ranx.Run(
        {f"{row:03}": dict(zip(map(str, range(100)), score, strict=True)) for row, score in enumerate(scores.tolist())}
    )
    theirs = ranx.evaluate(qrels, run, ["mrr", "hit_rate@1", "hit_rate@5", "hit_rate@10"], threads=1)
    ranks = true_ranks(scores, truth)
    ours = [float(measure.statistic(ranks).mean()) for measure in (MRR, *RECALLS)]
    assert ours == list(theirs.values())
