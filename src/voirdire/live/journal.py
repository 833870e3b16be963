"""The journal of requests and replies, line by line: a reply counts once its line is written.

    {"key": …, "request": …, "reply": …}
    {"fault": "429"}                        what an endpoint did in place of a reply, and was asked again

`key` is the SHA-256 of the request as canonical JSON and of the number of the sample; pictures stand in a request by
their hash. A line that a kill cut short is dropped when the journal is opened again. In memory is only where each line
begins, so that a journal of a million replies costs little.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from voirdire.atomic import check_output, lock_folder
from voirdire.errors import InputError, OutputError, Problem

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder().decode


def key_of(request: Any, sample: int = 0) -> str:
    """The name of a request and of one of its samples: the same content has the same name."""
    return hashlib.sha256(_encode([request, sample])).hexdigest()


class Journal:
    """The journal of one model's replies in one folder; one process at a time writes to it."""

    def __init__(self, path: Path) -> None:
        check_output(path)
        self.path = path
        self._places: dict[str, tuple[int, int]] = {}
        self.faults: Counter[str] = Counter()
        try:
            self._lock = lock_folder(path.parent, f"{path.name}.lock")
            self._file = path.open("a+b")
            self._index()
        except OSError as error:
            raise OutputError(str(path), str(error.strerror)) from None

    def _index(self) -> None:
        self._file.seek(0)
        at = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                record = _decode(line)
                if set(record) == {"fault"}:
                    self.faults[str(record["fault"])] += 1
                    at += len(line)
                    continue
                key = record["key"]
            except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError):
                wrong = f"line {number} that is no record"
                hint = "It was edited or damaged. Remove that line, or the file to ask anew."
                raise InputError(str(self.path), [Problem("", "", wrong, "a journal of replies", hint)]) from None
            self._places[key] = (at, len(line))
            at += len(line)
        self._file.truncate(at)
        self._file.seek(at)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._read(*place) for place in list(self._places.values()))

    def get(self, key: str) -> Any | None:
        """The reply to a request, None where there is none yet."""
        place = self._places.get(key)
        return None if place is None else self._read(*place)["reply"]

    def _read(self, at: int, size: int) -> dict[str, Any]:
        read: dict[str, Any] = _decode(os.pread(self._file.fileno(), size, at))
        return read

    def add(self, key: str, request: Any, reply: Any) -> None:
        """Keep a reply; when this returns it will be there also after a kill."""
        self._places[key] = self._append({"key": key, "request": request, "reply": reply})

    def note(self, fault: str) -> None:
        """Count a fault, also for those who open the journal later."""
        self.faults[fault] += 1
        self._append({"fault": fault})

    def _append(self, record: dict[str, Any]) -> tuple[int, int]:
        """Write a line; where it begins, and how long it is."""
        line = _encode(record) + b"\n"
        at = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise OutputError(str(self.path), str(error.strerror)) from None
        return at, len(line)

    def close(self) -> None:
        """Put everything on the disk and let go of the file."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
            self._lock.release()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
