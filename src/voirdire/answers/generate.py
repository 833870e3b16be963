"""Answers drawn from train: CCA-AQ-G.

    pool(q) = answers to the 100 train questions nearest to q        P(a) ∝ max(0, corr(q, a))

The nearest by correlation under the model; drawn with replacement. Where no answer of a pool correlates positively all
are equally likely. The models nn-aq and nn-aqi, for which nothing is published, draw from theirs with equal chances.
"""

import numpy as np

from voirdire.answers.correlations import gather_dot
from voirdire.answers.models import Scored, make_space, neighbours_of
from voirdire.formats.generations import Generations
from voirdire.formats.visdial import VisDial
from voirdire.progress import Progress, silent

__all__ = ["generate"]


def generate(
    scored: Scored,
    visdial: VisDial,
    train: VisDial,
    k: int,
    generator: np.random.Generator,
    report: Progress = silent,
) -> Generations:
    """k answers for every round."""
    if k < 1:
        raise ValueError(f"k: {k} came, at least 1 may come")
    space, learnt = make_space(scored, visdial, None), make_space(scored, train, train.answer)
    near, rows = neighbours_of(scored, visdial, space, train, learnt, report)
    pools = train.answer[near]
    if scored.model.startswith("nn"):
        weights = np.ones(pools.shape)
    else:
        every = np.arange(len(pools))
        weights = np.maximum(gather_dot(space.questions, every, learnt.answers, learnt.answer[pools]), 0.0)
        weights[~(weights > 0).any(axis=1)] = 1.0
    shares = np.cumsum(weights, axis=1)
    drawn = generator.random((len(rows), k))
    texts: list[str] = []
    for round_, row in enumerate(rows.tolist()):
        # A draw is below the whole sum, so that it falls on an answer; one of weight 0 is never hit.
        places = np.searchsorted(shares[row], drawn[round_] * shares[row, -1], side="right")
        texts += [train.answers[int(place)] for place in pools[row, np.minimum(places, pools.shape[1] - 1)]]
    images = visdial.image_ids[visdial.round_dialogues()]
    first = np.arange(len(rows) + 1, dtype=np.int64) * k
    return Generations(images, visdial.round_numbers(), texts, first)
