"""The state of a training that can be taken up again: `OUT.training`, beside the oracle that it will become.

It holds the weights, Adam's moments, how far the training is and the best weights so far: all that the next step
depends on. The order of examples comes from the seed and the epoch. So a training that was killed ends with the same
weights as one that was not.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.source import open_source
from voirdire.questions.trained_oracle.file import Epoch, read_arrays, write_arrays

__all__ = ["Checkpoint", "Progress", "checkpoint_path", "read_checkpoint", "write_checkpoint"]

FORMAT = 1
EXPECTED = "the state of a training"


class Progress(msgspec.Struct, frozen=True):
    """How far a training is.

    epoch, batch   the next batch, both from 0
    steps          Adam's steps so far
    loss, errors   sums over the examples of this epoch so far
    best           the epoch, from 1, with the smallest error on the validation games; 0 before the first
    """

    epoch: int = 0
    batch: int = 0
    steps: int = 0
    loss: float = 0.0
    errors: int = 0
    best: int = 0
    history: tuple[Epoch, ...] = ()


class _About(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    identity: dict[str, Any]
    progress: Progress


class Checkpoint(msgspec.Struct, frozen=True):
    """Everything that a training goes on from; arrays by the names of the weights."""

    progress: Progress
    weights: dict[str, Any]
    first: dict[str, Any]
    second: dict[str, Any]
    best: dict[str, Any]


def checkpoint_path(output: str | Path) -> Path:
    """Where the training that is to become `output` keeps its state."""
    return Path(f"{output}.training")


def write_checkpoint(path: Path, identity: dict[str, Any], state: Checkpoint) -> None:
    """Keep the state, whole or not at all; `identity` says which training it is of."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for part in ("weights", "first", "second", "best"):
        arrays |= {f"{part}/{name}": array for name, array in getattr(state, part).items()}
    write_arrays(path, _About(FORMAT, identity, state.progress), arrays)


def read_checkpoint(path: Path, identity: dict[str, Any]) -> Checkpoint | None:
    """The state of the same training, None where there is none; that of another one is an error."""
    if not path.exists():
        return None
    about, arrays = read_arrays(open_source(path), _About, EXPECTED)
    if about.format != FORMAT:
        raise InputError(str(path), [Problem("", "about.format", str(about.format), str(FORMAT), _hint(path))])
    other = [name for name in {**identity, **about.identity} if identity.get(name) != about.identity.get(name)]
    if other:
        was, wanted = about.identity.get(other[0]), identity.get(other[0])
        raise UsageError(
            f"{path} is the state of another training: {other[0]} was {was}, now it is {wanted}. "
            f"Give the same games and options to go on with it. {_hint(path)}"
        )
    parts: dict[str, dict[str, npt.NDArray[np.float32]]] = {"weights": {}, "first": {}, "second": {}, "best": {}}
    for key, array in arrays.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = array
    return Checkpoint(about.progress, parts["weights"], parts["first"], parts["second"], parts["best"])


def _hint(path: Path) -> str:
    return f"To begin anew, remove {path}."
