"""Arrays in one .npz file, with a JSON text `about` and the SHA-256 of each beside them.

Such a file holds numbers and text alone and is read without unpickling anything, so it is safe to load whoever made it.
"""

import hashlib
import io
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.atomic import write_atomic
from voirdire.errors import shorten_text
from voirdire.formats.csv_and_npz import load_npz
from voirdire.formats.files import Source
from voirdire.formats.strict import UNREADABLE, Problems

T = TypeVar("T", bound=msgspec.Struct)
U = TypeVar("U")


SEAL = "sha256"
OTHERWISE = "It may be damaged, of an earlier version, or another kind of file."


def write_arrays(path: str | Path, about: msgspec.Struct, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write arrays with a JSON text beside them, whole or not at all."""
    write_atomic(Path(path), pack_arrays(about, arrays))


def pack_arrays(about: msgspec.Struct, arrays: dict[str, npt.NDArray[Any]]) -> bytes:
    """The bytes of such a file; the same arrays give the same bytes."""
    contents = {"about": np.frombuffer(msgspec.json.encode(about), np.uint8), **arrays}
    buffer = io.BytesIO()
    seals = {name: _digest(array) for name, array in contents.items()}
    np.savez(buffer, **{SEAL: np.frombuffer(msgspec.json.encode(seals), np.uint8)}, **contents)  # type: ignore[arg-type]
    return buffer.getvalue()


def read_arrays(
    source: Source, about: type[T], expected: str, hint: str = OTHERWISE
) -> tuple[T, dict[str, npt.NDArray[Any]]]:
    """Read what `write_arrays` wrote; anything else is an error that says what was expected, and `hint`."""
    name = source.name
    arrays = load_npz(source, expected, hint)
    if "about" not in arrays:
        raise source.fail("", "about", "nothing", expected, hint)
    seals = _text(source, arrays, SEAL, dict[str, str], expected, hint)
    problems = Problems(name)
    for key in {**seals, **arrays}:
        array = arrays.get(key)
        if array is None or key not in seals:
            contents, wanted = ("nothing", "this array") if array is None else ("an array", "no such array")
            problems.add("", key, contents, wanted, hint)
        elif array.dtype.kind == "f" and not np.isfinite(array).all():
            problems.add("", key, "a number that is not finite", "finite numbers", hint)
        elif _digest(array) != seals[key]:
            problems.add("", key, "other values than were written", f"those with the SHA-256 {seals[key]}", hint)
    problems.check()
    return _text(source, arrays, "about", about, expected, hint), arrays


def _text(source: Source, arrays: dict[str, npt.NDArray[Any]], key: str, type_: type[U], expected: str, hint: str) -> U:
    """Take the JSON text out of the arrays."""
    if key not in arrays:
        raise source.fail("", key, "nothing", expected, hint)
    try:
        return msgspec.json.decode(arrays.pop(key).tobytes(), type=type_)
    except UNREADABLE as error:
        raise source.fail("", key, f"no such text ({shorten_text(str(error))})", expected, hint) from None


def _digest(array: npt.NDArray[Any]) -> str:
    """SHA-256 over an array's type, shape and bytes."""
    whole = hashlib.sha256(repr((array.dtype.str, array.shape)).encode())
    # As bytes: of dates, which a damaged file may hold, there is no other view.
    whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()
