"""A random part of a dataset: a number of images, with everything that belongs to them.

    taken = the first N covered ids in a permutation of the sorted ids, by the seed

An image is covered where the model's file has a row for it or, for a model that is asked live, where it can be asked
about it: a sample of a dataset is not reduced twice. The same N and seed take the same images in every exam, whatever
the order of a file, and a smaller N takes a subset. What belongs to an image that is left out is left out of every
file; what belongs to no image of the dataset stays, with the same warnings as without a limit. Figures are those of
the full run over fewer items, so intervals, for which the images taken are drawn, are wider. Where there are no image
ids, as in 20 questions, games are drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from voirdire.figures import counted
from voirdire.runs.run import Run

STREAM = 3
"""Separates these draws from others of the same seed."""

Int64 = npt.NDArray[np.int64]


class OfImages(Protocol):
    """A record with an image per row, from which some rows can be taken."""

    @property
    def image_ids(self) -> Int64: ...

    def only(self, rows: npt.NDArray[np.intp], /) -> Self: ...


class Limit(Protocol):
    """Options with a limit, and the seed by which images are drawn."""

    @property
    def limit(self) -> int | None: ...

    @property
    def seed(self) -> int: ...


R = TypeVar("R", bound=OfImages)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a limit takes.

    noun     what is drawn: image, game or dialogue
    total    how many there are
    left     int64[…], sorted: the ids that are left out; none where there is no limit, or where it is not reached
    limit    as requested
    covered  how many are covered
    """

    noun: str
    total: int
    left: Int64
    limit: int | None
    seed: int
    covered: int

    @property
    def partial(self) -> bool:
        """Whether anything is left out."""
        return bool(len(self.left))

    def keeps(self, ids: Iterable[int] | Int64) -> npt.NDArray[np.bool_]:
        """bool[…]: which of these ids are not left out."""
        return np.isin(_numbers(ids), self.left, invert=True)

    def of(self, record: R) -> R:
        """A record without the rows of images that are left out."""
        return record.only(np.flatnonzero(self.keeps(record.image_ids))) if self.partial else record

    @property
    def warnings(self) -> tuple[str, ...]:
        """The line that says what was taken; none without a limit."""
        if self.limit is None:
            return ()
        if not self.partial or self.covered < self.limit:
            return (f"`limit` is {self.limit:,}; there {self._extent()}, and all are taken.",)
        return (f"Limited to {self}.",)

    def __str__(self) -> str:
        some = f", of {self.covered:,} that there is something of" if self.covered < self.total else ""
        return f"{self.limit:,} of {counted(self.total, self.noun)}{some}, seed {self.seed}"

    def _extent(self) -> str:
        if self.covered == self.total:
            return f"are {counted(self.total, self.noun)}"
        return f"is something of {self.covered:,} of {counted(self.total, self.noun)}"

    @property
    def signed(self) -> dict[str, Any]:
        """Its entry among the options of a signature; nothing where everything is taken."""
        if not self.partial:
            return {}
        return {"limit": {f"{self.noun}s": self.limit, "of": self.total, "seed": self.seed}}

    def sign(self, run: Run) -> Run:
        """The run with this draw in its signature and as its first warning."""
        if self.limit is None:
            return run
        signature = replace(run.signature, options={**run.signature.options, **self.signed})
        return replace(run, signature=signature, warnings=(*self.warnings, *run.warnings))


def draw(
    ids: Iterable[int] | Int64, options: Limit, noun: str = "image", covered: Iterable[int] | Int64 | None = None
) -> Drawn:
    """Draw as many images as the options ask for; `ids` may name an image several times, in any order.

    covered  the images that are covered; all of them where it is None, or none of these is among the ids
    """
    every = np.unique(_numbers(ids))
    some = every if covered is None else np.intersect1d(every, _numbers(covered))
    some = some if len(some) else every
    left = np.empty(0, np.int64)
    if options.limit is not None:
        order = np.random.default_rng([options.seed, STREAM]).permutation(every)
        taken = order[np.isin(order, some)][: options.limit]
        left = np.setdiff1d(every, taken)
    return Drawn(noun, len(every), left, options.limit, options.seed, len(some))


def _numbers(ids: Iterable[int] | Int64) -> Int64:
    return ids if isinstance(ids, np.ndarray) else np.fromiter(ids, np.int64)
