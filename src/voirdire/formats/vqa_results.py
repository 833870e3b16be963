"""A model's answers to VQA questions as the challenge takes them: `{"question_id", "answer"}`, a list or JSON lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from voirdire.formats.catalogue import Format, Sample
from voirdire.formats.ids import Id, id_array, labelled, note_duplicates
from voirdire.formats.record import Notes, Record
from voirdire.formats.sink import write_records
from voirdire.formats.source import Source, open_source
from voirdire.formats.strict import Problems, decode_lines, decode_list

__all__ = ["FORMAT", "VqaResult", "VqaResults", "parse_vqa_results", "read_vqa_results", "write_vqa_results"]


class VqaResult(msgspec.Struct, frozen=True):
    """One answer as the file has it."""

    question_id: Id
    answer: str


@dataclass(frozen=True, eq=False)
class VqaResults(Record):
    """A model's answers: ids int64[n], texts in the same order."""

    question_ids: np.ndarray
    answers: tuple[str, ...]
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.answers)

    @classmethod
    def from_rows(cls, rows: Iterable[VqaResult], fingerprint: str = "") -> "VqaResults":
        """Collect single answers; their ids must be distinct."""
        rows = list(rows)
        ids = id_array(row.question_id for row in rows)
        if len(np.unique(ids)) < len(ids):
            raise ValueError("rows: a question_id occurs more than once, all must be distinct")
        return cls(ids, tuple(row.answer for row in rows), fingerprint)

    def rows(self) -> list[VqaResult]:
        """The answers one by one."""
        return [VqaResult(*row) for row in zip(self.question_ids.tolist(), self.answers, strict=True)]


def read_vqa_results(path: str | Path) -> VqaResults:
    """Read a model's answers to VQA questions."""
    return parse_vqa_results(open_source(path))


def parse_vqa_results(source: Source) -> VqaResults:
    """A model's answers from a file's bytes."""
    if source.data.lstrip().startswith(b"{"):
        rows = decode_lines(source, VqaResult)
    else:
        rows = decode_list(source, VqaResult, labelled("question", "question_id"))
    problems = Problems(source.name)
    note_duplicates(problems, id_array(row.question_id for row in rows), "question", "question_id")
    problems.check()
    return VqaResults.from_rows(rows, source.fingerprint)


def write_vqa_results(record: VqaResults, path: str | Path) -> None:
    """Write the challenge's layout, or JSON lines where the name asks for them."""
    write_records(record.rows(), path)


def _matches(sample: Sample) -> bool:
    if sample.kind not in ("list", "lines", "object"):
        return False
    return {"question_id", "answer"} <= sample.keys and "bbox" not in sample.keys


def _notes(record: VqaResults) -> Sequence[str]:
    notes = Notes()
    for index, text in enumerate(record.answers):
        if not text.strip():
            notes.add(f"question {record.question_ids[index]} has an empty answer")
    return notes.collect()


FORMAT = Format(
    name="vqa_results",
    title="VQA answers of a model",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_results,
    describe=lambda record: f"answers to {len(record):,} questions",
    keys=lambda record: {"question": record.question_ids},
    notes=_notes,
)
