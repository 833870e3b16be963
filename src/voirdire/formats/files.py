"""Read and write the bytes of a file: a path, plain or gzipped, or standard input and output as `-`.

Gzip is recognised by content when read, and written where the name ends in `.gz`. A file is written whole or not at
all. Anything but a plain file, such as a pipe or a device, is refused before it is opened: it may never end. So is a
gzip that unpacks to far more than any real file does. A command that needs a file in several places reads it once, see
`reading_once`.
"""

import contextlib
import errno
import functools
import gzip
import hashlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from voirdire.atomic import atomic_path
from voirdire.errors import InputError, Problem, shorten_text

__all__ = [
    "BOM",
    "GZIP_MAGIC",
    "UTF16",
    "Source",
    "check_file",
    "most_unpacked",
    "once",
    "open_source",
    "reading_once",
    "same_place",
    "write_bytes",
    "write_chunks",
    "write_json",
    "write_lines",
    "write_records",
]

GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")

Reader = TypeVar("Reader", bound=Callable[..., Any])

PACKED, SMALL = 200, 256 * 1024**2
"""How many times its size a packed file may unpack to; any may unpack to `SMALL` bytes."""

LARGEST = 64 * 1024**2
"""Up to this size the bytes of a file are kept, too, for readers that only look at its beginning."""


@dataclass(frozen=True)
class Source:
    """A file's name, as the user wrote it, and its bytes, unpacked; `packed` are those on disk, where they differ."""

    name: str
    data: bytes
    packed: bytes | None = field(default=None, compare=False, repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the decompressed bytes, so that a file and its gzip are the same data."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes on disk."""
        return self.fingerprint if self.packed is None else hashlib.sha256(self.packed).hexdigest()

    def fail(self, where: str, field: str, found: str, expected: str, hint: str = "") -> InputError:
        """An error that names this file and one problem."""
        return InputError(self.name, [Problem(where, field, found, expected, hint)])


def _open_source(path: str | Path) -> Source:
    """Read `path` (or standard input for `-`), unpacking gzip by its content, not by its name.

    A byte order mark, which some systems put before text, is dropped.
    """
    name = str(path)
    data = packed = _read(name)
    if data.startswith(GZIP_MAGIC):
        data = _unpack(name, data)
    data = data.removeprefix(BOM)
    return Source(name, data, None if data is packed else packed)


def most_unpacked(size: int) -> int:
    """The most bytes that a packed file of this size may unpack to; real ones stay far below."""
    return max(SMALL, PACKED * size)


def _unpack(name: str, packed: bytes) -> bytes:
    """A gzip's content, of all its members; zeros may follow the last."""
    parts, left, rest = list[bytes](), most_unpacked(len(packed)), packed
    try:
        while rest:
            stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
            parts.append(stream.decompress(rest, left + 1))
            left -= len(parts[-1])
            if left < 0:
                found = f"a gzip of {len(packed):,} bytes that unpacks to more than {most_unpacked(len(packed)):,}"
                hint = "Unpack the file if it is meant to be so large."
                raise InputError(name, [Problem("", "", found, f"at most {PACKED} times its size", hint)])
            if not stream.eof:
                raise EOFError("it ends before its end marker")
            rest = stream.unused_data.lstrip(b"\0")
    except (EOFError, zlib.error) as error:
        problem = f"a damaged gzip stream ({error})", "a complete one", "Fetch or copy the file again."
        raise InputError(name, [Problem("", "", *problem)]) from None
    return b"".join(parts)


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    check_file(name)
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise _unreadable(name, error) from None


def check_file(path: str | Path) -> None:
    """Refuse anything but a plain file, before it is opened: opening a pipe may wait for ever."""
    name = str(path)
    if not name:
        raise InputError("''", [Problem("", "", "an empty name", "the name of a file")])
    try:
        kind = Path(path).stat().st_mode
    except OSError as error:
        raise _unreadable(name, error) from None
    except ValueError:  # A zero byte, or a lone surrogate.
        raise _no_file(name, "a name that no file can have", "Check the path.") from None
    if stat.S_ISDIR(kind):
        raise _no_file(name, "a folder", "Name a file inside it.")
    if not stat.S_ISREG(kind):
        what = "a pipe" if stat.S_ISFIFO(kind) else "a socket" if stat.S_ISSOCK(kind) else "a device"
        raise _no_file(name, what, "Name a plain file, or - for standard input.")


def same_place(first: str | Path, second: str | Path) -> bool:
    """Whether two names lead to the same place, also by links."""
    return os.path.realpath(first) == os.path.realpath(second)


def _unreadable(name: str, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        if Path(name).is_symlink():
            return _no_file(name, f"a link to {Path(name).readlink()}, which is not there", "Mend or remove the link.")
        return _no_file(name, "no such file", "Check the path.")
    if error.errno == errno.ELOOP:
        return _no_file(name, "a link that leads back to itself", "Mend or remove the link.")
    if isinstance(error, PermissionError):
        return _no_file(name, "a file that may not be read", "Check its permissions.")
    return _no_file(name, f"an error of the system ({error.strerror})", "Check the path.")


def _no_file(name: str, found: str, hint: str) -> InputError:
    return InputError(shorten_text(name, 400), [Problem("", "", found, "a readable file", hint)])


class _Cache:
    """The records that this process has read inside `reading_once`."""

    def __init__(self) -> None:
        self.records: dict[Any, Any] = {}
        self.blocks = 0


_CACHE = _Cache()


@contextlib.contextmanager
def reading_once() -> Iterator[None]:
    """Inside, readers that are marked with `once` read a file a single time and then return the same record again.

    Records are kept until the outermost such block of the process ends. They are shared, so they must not be changed.
    """
    _CACHE.blocks += 1
    try:
        yield
    finally:
        _CACHE.blocks -= 1
        if not _CACHE.blocks:
            _CACHE.records.clear()


def once(reader: Reader) -> Reader:
    """Mark a reader of a path: inside `reading_once` it reads a file once for the same further arguments.

    A file that has changed, by its size or its time, is read again, and so is one that could not be read. Anything but
    a plain file, such as standard input, is read every time.
    """

    @functools.wraps(reader)
    def read(path: str | Path, *rest: Any, **named: Any) -> Any:
        if not _CACHE.blocks or (identity := _identity(path)) is None:
            return reader(path, *rest, **named)
        key = (reader, identity, rest, *sorted(named.items()))
        if key not in _CACHE.records:
            record = reader(path, *rest, **named)
            if isinstance(record, Source) and len(record.data) > LARGEST:
                return record
            _CACHE.records[key] = record
        return _CACHE.records[key]

    return cast("Reader", read)


open_source = once(_open_source)


def open_bytes(path: str | Path) -> io.BufferedReader | io.BytesIO:
    """A plain file to read as bytes, as it is on disk; inside `reading_once` one that is no larger than `LARGEST` is
    opened a single time for all."""
    identity = _identity(path)
    if not _CACHE.blocks or identity is None or identity[3] > LARGEST:
        return Path(path).open("rb")
    source = open_source(path)
    return io.BytesIO(source.data if source.packed is None else source.packed)


def _identity(path: str | Path) -> tuple[str, int, int, int, int] | None:
    """What identifies an unchanged file, None for anything but a plain file; messages name it as the user did."""
    try:
        info = Path(path).stat()
    except (OSError, ValueError):
        return None
    if str(path) == "-" or not stat.S_ISREG(info.st_mode):
        return None
    return str(path), info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write `data` whole or not at all."""
    write_chunks([data], path)


def write_chunks(chunks: Iterable[bytes], path: str | Path) -> None:
    """Write the chunks one after the other, so that a large file is never whole in memory.

    A gzip has neither name nor time in it, so that the same data are the same bytes.
    """
    if str(path) == "-":
        sys.stdout.buffer.writelines(chunks)
        sys.stdout.buffer.flush()
        return
    with atomic_path(Path(path)) as partial, partial.open("wb") as file:
        if str(path).endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.writelines(chunks)
        else:
            file.writelines(chunks)


def write_json(value: Any, path: str | Path) -> None:
    """Write one JSON document; a list goes to JSON lines where the name says so."""
    if isinstance(value, list):
        write_records(value, path)
    else:
        write_bytes(msgspec.json.encode(value) + b"\n", path)


def write_records(records: Iterable[Any], path: str | Path) -> None:
    """Write records as a JSON list, or as JSON lines where the name ends in `.jsonl` or `.jsonl.gz`."""
    if str(path).removesuffix(".gz").endswith((".jsonl", ".jsonlines")):
        write_lines(records, path)
    else:
        write_chunks(_list(records), path)


def write_lines(records: Iterable[Any], path: str | Path) -> None:
    """Write JSON lines, one record per line."""
    write_chunks((msgspec.json.encode(record) + b"\n" for record in records), path)


def _list(records: Iterable[Any]) -> Iterable[bytes]:
    yield b"["
    for index, record in enumerate(records):
        yield (b",\n" if index else b"") + msgspec.json.encode(record)
    yield b"]\n"
