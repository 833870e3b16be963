"""A model's rankings, as the VisDial challenge takes them.

    [{image_id, round_id, ranks[100]}]      ranks[i] = rank of option i, counted from 1

The ranks of a round are a permutation of 1 to 100.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Record
from voirdire.formats.rounds import RoundRow, base_text, label_round, resolve_rounds, round_keys
from voirdire.formats.strict import Problems

__all__ = ["FORMAT", "Ranks", "parse_ranks", "read_ranks", "write_ranks"]

Row = Annotated[list[Annotated[int, msgspec.Meta(ge=1, le=100)]], msgspec.Meta(min_length=100, max_length=100)]


class _Row(RoundRow, forbid_unknown_fields=True):
    ranks: Row


@dataclass(frozen=True, eq=False)
class Ranks(Record):
    """Rankings of n rounds.

    image_ids  int64[n]
    rounds     int64[n], counted from 0
    ranks      int16[n, 100], each row a permutation of 1 to 100
    base       from where the file counts its rounds, 0 or 1
    """

    image_ids: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    ranks: npt.NDArray[np.int16]
    base: int = 1
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.image_ids)


def read_ranks(path: str | Path, base: int | None = None) -> Ranks:
    """Read a model's rankings; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, FORMAT, parse_ranks, base)


def parse_ranks(source: Source, base: int | None = None) -> Ranks:
    """Rankings from a file's bytes."""
    problems = Problems(source.name)
    rows, notes = decode_records(source, _Row, label_round, problems)
    ranks = np.array([row.ranks for row in rows], np.int16).reshape(-1, 100)
    for index in np.flatnonzero((np.sort(ranks, axis=1) != np.arange(1, 101)).any(axis=1)).tolist():
        row = rows[index]
        twice = sorted({rank for rank in row.ranks if row.ranks.count(rank) > 1})
        shown = ", ".join(map(str, twice[:5])) + (", …" if len(twice) > 5 else "")
        problems.add(row.where, "ranks", f"more than one option of rank {shown}", "a permutation of 1 to 100")
    images, rounds, base = resolve_rounds(rows, base, source, problems)
    return Ranks(images, rounds, ranks, base, source.fingerprint, notes)


def write_ranks(ranks: Ranks, path: str | Path) -> None:
    """Write the challenge's layout, with the record's base."""
    columns = ranks.image_ids.tolist(), (ranks.rounds + ranks.base).tolist(), ranks.ranks.tolist()
    write_records(({"image_id": i, "round_id": r, "ranks": row} for i, r, row in zip(*columns, strict=True)), path)


def _matches(sample: Sample) -> bool:
    return sample.kind in ("list", "lines", "object") and {"image_id", "round_id", "ranks"} <= sample.keys


FORMAT = Format(
    name="ranks",
    title="VisDial rankings of a model",
    exams=("answers",),
    matches=_matches,
    parse=parse_ranks,
    describe=lambda ranks: f"rankings of 100 options in {counted(len(ranks), 'round')}, {base_text(ranks.base)}",
    keys=lambda ranks: round_keys(ranks.image_ids, ranks.rounds),
)
