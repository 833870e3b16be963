"""Dense annotations: how relevant each of the 100 options of a round is, between 0 and 1.

    [{image_id, round_id, gt_relevance[100]}]

Some releases of the train split call the list `relevance`; a file uses one of the two names throughout.
"""

from collections.abc import Sequence
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

__all__ = ["FORMAT", "Dense", "parse_dense", "read_dense", "write_dense"]

SPELLINGS = ("gt_relevance", "relevance")

Relevance = Annotated[list[Annotated[float, msgspec.Meta(ge=0, le=1)]], msgspec.Meta(min_length=100, max_length=100)]


class _Row(RoundRow, forbid_unknown_fields=True):
    gt_relevance: Relevance | msgspec.UnsetType = msgspec.UNSET
    relevance: Relevance | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True, eq=False)
class Dense(Record):
    """Relevances of n rounds.

    image_ids  int64[n]
    rounds     int64[n], counted from 0
    relevance  float64[n, 100]
    base       from where the file counts its rounds, 0 or 1
    spelling   what the file calls the list
    """

    image_ids: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    relevance: npt.NDArray[np.float64]
    base: int = 1
    spelling: str = "gt_relevance"
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.image_ids)


def read_dense(path: str | Path, base: int | None = None) -> Dense:
    """Read dense annotations; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, FORMAT, parse_dense, base)


def parse_dense(source: Source, base: int | None = None) -> Dense:
    """Dense annotations from a file's bytes."""
    problems = Problems(source.name)
    rows, notes = decode_records(source, _Row, label_round, problems)
    spelling = next((name for name in map(_spelling, rows) if name in SPELLINGS), SPELLINGS[0])
    for row in rows:
        if (found := _spelling(row)) != spelling:
            problems.add(row.where, "", found, f"{spelling} alone, as in the rest of the file")
    images, rounds, base = resolve_rounds(rows, base, source, problems)
    relevance = np.array([getattr(row, spelling) for row in rows], np.float64)
    return Dense(images, rounds, relevance, base, spelling, source.fingerprint, notes)


def _spelling(row: _Row) -> str:
    given = [name for name in SPELLINGS if getattr(row, name) is not msgspec.UNSET]
    return " and ".join(given) or "no relevances"


def write_dense(dense: Dense, path: str | Path) -> None:
    """Write the official layout, with the record's base and spelling."""
    columns = dense.image_ids.tolist(), (dense.rounds + dense.base).tolist(), dense.relevance.tolist()
    write_records(
        ({"image_id": i, "round_id": r, dense.spelling: values} for i, r, values in zip(*columns, strict=True)), path
    )


def _matches(sample: Sample) -> bool:
    keys = sample.keys
    return sample.kind in ("list", "lines", "object") and {"image_id", "round_id"} <= keys and bool(keys & {*SPELLINGS})


def _describe(dense: Dense) -> str:
    return f"relevance of 100 options in {counted(len(dense), 'round')}, {base_text(dense.base)}"


def _notes(dense: Dense) -> Sequence[str]:
    return dense.notes


FORMAT = Format(
    name="dense",
    title="dense annotations of VisDial",
    exams=("answers",),
    matches=_matches,
    parse=parse_dense,
    describe=_describe,
    keys=lambda dense: round_keys(dense.image_ids, dense.rounds),
    notes=_notes,
)
