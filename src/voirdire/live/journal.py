"""The journal of requests and replies, line by line: a reply counts once its line is written.

    {"hash": …, "key": …, "request": …, "reply": …}
    {"hash": …, "fault": "429"}             what an endpoint did in place of a reply, and was asked again

`hash` is the SHA-256 of all bytes of the line behind it, and `key` that of the request as canonical JSON; pictures
stand in a request by their hash. A line that was edited, cut short, or written by something else is not a reply: it
counts as not there, is told with its number, and its request is asked again. A last line without an end, which a kill
leaves, is removed, too. In memory is only where each line begins, so that a journal of a million replies costs little.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from voirdire.atomic import check_output, lock_folder, unwritten
from voirdire.bounded import LARGEST, Undecodable, decode
from voirdire.errors import EXAMPLES
from voirdire.figures import counted
from voirdire.live.model import Reply

_encode = msgspec.json.Encoder(order="deterministic").encode
_HEAD = b'{"hash":"%s",'
_WIDTH = len(_HEAD % bytes(64))


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A line as it may be: a request with its reply, or a fault."""

    hash: str
    key: str = ""
    request: Any = None
    reply: Reply | None = None
    fault: str | None = None


def key_of(request: Any) -> str:
    """The name of a request: the same content has the same name."""
    return hashlib.sha256(_encode(request)).hexdigest()


def _sealed(record: dict[str, Any]) -> bytes:
    """A record as its line."""
    rest = _encode(record)[1:]
    return _HEAD % hashlib.sha256(rest).hexdigest().encode() + rest + b"\n"


def _read_line(line: bytes) -> _Line:
    """What a line holds; Undecodable where it is not as it was written."""
    if len(line) > LARGEST:
        raise Undecodable(f"longer than {LARGEST:,} bytes")
    rest = line[_WIDTH:].removesuffix(b"\n")
    if line[:_WIDTH] != _HEAD % hashlib.sha256(rest).hexdigest().encode():
        raise Undecodable("edited or cut: it does not go with its hash")
    record = decode(line, _Line)
    if record.fault is None and record.reply is None:
        raise Undecodable("neither a reply nor a fault")
    if record.fault is None and record.key != key_of(record.request):
        raise Undecodable("its key is not that of its request")
    return record


class Journal:
    """The journal of one model's replies in one folder; one process at a time writes to it.

    faults  what an endpoint did in place of replies, by kind
    unfit   the numbers of the lines that are no records, and why
    """

    def __init__(self, path: Path) -> None:
        check_output(path)
        self.path = path
        self._places: dict[str, tuple[int, int]] = {}
        self.faults: Counter[str] = Counter()
        self.unfit: dict[int, str] = {}
        try:
            self._lock = lock_folder(path.parent, f"{path.name}.lock")
            self._file = path.open("a+b")
            self._index()
        except OSError as error:
            raise unwritten(path, error) from None

    def _index(self) -> None:
        for number, at, line in self._lines():
            if not line.endswith(b"\n") and len(line) <= LARGEST:
                self.unfit[number] = "breaks off, as a kill leaves it"
                self._file.truncate(at)
                break
            try:
                record = _read_line(line)
                if record.key in self._places:
                    raise Undecodable("a second reply to a request")
            except Undecodable as error:
                self.unfit[number] = error.kind
                continue
            if record.fault is not None:
                self.faults[record.fault] += 1
            else:
                self._places[record.key] = (at, len(line))

    def _lines(self) -> Iterator[tuple[int, int, bytes]]:
        """Each line with its number and where it begins; of one that is too long the beginning alone."""
        at, number = self._file.seek(0), 0
        while line := self._file.readline(LARGEST + 1):
            number += 1
            yield number, at, line
            while len(line) > LARGEST and not line.endswith(b"\n"):
                line = self._file.readline(LARGEST + 1)
            at = self._file.tell()

    def warning(self) -> str:
        """A sentence about the lines that are no records; empty where there are none."""
        if not self.unfit:
            return ""
        lines = [f"line {number} ({why})" for number, why in list(self.unfit.items())[:EXAMPLES]]
        more = ", …" if len(self.unfit) > EXAMPLES else ""
        return (
            f"{self.path}: {counted(len(self.unfit), 'line is', 'lines are')} not as written, and not scored: "
            f"{', '.join(lines)}{more}; what is missing is asked again"
        )

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: str) -> Reply | None:
        """The reply to a request, None where there is none yet."""
        if (place := self._places.get(key)) is None:
            return None
        try:
            return _read_line(os.pread(self._file.fileno(), place[1], place[0])).reply
        except Undecodable:
            del self._places[key]  # It was changed since the journal was opened.
            return None

    def add(self, key: str, request: Any, reply: Reply) -> None:
        """Keep a reply; when this returns it will be there also after a kill."""
        self._places[key] = self._append({"key": key, "request": request, "reply": reply})

    def note(self, fault: str) -> None:
        """Count a fault, also for those who open the journal later."""
        self.faults[fault] += 1
        self._append({"fault": fault})

    def _append(self, record: dict[str, Any]) -> tuple[int, int]:
        """Write a line; where it begins, and how long it is."""
        line = _sealed(record)
        at = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise unwritten(self.path, error) from None
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
