"""The vectors of texts that a ranking needs, made by pieces: in memory, or in a file that processes share."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.atomic import is_sealed
from voirdire.engine import Engine, Here
from voirdire.engine.arrays import SharedFile, write_array
from voirdire.errors import InputError, Problem
from voirdire.progress import Progress, Stages
from voirdire.text.encoders import Encoder
from voirdire.text.encoders.protocol import encode_pieces

PIECE = 4096
"""Texts that are encoded at once."""

Float32 = npt.NDArray[np.float32]


def encode(
    texts: Sequence[str], encoder: Encoder, shared: Path | None, stages: Stages, engine: Engine, stage: str = "encode"
) -> Float32 | SharedFile:
    """One vector per text: an array or, where `shared` names one, a file; one that was finished before is taken."""
    shape, made = (len(texts), encoder.dimension), _pieces(texts, encoder, stages(stage, "texts"), engine)
    if shared is None:
        vectors, at = np.empty(shape, np.float32), 0
        for piece in made:
            vectors[at : at + len(piece)] = piece
            at += len(piece)
        return vectors
    there = shared.exists()
    if not there or not is_sealed(shared):
        if there:
            stages.say(f"{shared}: not as it was written; the vectors are made anew")
        write_array(shared, made, shape, np.float32)
    return SharedFile(shared)


def _pieces(texts: Sequence[str], encoder: Encoder, progress: Progress, engine: Engine) -> Iterator[Float32]:
    starts = range(0, len(texts), PIECE)
    progress(0, len(texts))
    # One piece alone is sooner done here than a worker has started.
    where = engine if len(starts) > 1 else Here()
    made = encode_pieces(encoder, (texts[start : start + PIECE] for start in starts), where)
    for start, vectors in zip(starts, made, strict=True):
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            found = f"a vector of {texts[start + int(np.argmin(finite))]!r} with a number that is not finite"
            raise InputError(f"encoder {encoder.name}", [Problem("", "", found, "finite vectors")])
        progress(start + len(vectors), len(texts))
        yield vectors
