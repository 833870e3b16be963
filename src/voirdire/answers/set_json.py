"""JSON lines, and a JSON list whose records end with their lines, in blocks of some megabytes.

Each block goes through the reader of the format, so that what is good here is what is good there. A file that cannot be
cut in this way is an InputError too; who gets one can still read the file whole.
"""

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from voirdire.formats.files import Source
from voirdire.formats.references import References, parse_references
from voirdire.formats.rounds import parse_with_base

__all__ = ["json_blocks"]

SIZE = 1 << 23
GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"


def json_blocks(path: Path, update: Callable[[bytes], None]) -> Iterator[References]:
    """The sets of each block, rounds counted as the file does; `update` is told the bytes, unpacked."""
    with path.open("rb") as raw:
        packed = raw.peek(2).startswith(GZIP_MAGIC)
        with gzip.GzipFile(fileobj=raw) if packed else raw as file:
            for text in _cut(file, str(path), update):
                # A block may lack the rounds that tell the base; all blocks together are asked for it.
                yield parse_with_base(parse_references, Source(str(path), text), 0)


def _cut(file: BinaryIO | gzip.GzipFile, name: str, update: Callable[[bytes], None]) -> Iterator[bytes]:
    block, opening = b"".join(file.readlines(SIZE)).removeprefix(BOM), b""
    listed = block.lstrip().startswith(b"[")
    while block:
        update(block)
        following = b"".join(file.readlines(SIZE))
        if not listed:
            yield block
        elif not following:
            yield opening + block
        else:
            records = block.rstrip()
            if not records.endswith(b","):
                raise Source(name, b"").fail("", "", "a record that goes on after its line", "a record a line")
            yield opening + records[:-1] + b"]"
        block, opening = following, b"["
