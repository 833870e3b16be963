"""A pool whose vectors are cut into parts, because they are more than one memory holds.

The vectors are written to disk by pieces as the encoder makes them, then laid out as a dictionary there (different
columns, their lengths), and the first file is removed: for a moment the disk holds them twice. Whoever ranks then maps
the parts, and works on them one after the other; on an engine with nodes of its own, which has a method `connect`, each
part is an actor instead, with its columns in the memory of a node.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.engine import Engine
from voirdire.engine.arrays import map_array
from voirdire.progress import Stages
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.ranking.unfinished import columns_folder, pool_vectors
from voirdire.robustness.ranking.vectors import encode
from voirdire.text.encoders import Encoder

if TYPE_CHECKING:
    from voirdire.robustness.lasso.layout import ColumnLayout
    from voirdire.robustness.lasso.parts import CutColumns

PIECE = 8192
"""Vectors that are in memory at once while they are laid out."""


@contextlib.contextmanager
def cut_pool(
    work: Path,
    texts: Sequence[str],
    encoder: Encoder,
    options: RankQuestionsOptions,
    engine: Engine,
    stages: Stages,
) -> Iterator["Callable[[], CutColumns]"]:
    """What makes the columns in whoever ranks; it can be sent there."""
    from voirdire.robustness.lasso.layout import ColumnLayout, MappedParts

    layout = ColumnLayout(columns_folder(work))
    if not layout.is_whole():
        _lay_out(layout, work, texts, encoder, options, engine, stages)
    connect: Callable[[], None] | None = getattr(engine, "connect", None)
    if connect is None:
        yield MappedParts(layout.folder, options.pool_parts)
        return
    from voirdire.robustness.lasso.actors import part_actors

    connect()
    with part_actors(layout, options.pool_parts) as actors:
        yield actors


def _lay_out(
    layout: "ColumnLayout",
    work: Path,
    texts: Sequence[str],
    encoder: Encoder,
    options: RankQuestionsOptions,
    engine: Engine,
    stages: Stages,
) -> None:
    from voirdire.robustness.lasso.layout import lay_out
    from voirdire.robustness.rankers.lasso import as_columns

    file = pool_vectors(work)
    encode(texts, encoder, file, stages, engine, "encode the pool")
    vectors = map_array(file) if texts else np.empty((0, encoder.dimension), np.float32)
    progress = stages("lay the pool out", "steps")

    def pieces() -> Iterable[npt.NDArray[np.float32]]:
        for start in range(0, len(vectors), PIECE):
            yield np.asarray(as_columns(vectors[start : start + PIECE], options.objective))

    progress(0, 1)
    lay_out(layout.folder, pieces, encoder.dimension)
    file.unlink()
    progress(1, 1)
