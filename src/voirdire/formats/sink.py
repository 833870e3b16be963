"""Where a writer's bytes go: a path, gzipped where its name ends in `.gz`, or standard output as `-`."""

import gzip
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from voirdire.atomic import atomic_path

__all__ = ["write_bytes", "write_chunks", "write_json", "write_lines", "write_records"]


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write `data` whole or not at all."""
    write_chunks([data], path)


def write_chunks(chunks: Iterable[bytes], path: str | Path) -> None:
    """Write the chunks one after the other, so that a large file is never whole in memory.

    A gzip carries neither name nor time, so that the same data are the same bytes.
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
    """Write JSON lines, one record a line."""
    write_chunks((msgspec.json.encode(record) + b"\n" for record in records), path)


def _list(records: Iterable[Any]) -> Iterable[bytes]:
    yield b"["
    for index, record in enumerate(records):
        yield (b",\n" if index else b"") + msgspec.json.encode(record)
    yield b"]\n"
