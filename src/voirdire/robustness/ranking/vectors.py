"""The vectors of texts that a ranking needs, made by pieces: in memory, or in a file that processes share."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.atomic import is_sealed
from voirdire.engine.arrays import write_array
from voirdire.errors import InputError, Problem
from voirdire.progress import Progress, Stages
from voirdire.text.encoders import Encoder

__all__ = ["encode"]

PIECE = 4096
"""Texts that are encoded at once."""

Float32 = npt.NDArray[np.float32]


def encode(
    texts: Sequence[str], encoder: Encoder, shared: Path | None, stages: Stages, stage: str = "encode"
) -> Float32 | Path:
    """One vector per text: an array or, where `shared` names one, a file; one that was finished before is taken."""
    shape, made = (len(texts), encoder.dimension), _pieces(texts, encoder, stages(stage, "texts"))
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
    return shared


def _pieces(texts: Sequence[str], encoder: Encoder, progress: Progress) -> Iterator[Float32]:
    for start in range(0, len(texts), PIECE):
        progress(start, len(texts))
        piece = texts[start : start + PIECE]
        made: Float32 = encoder.encode(piece)
        finite = np.isfinite(made).all(axis=1)
        if not finite.all():
            found = f"a vector of {piece[int(np.argmin(finite))]!r} with a number that is not finite"
            raise InputError(f"encoder {encoder.name}", [Problem("", "", found, "finite vectors")])
        yield made
    progress(len(texts), len(texts))
