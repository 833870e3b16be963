"""The state of a training that can be taken up again, in one .npz file of numbers and text alone.

It holds the weights, Adam's moments, how far the training is and the best weights so far: all that the next step
depends on. Order and dropout come from the seed, the epoch and the step. So a training that was killed ends with the
same weights as one that was not, and one that had ended is not run again.
"""

import io
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.atomic import write_atomic
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.source import open_source
from voirdire.scorekeeping.probe.options import Epoch

__all__ = ["Checkpoint", "Progress", "read_checkpoint", "write_checkpoint"]

FORMAT = 1
PARTS = ("weights", "first", "second", "best")


class Progress(msgspec.Struct, frozen=True):
    """How far a training is.

    epoch, batch  the next batch, both from 0
    steps         steps so far
    loss, right   sums over the points of this epoch so far
    best          the epoch, from 1, with the best accuracy on the validation points; 0 before the first
    """

    epoch: int = 0
    batch: int = 0
    steps: int = 0
    loss: float = 0.0
    right: int = 0
    best: int = 0
    history: tuple[Epoch, ...] = ()


class Checkpoint(msgspec.Struct, frozen=True):
    """Everything that a training goes on from; arrays by the names of the weights."""

    progress: Progress
    weights: dict[str, Any]
    first: dict[str, Any]
    second: dict[str, Any]
    best: dict[str, Any]


class _About(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    identity: dict[str, Any]
    progress: Progress


def write_checkpoint(path: Path, identity: dict[str, Any], state: Checkpoint) -> None:
    """Keep the state, whole or not at all; `identity` says which training it is of."""
    about = msgspec.json.encode(_About(FORMAT, identity, state.progress))
    arrays: dict[str, Any] = {"about": np.frombuffer(about, np.uint8)}
    for part in PARTS:
        arrays |= {f"{part}/{name}": array for name, array in getattr(state, part).items()}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    write_atomic(path, buffer.getvalue())


def read_checkpoint(path: Path, identity: dict[str, Any]) -> Checkpoint | None:
    """The state of the same training, None where there is none; that of another one is an error."""
    if not path.exists():
        return None
    hint = f"To begin anew, remove {path}."
    try:
        with np.load(io.BytesIO(open_source(path).data), allow_pickle=False) as file:
            arrays: dict[str, npt.NDArray[Any]] = {key: file[key] for key in file.files}
        about = msgspec.json.decode(arrays.pop("about").tobytes(), type=_About)
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, msgspec.MsgspecError) as error:
        found = f"a file that cannot be read ({error})"
        raise InputError(str(path), [Problem("", "", found, "the state of a training", hint)]) from None
    if about.format != FORMAT:
        raise InputError(str(path), [Problem("", "about.format", str(about.format), str(FORMAT), hint)])
    # As the file has it: a tuple comes back as a list.
    wanted = msgspec.json.decode(msgspec.json.encode(identity))
    other = [name for name in {**wanted, **about.identity} if wanted.get(name) != about.identity.get(name)]
    if other:
        raise UsageError(
            f"{path} is the state of another training: {other[0]} was {about.identity.get(other[0])}, now it is "
            f"{wanted.get(other[0])}. Give the same files and options to go on with it. {hint}"
        )
    parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for key, array in arrays.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = array
    return Checkpoint(about.progress, *(parts[part] for part in PARTS))
