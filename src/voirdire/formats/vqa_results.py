"""A model's answers to VQA questions as the challenge takes them: `{"question_id", "answer"}`, a list or JSON lines."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import Id, decode_records, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Notes, Record
from voirdire.formats.strict import Problems

__all__ = ["FORMAT", "VqaResult", "VqaResults", "parse_vqa_results", "read_vqa_results", "write_vqa_results"]


class VqaResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer."""

    question_id: Id
    answer: str


@dataclass(frozen=True, eq=False)
class VqaResults(Record):
    """A model's answers: ids int64[n], texts in the same order; `name` is the file's, for messages about it."""

    question_ids: np.ndarray
    answers: tuple[str, ...]
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    name: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.answers)

    @classmethod
    def from_rows(cls, rows: Iterable[VqaResult]) -> "VqaResults":
        """Collect single answers; their ids must be distinct."""
        rows = list(rows)
        ids = id_array(row.question_id for row in rows)
        if len(np.unique(ids)) < len(ids):
            raise ValueError("rows: a question_id occurs more than once, all must be distinct")
        return cls(ids, tuple(row.answer for row in rows))

    def rows(self) -> list[VqaResult]:
        """The answers one by one."""
        return [VqaResult(*row) for row in zip(self.question_ids.tolist(), self.answers, strict=True)]


def read_vqa_results(path: str | Path) -> VqaResults:
    """Read a model's answers to VQA questions."""
    return read_file(path, FORMAT, parse_vqa_results)


def parse_vqa_results(source: Source) -> VqaResults:
    """A model's answers from a file's bytes."""
    problems, notes = Problems(source.name), Notes()
    rows, unread = decode_records(source, VqaResult, named("question", "question_id"), problems)
    ids = id_array(row.question_id for row in rows)
    note_duplicates(problems, ids, "question", "question_id")
    problems.check()
    for row in rows:
        if not row.answer.strip():
            notes.add(f"question {row.question_id} has an empty answer")
    answers = tuple(row.answer for row in rows)
    return VqaResults(ids, answers, source.fingerprint, unread + notes.collect(), source.name)


def write_vqa_results(record: VqaResults, path: str | Path) -> None:
    """Write the challenge's layout, or JSON lines where the name asks for them."""
    write_records(record.rows(), path)


def _matches(sample: Sample) -> bool:
    if sample.kind not in ("list", "lines", "object"):
        return False
    return {"question_id", "answer"} <= sample.keys and "bbox" not in sample.keys


FORMAT = Format(
    name="vqa_results",
    title="VQA answers of a model",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_results,
    describe=lambda record: f"answers to {counted(len(record), 'question')}",
    keys=lambda record: {"question": record.question_ids},
    notes=lambda record: record.notes,
)
