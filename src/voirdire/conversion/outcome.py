"""What a conversion did, for people and for programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Conversion:
    """What a conversion did.

    layout     what the file was taken for, in words
    read       how many records it has
    written    how many of them went into what was written
    records    how many records were written, of how many questions or rounds
    paths      role to the path that it came from
    ids        how many ids came from where: "as they are", "by image and question", …
    left_out   reason to how many, and the places of the first
    examples   the first records: place, and what was written of it
    notes      what a reader should know
    holds      what was written, as `validate` says it
    """

    source: str
    output: str
    to: str
    layout: str
    read: int
    written: int
    records: int
    paths: Mapping[str, str]
    ids: Mapping[str, int]
    left_out: Mapping[str, tuple[int, tuple[str, ...]]]
    examples: tuple[tuple[str, Mapping[str, Any]], ...]
    notes: tuple[str, ...]
    holds: str

    def to_dict(self) -> dict[str, Any]:
        """For programs: plain values only."""
        out = {reason: {"count": count, "first": list(first)} for reason, (count, first) in self.left_out.items()}
        made = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return made | {
            "left_out": out,
            "paths": dict(self.paths),
            "ids": dict(self.ids),
            "examples": [{"from": place, "written": dict(what)} for place, what in self.examples],
            "notes": list(self.notes),
        }
