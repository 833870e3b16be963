"""Where a file's bytes come from: a path, plain or gzipped, or standard input as `-`."""

import gzip
import hashlib
import sys
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from voirdire.errors import InputError, Problem

__all__ = ["Source", "open_source"]

GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Source:
    """A file's name, as the user wrote it, and its bytes, decompressed."""

    name: str
    data: bytes

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the decompressed bytes, so that a file and its gzip are the same data."""
        return hashlib.sha256(self.data).hexdigest()

    def fail(self, where: str, field: str, found: str, expected: str, hint: str = "") -> InputError:
        """An error that names this file and one problem."""
        return InputError(self.name, [Problem(where, field, found, expected, hint)])


def open_source(path: str | Path) -> Source:
    """Read `path` (or standard input for `-`), unpacking gzip by its content, not by its name.

    A byte order mark, which some systems put before text, is dropped.
    """
    name = str(path)
    data = _read(name)
    if data.startswith(GZIP_MAGIC):
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(
                name,
                [
                    Problem(
                        "", "", f"a damaged gzip stream ({error})", "a complete one", "Fetch or copy the file again."
                    )
                ],
            ) from None
    return Source(name, data.removeprefix(BOM))


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    path = Path(name)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        found, hint = "no such file", "Check the path."
        if path.is_symlink():
            found, hint = f"a link to {path.readlink()}, which is not there", "Mend or remove the link."
    except IsADirectoryError:
        found, hint = "a folder", "Name a file inside it."
    except PermissionError:
        found, hint = "a file that may not be read", "Check its permissions."
    except OSError as error:
        found, hint = f"an error of the system ({error.strerror})", "Check the path."
    raise InputError(name, [Problem("", "", found, "a readable file", hint)])
