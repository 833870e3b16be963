"""Read what comes from elsewhere, a server, a journal, a database, within bounds, and with one class of error.

    size      bytes, after inflating: 8 MB; more is never held
    values    separators and brackets, which bound how many values there are: 500,000
    depth     lists and objects inside each other: 64
    text      UTF-8
    schema    the type that is asked for

Whoever reads decides what an `Undecodable` means: asked again, counted, or an error for the user.
"""

import zlib
from collections.abc import Iterable
from typing import Any, TypeVar, overload

import msgspec

from voirdire.errors import VoirDireError

T = TypeVar("T")
LARGEST, MOST_VALUES, DEEPEST = 8 * 2**20, 500_000, 64
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""Content encodings that are inflated, with zlib's number for each."""
ENCODINGS = "gzip, deflate"
_NESTING = (dict, list, tuple, msgspec.Struct)


class Undecodable(VoirDireError):
    """What came cannot be read; `kind` says why in a few words, `place` where, as far as that is known."""

    def __init__(self, kind: str, place: str = "") -> None:
        self.kind, self.place = kind, place
        super().__init__(f"{place}: {kind}" if place else kind)


@overload
def decode(data: bytes | str, *, place: str = "", most: int = LARGEST) -> Any: ...


@overload
def decode(data: bytes | str, type: type[T], *, place: str = "", most: int = LARGEST) -> T: ...


def decode(data: bytes | str, type: Any = Any, *, place: str = "", most: int = LARGEST) -> Any:
    """The JSON value, of a type that msgspec knows; Undecodable where it is none, or beyond a bound.

    place  how the error names where the data are from: "line 17"
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if len(data) > most:
        raise Undecodable(f"more than {most:,} bytes", place)
    opened = data.count(b"[") + data.count(b"{")
    if opened + data.count(b",") > MOST_VALUES:
        raise Undecodable(f"more than {MOST_VALUES:,} values", place)
    try:
        value = msgspec.json.decode(data, type=type)
    except RecursionError:
        raise Undecodable(f"JSON that is nested deeper than {DEEPEST} levels", place) from None
    except UnicodeDecodeError:
        raise Undecodable("no UTF-8", place) from None
    except msgspec.ValidationError as error:
        raise Undecodable(f"JSON of another shape ({error})", place) from None
    except (msgspec.MsgspecError, ValueError, OverflowError) as error:
        raise Undecodable(f"no JSON ({error})", place) from None
    if opened > DEEPEST and _is_deeper(value, DEEPEST):
        raise Undecodable(f"JSON that is nested deeper than {DEEPEST} levels", place)
    return value


def _is_deeper(value: Any, most: int) -> bool:
    """Whether lists, objects and what was made of objects stand inside each other at more levels."""
    level = [value]
    for _ in range(most):
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, _NESTING)]
    return bool(level)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.astuple(value)
    return value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()


class Body:
    """The bytes of a message that arrive in pieces, inflated as they come, and never more than `most` of them.

    encoding  as the header Content-Encoding has it
    cut       whether what is beyond the bound is dropped, in place of an error
    """

    def __init__(self, encoding: str = "", most: int = LARGEST, cut: bool = False) -> None:
        self.encoding = encoding.strip().lower()
        if self.encoding not in ("", "identity", *_WINDOWS):
            raise Undecodable(f"the content encoding {self.encoding[:40]!r}, where {ENCODINGS} may be")
        self.most, self.cut = most, cut
        self.full = False
        self._data = bytearray()
        self._inflate: Any = None

    def add(self, piece: bytes) -> None:
        """Take the next piece; Undecodable where that makes too many bytes."""
        if not piece or self.full:
            return
        room = self.most + 1 - len(self._data)
        try:
            self._data += piece[:room] if self.encoding in ("", "identity") else self._inflated(piece, room)
        except zlib.error:
            raise Undecodable(f"no {self.encoding}, as its header says") from None
        if len(self._data) > self.most:
            self.full = True
            del self._data[self.most :]
            if not self.cut:
                raise Undecodable(f"more than {self.most:,} bytes")

    def _inflated(self, piece: bytes, room: int) -> bytes:
        if self._inflate is None:
            # Some servers send deflate without the head that zlib gives it.
            bare = self.encoding == "deflate" and piece[0] & 15 != 8
            self._inflate = zlib.decompressobj(-15 if bare else _WINDOWS[self.encoding])
        inflated: bytes = self._inflate.decompress(piece, room)
        return inflated

    @property
    def data(self) -> bytes:
        """What came."""
        return bytes(self._data)
