"""What a heavy map computes, and the fixed pieces it is cut into.

    key(shard) = SHA-256 of the JSON [task name, task version, parameters, shard]

Two shards have one key exactly when they have one result, so a key can stand for the result on disk.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

__all__ = ["Span", "Task", "shards"]

S = TypeVar("S")

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


class Span(NamedTuple):
    """The items `start` to `stop - 1` of a sequence."""

    start: int
    stop: int

    def __str__(self) -> str:
        return f"items {self.start:,} to {self.stop - 1:,}"


def shards(n: int, size: int) -> list[Span]:
    """`n` items in spans of `size`, the last one shorter. The size never follows from the number of workers."""
    if n < 0:
        raise ValueError(f"n: {n} came, at least 0 may come")
    if size < 1:
        raise ValueError(f"size: {size} came, at least 1 may come")
    return [Span(start, min(start + size, n)) for start in range(0, n, size)]


@dataclass(frozen=True)
class Task(Generic[S]):
    """A function from a shard to bytes, with everything that its result depends on.

    name        lower-case letters, digits and `._-`: "robustness.rank"
    version     raised by the author whenever the same shard would give other bytes
    parameters  plain values (what JSON can say; dataclasses and Structs too): options, and the *fingerprints* of the
                data that the shards point into. A path says nothing about a content and does not belong here.
    prepare     called once in each worker; loads what is heavy, imports what it needs, and returns the function.
                For worker processes it must be picklable: a function of a module, or a `functools.partial` of one.
    """

    name: str
    version: int
    prepare: Callable[[], Callable[[S], bytes]]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"name: {self.name!r} came, lower-case letters, digits and ._- may come")

    @property
    def identity(self) -> str:
        """The task without its function, as JSON that is the same for equal parameters in any order."""
        return _json([self.name, self.version, self.parameters])

    def key(self, shard: S) -> str:
        """The name of this shard's result: equal for equal content, on any machine."""
        return hashlib.sha256(_json([self.name, self.version, self.parameters, shard]).encode()).hexdigest()


def _json(value: object) -> str:
    try:
        return json.dumps(msgspec.to_builtins(value), sort_keys=True, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise ValueError(f"parameters or shard: a value that is not a finite number came ({error})") from None
