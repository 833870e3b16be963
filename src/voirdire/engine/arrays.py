"""Arrays in files that all workers of a map share, and that a later call may go on with.

Workers map such a file into memory to read it. It is never written so: where the disk is full, that would end the
process without a word. It is sealed, and a call that finds one of an earlier call looks at the seal before it believes
it; workers, which may be many, do not look again.
"""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.atomic import write_sealed

__all__ = ["map_array", "write_array"]


def write_array(path: Path, blocks: Iterable[npt.NDArray[Any]], shape: Sequence[int], dtype: npt.DTypeLike) -> None:
    """Write an array of which `blocks` are the rows, in order, whole or not at all; its space is taken first."""
    kind = np.dtype(dtype)
    head = io.BytesIO()
    about = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": tuple(shape)}
    np.lib.format.write_array_header_1_0(head, about)
    rows = (np.ascontiguousarray(block, kind).reshape(-1).view(np.uint8).data for block in blocks)
    size = head.tell() + int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    write_sealed(path, _after(head.getvalue(), rows), size)


def _after(head: bytes, rows: Iterable[memoryview]) -> Iterable[bytes | memoryview]:
    yield head
    yield from rows


def map_array(path: Path) -> npt.NDArray[Any]:
    """An array that `write_array` wrote, to read."""
    array: npt.NDArray[Any] = np.load(path, mmap_mode="r")
    return array
