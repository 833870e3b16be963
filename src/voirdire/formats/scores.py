"""A model's scores of the options, from which it would rank them.

    [{image_id, round_id, scores[100]}]      scores[i] = score of option i; higher is better

The layout of rankings, with numbers that may tie. All of them are finite.
"""

import json
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Record
from voirdire.formats.rounds import RoundRow, base_text, label_round, resolve_rounds, round_keys
from voirdire.formats.strict import Problems

__all__ = ["FORMAT", "Scores", "parse_scores", "read_scores", "write_scores"]

NO_NUMBERS = (b"NaN", b"Infinity")

Row = Annotated[list[float], msgspec.Meta(min_length=100, max_length=100)]


class _Row(RoundRow, forbid_unknown_fields=True):
    scores: Row


@dataclass(frozen=True, eq=False)
class Scores(Record):
    """Scores of n rounds.

    image_ids  int64[n]
    rounds     int64[n], counted from 0
    scores     float64[n, 100], finite
    base       from where the file counts its rounds, 0 or 1
    """

    image_ids: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    base: int = 1
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.image_ids)


def read_scores(path: str | Path, base: int | None = None) -> Scores:
    """Read a model's scores; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, FORMAT, parse_scores, base)


def parse_scores(source: Source, base: int | None = None) -> Scores:
    """Scores from a file's bytes."""
    if any(word in source.data for word in NO_NUMBERS):
        _name_no_numbers(source)
    problems = Problems(source.name)
    rows, notes = decode_records(source, _Row, label_round, problems)
    images, rounds, base = resolve_rounds(rows, base, source, problems)
    scores = np.array([row.scores for row in rows], np.float64)
    return Scores(images, rounds, scores, base, source.fingerprint, notes)


def _name_no_numbers(source: Source) -> None:
    """Say which rounds hold NaN or infinity: some writers put the bare words, which JSON does not have."""
    try:
        records = json.loads(source.data) if source.data.lstrip()[:1] == b"[" else _lines(source.data)
    except (ValueError, RecursionError):
        return  # Broken otherwise; the strict reading says how.
    problems = Problems(source.name)
    for record in records:
        values = record.get("scores") if isinstance(record, dict) else None
        for place, value in enumerate(values if isinstance(values, list) else ()):
            if isinstance(value, float) and not isfinite(value):
                problems.add(label_round(record), f"scores[{place}]", str(value), "a finite number")
                break
    problems.check()


def _lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


def write_scores(scores: Scores, path: str | Path) -> None:
    """Write the layout, with the record's base."""
    columns = scores.image_ids.tolist(), (scores.rounds + scores.base).tolist(), scores.scores.tolist()
    write_records(({"image_id": i, "round_id": r, "scores": row} for i, r, row in zip(*columns, strict=True)), path)


def _matches(sample: Sample) -> bool:
    return sample.kind in ("list", "lines", "object") and {"image_id", "round_id", "scores"} <= sample.keys


FORMAT = Format(
    name="scores",
    title="VisDial scores of a model",
    exams=("answers",),
    matches=_matches,
    parse=parse_scores,
    describe=lambda scores: f"scores of 100 options in {len(scores):,} rounds, {base_text(scores.base)}",
    keys=lambda scores: round_keys(scores.image_ids, scores.rounds),
)
