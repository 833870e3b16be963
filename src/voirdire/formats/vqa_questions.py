"""VQA questions, as VQA v1, VQA v2 and OK-VQA publish them.

    {"questions": [{"question_id", "image_id", "question"}],
     "info", "license", "task_type", "data_type", "data_subtype"}

All but the questions may be absent; a question may also name its split. One that joins several, as `voirdire robustness
perturb` makes them, has these in `parts`, whole, also where the joined text is cut.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format
from voirdire.formats.documents import Id, Unset, decode_document, given, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_json
from voirdire.formats.record import Notes, Record
from voirdire.formats.strict import Problems


class VqaQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question."""

    question_id: Id
    image_id: Id
    question: str
    split: str | None = None
    parts: tuple[str, ...] = ()


class _Question(msgspec.Struct, forbid_unknown_fields=True):
    question_id: Id
    image_id: Id
    question: str
    split: str | Unset = msgspec.UNSET
    parts: tuple[str, ...] | Unset = msgspec.UNSET


class _File(msgspec.Struct, forbid_unknown_fields=True):
    questions: list[_Question]
    info: Any = msgspec.UNSET
    license: Any = msgspec.UNSET
    task_type: Any = msgspec.UNSET
    data_type: Any = msgspec.UNSET
    data_subtype: Any = msgspec.UNSET


@dataclass(frozen=True, eq=False)
class VqaQuestions(Record):
    """All questions of a file: ids int64[n], texts and splits in the same order, and the file's metadata.

    name   the file's, for messages about it
    parts  of each question those that it joins, whole; empty where it is one
    """

    question_ids: np.ndarray
    image_ids: np.ndarray
    questions: tuple[str, ...]
    splits: tuple[str | None, ...]
    meta: dict[str, Any] = field(default_factory=dict)
    name: str = field(default="", compare=False)
    parts: tuple[tuple[str, ...], ...] = ()
    per_row = ("question_ids", "image_ids", "questions", "splits", "parts")

    def __post_init__(self) -> None:
        if not self.parts:
            object.__setattr__(self, "parts", ((),) * len(self.questions))

    def __len__(self) -> int:
        return len(self.questions)

    @classmethod
    def from_rows(cls, rows: Iterable[VqaQuestion], meta: dict[str, Any] | None = None) -> "VqaQuestions":
        """Collect single questions; their ids must be distinct."""
        rows = list(rows)
        ids = id_array(row.question_id for row in rows)
        if len(np.unique(ids)) < len(ids):
            raise ValueError("rows: a question_id occurs more than once, all must be distinct")
        images = id_array(row.image_id for row in rows)
        texts, splits = tuple(row.question for row in rows), tuple(row.split for row in rows)
        return cls(ids, images, texts, splits, dict(meta or {}), parts=tuple(row.parts for row in rows))

    def rows(self) -> list[VqaQuestion]:
        """The questions one by one."""
        columns = (self.question_ids.tolist(), self.image_ids.tolist(), self.questions, self.splits, self.parts)
        return [VqaQuestion(*row) for row in zip(*columns, strict=True)]


def parse_vqa_questions(source: Source) -> VqaQuestions:
    """VQA questions from a file's bytes."""
    document, unread = decode_document(source, _File, {"questions": named(question="question_id")})
    rows = document.questions
    ids = id_array(row.question_id for row in rows)
    problems, notes = Problems(source.name), Notes()
    note_duplicates(problems, ids, "question", "question_id")
    problems.check()
    for row in rows:
        if not row.question.strip():
            notes.add("no text", f"question {row.question_id}")
    names = ("info", "license", "task_type", "data_type", "data_subtype")
    return VqaQuestions(
        ids,
        id_array(row.image_id for row in rows),
        tuple(row.question for row in rows),
        tuple(given(row.split) for row in rows),
        {name: value for name in names if (value := getattr(document, name)) is not msgspec.UNSET},
        source.name,
        tuple(given(row.parts) or () for row in rows),
        fingerprint=source.fingerprint,
        notes=unread + notes.collect(),
    )


def write_vqa_questions(record: VqaQuestions, path: str | Path) -> None:
    """Write the official layout."""
    write_json({**record.meta, "questions": record.rows()}, path)


FORMAT = Format(
    name="vqa_questions",
    title="VQA questions",
    matches=lambda sample: (
        sample.has("object", "questions") and not sample.keys & {"data", "annotations", "candidates"}
    ),
    parse=parse_vqa_questions,
    describe=lambda record: (
        f"{counted(len(record), 'question')} about {counted(len(np.unique(record.image_ids)), 'image')}"
    ),
    keys=lambda record: {"question": record.question_ids, "image": record.image_ids},
    write=write_vqa_questions,
)

read_vqa_questions = FORMAT.read
"""Read a file of VQA questions."""
