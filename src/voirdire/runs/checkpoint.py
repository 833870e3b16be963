"""The state of a training that can be taken up again, in one file of numbers and text alone.

It holds the weights, Adam's moments, how far the training is and the best weights so far: all that the next step
depends on beside the seed. So a training that was killed ends with the same weights as one that was not.
"""

from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.files import open_source
from voirdire.runs.arrays import read_arrays, write_arrays

__all__ = ["Checkpoint", "read_checkpoint", "write_checkpoint"]

FORMAT = 1
PARTS = ("weights", "first", "second", "best")

Weights = dict[str, npt.NDArray[np.float32]]
P = TypeVar("P", bound=msgspec.Struct)


class Checkpoint(msgspec.Struct, Generic[P], frozen=True):
    """Everything that a training goes on from; arrays by the names of the weights.

    progress       how far it is
    first, second  Adam's moments
    best           the weights of the best epoch so far; none before the first
    """

    progress: P
    weights: Weights
    first: Weights
    second: Weights
    best: Weights


class _About(msgspec.Struct, Generic[P], forbid_unknown_fields=True):
    format: int
    identity: dict[str, Any]
    progress: P


def write_checkpoint(path: Path, identity: dict[str, Any], state: Checkpoint[P]) -> None:
    """Keep the state, whole or not at all; `identity` says which training it is of."""
    arrays = {f"{part}/{name}": array for part in PARTS for name, array in getattr(state, part).items()}
    write_arrays(path, _About(FORMAT, identity, state.progress), arrays)


def read_checkpoint(path: Path, identity: dict[str, Any], progress: type[P]) -> Checkpoint[P] | None:
    """The state of the same training, None where there is none; that of another one is an error."""
    if not path.exists():
        return None
    hint = f"To begin anew, remove {path}."
    kind: type[_About[P]] = _About[progress]  # type: ignore[valid-type]
    about, arrays = read_arrays(open_source(path), kind, "the state of a training", hint)
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
    parts: dict[str, Weights] = {part: {} for part in PARTS}
    for key, array in arrays.items():
        part, _, name = key.partition("/")
        if part in parts:
            parts[part][name] = array
    return Checkpoint(about.progress, parts["weights"], parts["first"], parts["second"], parts["best"])
