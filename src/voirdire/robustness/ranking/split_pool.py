"""The vectors that a ranking needs: in memory, in a file that processes share, or of a pool that is split into parts.

A pool is split where its vectors are more than one memory holds. They are written to disk by pieces as the encoder
makes them, then laid out as a dictionary there (different columns, their lengths), and the first file is removed: for a
moment the disk holds them twice. Whoever ranks then maps the parts, and works on them one after the other; on an engine
with nodes of its own, which has a method `connect`, each part is an actor instead, with its columns in the memory of a
node.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.atomic import is_sealed
from voirdire.engine import Engine, Here
from voirdire.engine.shared_files import SharedFile, map_array, write_array
from voirdire.errors import InputError, Problem
from voirdire.progress import Progress, Stages
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.ranking.files import columns_folder, pool_vectors
from voirdire.text.encoders import Encoder
from voirdire.text.encoders.protocol import encode_pieces

if TYPE_CHECKING:
    from voirdire.robustness.lasso.layout import ColumnLayout
    from voirdire.robustness.lasso.parts import SplitColumns

PIECE = 4096
"""Texts that are encoded at once, and vectors that are in memory at once while they are laid out."""
Float32 = npt.NDArray[np.float32]


@contextlib.contextmanager
def split_pool(
    work: Path,
    texts: Sequence[str],
    encoder: Encoder,
    options: RankQuestionsOptions,
    engine: Engine,
    stages: Stages,
) -> Iterator["Callable[[], SplitColumns]"]:
    """A function that makes the columns in whoever ranks; it can be sent there."""
    from voirdire.robustness.lasso.layout import ColumnLayout, MappedParts, part_actors

    layout = ColumnLayout(columns_folder(work))
    if not layout.is_whole():
        _lay_out(layout, work, texts, encoder, options, engine, stages)
    connect: Callable[[], None] | None = getattr(engine, "connect", None)
    if connect is None:
        yield MappedParts(layout.folder, options.pool_parts)
        return
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


def encode(
    texts: Sequence[str], encoder: Encoder, shared: Path | None, stages: Stages, engine: Engine, stage: str = "encode"
) -> Float32 | SharedFile:
    """One vector per text: an array or, where `shared` names one, a file; one that was finished before is taken."""
    shape, pieces = (len(texts), encoder.dimension), _pieces(texts, encoder, stages(stage, "texts"), engine)
    if shared is None:
        vectors, at = np.empty(shape, np.float32), 0
        for piece in pieces:
            vectors[at : at + len(piece)] = piece
            at += len(piece)
        return vectors
    exists = shared.exists()
    if not exists or not is_sealed(shared):
        if exists:
            stages.say(f"{shared}: not as it was written; the vectors are made anew")
        write_array(shared, pieces, shape, np.float32)
    return SharedFile(shared)


def _pieces(texts: Sequence[str], encoder: Encoder, progress: Progress, engine: Engine) -> Iterator[Float32]:
    starts = range(0, len(texts), PIECE)
    progress(0, len(texts))
    # One piece alone is sooner done here than a worker has started.
    where = engine if len(starts) > 1 else Here()
    encoded = encode_pieces(encoder, (texts[start : start + PIECE] for start in starts), where)
    for start, vectors in zip(starts, encoded, strict=True):
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            infinite = f"a vector of {texts[start + int(np.argmin(finite))]!r} with a number that is not finite"
            raise InputError(f"encoder {encoder.name}", [Problem("", "", infinite, "finite vectors")])
        progress(start + len(vectors), len(texts))
        yield vectors
