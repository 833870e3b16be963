"""Eight rankers of basic questions over one pool.

lasso             the share that a pool question has in the main question's vector; needs an encoder and λ
bleu1 … bleu4     BLEU of the pool question against the main question, smoothed or not
rouge_l           ROUGE-L
cider             CIDEr, idf from the pool
meteor            METEOR 1.5

A ranker gives, for each main question, the questions of the pool that are nearest to it. It is made for one pool (which
is when columns are encoded or an index is built) and then asked for many main questions. It gives at most `top`
neighbours, best first; questions of equal score stand in the pool's order. A score of 0 or less is no neighbour, so
lists may be short.

Other packages add rankers through the entry-point group `voirdire.rankers`: a function of the text after the colon
that gives what makes a ranker, `make(pool_texts, encoder, lam)`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.providers import Registry
from voirdire.robustness.exam import Objective, Smoothing
from voirdire.text.encoders.protocol import Encoder

if TYPE_CHECKING:
    from voirdire.robustness.lasso.columns import LassoColumns

FORMULAS: Mapping[Objective, str] = {
    "paper": "1/2 |Ax - b|^2 + lambda |x|_1",
    "scikit-learn": "1/2d |Ax + c - b|^2 + lambda |x|_1, c an intercept",
}
"""What lasso minimises, as signatures say it: the scaling that λ is in."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of some main questions.

    places        int64[m, top], places in the pool, best first; −1 where the list is over
    scores        float64[m, top], their scores; 0 where the list is over
    certificates  further columns, one value per main question: what proves the list, where a ranker has that
    """

    places: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    certificates: Mapping[str, npt.NDArray[Any]]


class Ranker(Protocol):
    """One way to rank.

    signature  what the scores depend on besides the texts: name, λ, encoder and its hash, readings of the method
    batch      how many main questions it is given at once: the shape of a batch is part of the result's definition
    """

    @property
    def signature(self) -> Mapping[str, Any]: ...
    @property
    def batch(self) -> int: ...
    def rank(self, questions: Sequence[str], left_out: Sequence[npt.NDArray[np.int64]], top: int) -> Neighbours:
        """The neighbours of `questions`; left_out[i] are places of the pool that question i may not have."""
        ...


Make = Callable[[Sequence[str], Encoder | None, float], Ranker]

RANKERS: Registry[Make] = Registry("ranker", "voirdire.rankers")


def make_ranker(name: str, pool_texts: Sequence[str], *, encoder: Encoder | None = None, lam: float = 1e-6) -> Ranker:
    """The ranker of that name over a pool; `encoder` and `lam`, λ of ½‖Ax − b‖² + λ‖x‖₁, are for lasso."""
    return RANKERS.make(name)(pool_texts, encoder, lam)


def make_lasso(
    pool_texts: Sequence[str],
    encoder: Encoder | None,
    lam: float,
    objective: Objective = "paper",
    columns: "LassoColumns | None" = None,
) -> Ranker:
    """The ranker by LASSO; `lam` is in the scaling of `objective`.

    columns  those of the pool where they are made already; its texts are not looked at then
    """
    from voirdire.robustness.rankers.lasso import LassoRanker

    return LassoRanker(pool_texts, encoder, lam, objective=objective, columns=columns)


def _bleu(
    order: int, pool_texts: Sequence[str], _encoder: Encoder | None, _lam: float, smoothing: Smoothing = "none"
) -> Ranker:
    from voirdire.robustness.rankers.bleu_and_rouge_l import BleuRanker

    return BleuRanker(order, pool_texts, smoothing)


def _rouge_l(pool_texts: Sequence[str], _encoder: Encoder | None, _lam: float) -> Ranker:
    from voirdire.robustness.rankers.bleu_and_rouge_l import RougeLRanker

    return RougeLRanker(pool_texts)


def _cider(pool_texts: Sequence[str], _encoder: Encoder | None, _lam: float) -> Ranker:
    from voirdire.robustness.rankers.cider import CiderRanker

    return CiderRanker(pool_texts)


def _meteor(pool_texts: Sequence[str], _encoder: Encoder | None, _lam: float) -> Ranker:
    from voirdire.robustness.rankers.meteor import MeteorRanker

    return MeteorRanker(pool_texts)


def _add(name: str, make: Make) -> None:
    """Register a ranker that takes nothing after its name."""

    def plain(argument: str | None) -> Make:
        if argument is not None:
            raise UsageError(f"the ranker {name!r} takes nothing after its name, got {argument!r}")
        return make

    RANKERS.register(name)(plain)


_add("lasso", make_lasso)
for _order in range(1, 5):
    _add(f"bleu{_order}", partial(_bleu, _order))
_add("rouge_l", _rouge_l)
_add("cider", _cider)
_add("meteor", _meteor)
