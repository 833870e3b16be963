"""Signatures: every number has one, and two numbers can be compared where their signatures agree."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

SHORT = 12
_HASH = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Signature:
    """What a figure depends on besides the model under test.

    version     of Voir Dire
    data        the files that the model was examined on (never its own outputs): role to SHA-256
    references  which reference answers
    tokeniser   how text was split into tokens
    encoder     how text was turned into vectors
    seed        of everything random
    options     the exam's options that change figures
    """

    version: str
    data: Mapping[str, str] = field(default_factory=dict)
    references: str | None = None
    tokeniser: str | None = None
    encoder: str | None = None
    seed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def flat(self) -> dict[str, Any]:
        """All parts that have a value, by name: `encoder`, `data.dense`, `options.top`, `options.noise.ranker`."""
        parts: dict[str, Any] = {}
        for part in fields(self):
            parts |= _flat(part.name, getattr(self, part.name))
        return parts

    def __str__(self) -> str:
        """The short form, for the foot of a table: `version:0.1.0|data.dense:53aa51172d14|encoder:minilm|seed:0`."""
        return "|".join(f"{name}:{_short(name, value)}" for name, value in self.flat().items())


@dataclass(frozen=True, slots=True)
class Difference:
    """One part in which two signatures differ; None where one of them does not have it."""

    part: str
    first: Any
    second: Any

    def __str__(self) -> str:
        first, second = ("nothing" if v is None else _short(self.part, v) for v in (self.first, self.second))
        return f"{self.part}: {first} against {second}"


def differences(first: Signature, second: Signature) -> list[Difference]:
    """All parts in which two signatures differ, in the order of the parts."""
    ours, theirs = first.flat(), second.flat()
    return [
        Difference(part, ours.get(part), theirs.get(part))
        for part in dict.fromkeys([*ours, *theirs])
        if ours.get(part) != theirs.get(part)
    ]


def _flat(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {inner: part for key in sorted(value) for inner, part in _flat(f"{name}.{key}", value[key]).items()}
    return {} if value is None else {name: value}


def _short(name: str, value: Any) -> str:
    text = str(value)
    return text[:SHORT] if name.startswith("data.") or _HASH.fullmatch(text) else text
