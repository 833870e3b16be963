"""Arrays in files that all workers of a map share, and that a later call may go on with.

Workers map such a file into memory to read it. It is never written so: where the disk is full, that would end the
process without a message. It is sealed, and a call that finds one of an earlier call checks the seal before it uses it;
workers, which may be many, do not check again.

`SharedFile` is such a file as workers are given it. Those that do not see it, on other machines, get its bytes from
their engine instead, once per machine.
"""

import contextlib
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.atomic import SEAL, read_sealed, write_sealed
from voirdire.errors import VoirDireError

Fetch = Callable[[], npt.NDArray[np.uint8] | None]
"""In a worker: the bytes of a file; None where it sees the file itself."""

_HAND_OVER: ContextVar[Callable[[Path], Fetch] | None] = ContextVar("_HAND_OVER", default=None)


@contextlib.contextmanager
def handing_over(how: Callable[[Path], Fetch]) -> Iterator[None]:
    """For an engine: while the block runs, `how` makes the way in which workers get at a file that they may not see."""
    token = _HAND_OVER.set(how)
    try:
        yield
    finally:
        _HAND_OVER.reset(token)


@dataclass(frozen=True)
class SharedFile:
    """A sealed file that workers read. It travels as its name, with a way to its bytes where they may not see it."""

    path: Path
    fetch: Fetch | None = None

    def __reduce__(self) -> tuple[type["SharedFile"], tuple[Path, Fetch | None]]:
        how, path = _HAND_OVER.get(), self.path.absolute()
        return SharedFile, (path, self.fetch if how is None else how(path))

    def array(self) -> npt.NDArray[Any]:
        """The array that `write_array` wrote, not copied."""
        data = self._fetched()
        if data is None:
            return map_array(self.path)
        head = io.BytesIO(data[:4096].tobytes())
        np.lib.format.read_magic(head)
        shape, _, kind = np.lib.format.read_array_header_1_0(head)
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(data, kind, count, head.tell()).reshape(shape)

    def bytes(self) -> bytes:
        """What `write_sealed` wrote, with its seal checked."""
        fetched = self._fetched()
        if fetched is None:
            content = read_sealed(self.path)
        else:
            data = fetched.tobytes()
            content = data[:-SEAL] if hashlib.sha256(data[:-SEAL]).digest() == data[-SEAL:] else None
        if content is None:
            raise VoirDireError(f"{self.path}: removed or altered while the run was at work. Run it again.")
        return content

    def _fetched(self) -> npt.NDArray[np.uint8] | None:
        return None if self.fetch is None else self.fetch()


def write_array(path: Path, blocks: Iterable[npt.NDArray[Any]], shape: Sequence[int], dtype: npt.DTypeLike) -> None:
    """Write an array of which `blocks` are the rows, in order, whole or not at all; its space is taken first."""
    kind = np.dtype(dtype)
    head = io.BytesIO()
    about = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": tuple(shape)}
    np.lib.format.write_array_header_1_0(head, about)
    rows = (np.ascontiguousarray(block, kind).reshape(-1).view(np.uint8).data for block in blocks)
    size = head.tell() + int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    write_sealed(path, chain([head.getvalue()], rows), size)


def map_array(path: Path) -> npt.NDArray[Any]:
    """An array that `write_array` wrote, to read."""
    array: npt.NDArray[Any] = np.load(path, mmap_mode="r")
    return array
