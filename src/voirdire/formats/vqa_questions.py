"""VQA questions, as VQA v1, VQA v2 and OK-VQA publish them.

    {"questions": [{"question_id", "image_id", "question"}],
     "info", "license", "task_type", "data_type", "data_subtype"}

All but the questions may be absent; a question may also name its split.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire.formats.catalogue import Format, Sample
from voirdire.formats.ids import Id, id_array, labelled, note_duplicates
from voirdire.formats.record import Notes, Record
from voirdire.formats.sink import write_json
from voirdire.formats.source import Source, open_source
from voirdire.formats.strict import Problems, decode

__all__ = [
    "FORMAT",
    "VqaQuestion",
    "VqaQuestions",
    "parse_vqa_questions",
    "read_vqa_questions",
    "write_vqa_questions",
]


class VqaQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question as the file has it."""

    question_id: Id
    image_id: Id
    question: str
    split: str | None = None


class _File(msgspec.Struct):
    questions: list[VqaQuestion]
    info: Any = None
    license: Any = None
    task_type: Any = None
    data_type: Any = None
    data_subtype: Any = None


@dataclass(frozen=True, eq=False)
class VqaQuestions(Record):
    """All questions of a file: ids int64[n], texts and splits in the same order, and what the file says of itself."""

    question_ids: np.ndarray
    image_ids: np.ndarray
    questions: tuple[str, ...]
    splits: tuple[str | None, ...]
    meta: dict[str, Any] = field(default_factory=dict)
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.questions)

    @classmethod
    def from_rows(
        cls, rows: Iterable[VqaQuestion], meta: dict[str, Any] | None = None, fingerprint: str = ""
    ) -> "VqaQuestions":
        """Collect single questions; their ids must be distinct."""
        rows = list(rows)
        ids = id_array(row.question_id for row in rows)
        if len(np.unique(ids)) < len(ids):
            raise ValueError("rows: a question_id occurs more than once, all must be distinct")
        return cls(
            ids,
            id_array(row.image_id for row in rows),
            tuple(row.question for row in rows),
            tuple(row.split for row in rows),
            dict(meta or {}),
            fingerprint,
        )

    def rows(self) -> list[VqaQuestion]:
        """The questions one by one."""
        columns = (self.question_ids.tolist(), self.image_ids.tolist(), self.questions, self.splits)
        return [VqaQuestion(*row) for row in zip(*columns, strict=True)]


def read_vqa_questions(path: str | Path) -> VqaQuestions:
    """Read a file of VQA questions."""
    return parse_vqa_questions(open_source(path))


def parse_vqa_questions(source: Source) -> VqaQuestions:
    """VQA questions from a file's bytes."""
    document = decode(source, _File, labelled("question", "question_id"), inside=("questions",))
    problems = Problems(source.name)
    note_duplicates(problems, id_array(row.question_id for row in document.questions), "question", "question_id")
    problems.check()
    names = ("info", "license", "task_type", "data_type", "data_subtype")
    meta = {name: value for name in names if (value := getattr(document, name)) is not None}
    return VqaQuestions.from_rows(document.questions, meta, source.fingerprint)


def write_vqa_questions(record: VqaQuestions, path: str | Path) -> None:
    """Write the official layout."""
    write_json({**record.meta, "questions": record.rows()}, path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "object" and "questions" in sample.keys and not sample.keys & {"data", "annotations"}


def _describe(record: VqaQuestions) -> str:
    return f"{len(record):,} questions about {len(np.unique(record.image_ids)):,} images"


def _notes(record: VqaQuestions) -> Sequence[str]:
    notes = Notes()
    for index, text in enumerate(record.questions):
        if not text.strip():
            notes.add(f"question {record.question_ids[index]} has no text")
    return notes.collect()


FORMAT = Format(
    name="vqa_questions",
    title="VQA questions",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_questions,
    describe=_describe,
    keys=lambda record: {"question": record.question_ids, "image": record.image_ids},
    notes=_notes,
)
