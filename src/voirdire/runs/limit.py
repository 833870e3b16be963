"""A random part of a dataset: so many images, with all that belongs to them.

    taken = the first N of a permutation of the sorted ids, by the seed

So the same N and seed take the same images in every exam, whatever the order of a file, and fewer images are a part of
more. What belongs to an image that is left out is left out of every file; what belongs to no image of the dataset stays
and is told of as it is without a limit. Figures are those of the full run over fewer items, so intervals, which draw
the images that are there, are wider. Where nothing names an image, as in 20 questions, games are drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from voirdire.figures import counted
from voirdire.runs.run import Run

__all__ = ["Drawn", "Limit", "draw"]

STREAM = 3
"""Tells these draws from others of the same seed."""

Int64 = npt.NDArray[np.int64]


class OfImages(Protocol):
    """A record with an image per row, of which some rows can be taken."""

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

    noun   what is drawn: image, game or dialogue
    total  how many there are
    left   int64[…], sorted: the ids that are left out; none where there is no limit, or where it is not reached
    limit  as it was asked for
    """

    noun: str
    total: int
    left: Int64
    limit: int | None
    seed: int

    @property
    def partial(self) -> bool:
        """Whether anything is left out."""
        return bool(len(self.left))

    def keeps(self, ids: Iterable[int] | Int64) -> npt.NDArray[np.bool_]:
        """bool[…]: which of these ids are not left out."""
        given = ids if isinstance(ids, np.ndarray) else np.fromiter(ids, np.int64)
        return np.isin(given, self.left, invert=True)

    def of(self, record: R) -> R:
        """A record without the rows of images that are left out."""
        return record.only(np.flatnonzero(self.keeps(record.image_ids))) if self.partial else record

    @property
    def warnings(self) -> tuple[str, ...]:
        """The line that says what was taken; none where nothing was asked for."""
        if self.limit is None:
            return ()
        if not self.partial:
            return (f"`limit` is {self.limit:,}; there are {counted(self.total, self.noun)}, and all are taken.",)
        return (f"Limited to {self}.",)

    def __str__(self) -> str:
        return f"{self.limit:,} of {counted(self.total, self.noun)}, seed {self.seed}"

    @property
    def signed(self) -> dict[str, Any]:
        """What a signature has of it, as one of its options; nothing where all is taken."""
        if not self.partial:
            return {}
        return {"limit": {f"{self.noun}s": self.limit, "of": self.total, "seed": self.seed}}

    def told(self, run: Run) -> Run:
        """The run with what was taken in its signature and as its first warning."""
        if self.limit is None:
            return run
        signature = replace(run.signature, options={**run.signature.options, **self.signed})
        return replace(run, signature=signature, warnings=(*self.warnings, *run.warnings))


def draw(ids: Iterable[int] | Int64, options: Limit, noun: str = "image") -> Drawn:
    """Draw as many images as the options ask for; `ids` may name an image several times, in any order."""
    every = np.unique(ids if isinstance(ids, np.ndarray) else np.fromiter(ids, np.int64))
    left = np.empty(0, np.int64)
    if options.limit is not None:
        order = np.random.default_rng([options.seed, STREAM]).permutation(every)
        left = np.sort(order[options.limit :])
    return Drawn(noun, len(every), left, options.limit, options.seed)
