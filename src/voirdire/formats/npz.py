"""Arrays of an .npz file, of numbers and text alone: nothing is unpickled, whoever made it."""

import io
from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.formats.sample import ZIP_MAGIC, look, tell
from voirdire.formats.source import Source

__all__ = ["load_npz"]


def load_npz(
    source: Source, expected: str, hint: str = "", wanted: Collection[str] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file by their names, or only those `wanted`; a file that is no .npz is told by what it is."""
    if not source.data.startswith(ZIP_MAGIC):
        found = tell(look(source)) if source.data.strip() else "an empty file"
        raise source.fail("", "", found, expected, hint)
    name = ""
    try:
        with np.load(io.BytesIO(source.data), allow_pickle=False) as file:
            found_arrays = {}
            for name in file.files:
                # What is no array comes as bytes.
                if (wanted is None or name in wanted) and isinstance(array := file[name], np.ndarray):
                    found_arrays[name] = array
        return found_arrays
    except Exception as error:  # The decoders raise almost anything on damaged bytes.
        if "allow_pickle" in str(error):
            raise source.fail("", name, "Python objects, which are not read", "numbers or text") from None
        raise source.fail("", "", f"a file that cannot be read ({error})", expected, hint) from None
