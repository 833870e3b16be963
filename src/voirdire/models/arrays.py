"""Arrays in one .npz file, with a JSON text `about` beside them.

Such a file holds numbers and text alone and is read without unpickling anything, so it is safe to load whoever made it.
"""

import io
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.atomic import write_atomic
from voirdire.errors import InputError, Problem, one_line
from voirdire.formats.files import Source
from voirdire.formats.strict import UNREADABLE
from voirdire.formats.tables import load_npz

__all__ = ["read_arrays", "write_arrays"]

T = TypeVar("T", bound=msgspec.Struct)


def write_arrays(path: str | Path, about: msgspec.Struct, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write arrays with a JSON text beside them, whole or not at all."""
    buffer = io.BytesIO()
    np.savez(buffer, about=np.frombuffer(msgspec.json.encode(about), np.uint8), **arrays)  # type: ignore[arg-type]
    write_atomic(Path(path), buffer.getvalue())


def read_arrays(
    source: Source, about: type[T], expected: str, hint: str = "It may be cut short, or another kind of file."
) -> tuple[T, dict[str, npt.NDArray[Any]]]:
    """Read what `write_arrays` wrote; anything else is an error that says what was expected, and `hint`."""
    name = source.name
    arrays = load_npz(source, expected, hint)
    try:
        text = arrays.pop("about").astype(np.uint8, casting="safe").tobytes()
    except KeyError:
        raise InputError(name, [Problem("", "about", "nothing", expected, hint)]) from None
    except (AttributeError, TypeError) as error:
        raise InputError(name, [Problem("", "about", f"no text ({error})", expected, hint)]) from None
    try:
        return msgspec.json.decode(text, type=about), arrays
    except UNREADABLE as error:
        raise InputError(name, [Problem("", "about", one_line(str(error)), expected, hint)]) from None
