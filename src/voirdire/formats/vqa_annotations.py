"""VQA annotations: ten people's answers to each question, as VQA v1, VQA v2 and OK-VQA publish them.

    {"annotations": [{"question_id", "image_id", "question_type", "answer_type", "multiple_choice_answer",
                      "answers": [{"answer", "answer_confidence", "answer_id"} × 10]}], "info", …}

OK-VQA has no `multiple_choice_answer`, and the answers before their processing as `raw_answer`, which is not read.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format
from voirdire.formats.documents import Id, Unset, decode_document, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_json
from voirdire.formats.record import Notes, Record
from voirdire.formats.strict import Problems

ANSWERS = 10
CONFIDENCES = ("yes", "maybe", "no")
NOT_GIVEN = -1

AnswerType = Literal["yes/no", "number", "other"]
Confidence = Literal["yes", "maybe", "no"]


class VqaAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's answer, how sure they were, and its number from 1."""

    answer: str
    answer_confidence: Confidence | None = None
    answer_id: int | None = None


class VqaAnnotation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question's annotation."""

    question_id: Id
    image_id: Id
    question_type: str
    answer_type: AnswerType
    answers: tuple[VqaAnswer, ...]
    multiple_choice_answer: str | None = None
    split: str | None = None


class _Answer(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    answer: str
    answer_confidence: Confidence | Unset = msgspec.UNSET
    answer_id: int | Unset = msgspec.UNSET
    raw_answer: str | Unset = msgspec.UNSET


class _Annotation(msgspec.Struct, forbid_unknown_fields=True):
    question_id: Id
    image_id: Id
    question_type: str
    answer_type: AnswerType
    answers: list[_Answer]
    multiple_choice_answer: str | Unset = msgspec.UNSET
    split: str | Unset = msgspec.UNSET


class _File(msgspec.Struct, forbid_unknown_fields=True):
    annotations: list[_Annotation]
    info: Any = msgspec.UNSET
    license: Any = msgspec.UNSET
    data_type: Any = msgspec.UNSET
    data_subtype: Any = msgspec.UNSET


@dataclass(frozen=True, eq=False)
class VqaAnnotations(Record):
    """All annotations of a file, in its order.

    question_ids, image_ids  int64[n]
    majority     `multiple_choice_answer`, None where not given
    answers      int32[n, 10], places in `pool`, the distinct answers
    confidences  int8[n, 10], places in CONFIDENCES, -1 where not given
    name         the file's, for messages about it
    """

    question_ids: np.ndarray
    image_ids: np.ndarray
    question_types: tuple[str, ...]
    answer_types: tuple[str, ...]
    majority: tuple[str | None, ...]
    splits: tuple[str | None, ...]
    answers: np.ndarray
    confidences: np.ndarray
    pool: tuple[str, ...]
    meta: dict[str, Any] = field(default_factory=dict)
    name: str = field(default="", compare=False)
    per_row = (
        *("question_ids", "image_ids", "question_types", "answer_types"),
        *("majority", "splits", "answers", "confidences"),
    )

    def __len__(self) -> int:
        return len(self.question_ids)

    def answers_of(self, index: int) -> tuple[str, ...]:
        """The ten answers to the question at this place."""
        return tuple(self.pool[place] for place in self.answers[index].tolist())

    @classmethod
    def from_rows(cls, rows: Iterable[VqaAnnotation], meta: dict[str, Any] | None = None) -> "VqaAnnotations":
        """Collect single annotations; their ids must be distinct, and each must have ten answers."""
        rows = list(rows)
        if len({row.question_id for row in rows}) < len(rows):
            raise ValueError("rows: a question_id occurs more than once, all must be distinct")
        for row in rows:
            if len(row.answers) != ANSWERS:
                raise ValueError(f"rows: question {row.question_id} has {len(row.answers)} answers, not {ANSWERS}")
        return cls(**_columns(rows), meta=dict(meta or {}))

    def rows(self) -> list[VqaAnnotation]:
        """The annotations one by one; answers are numbered from 1."""
        names = (*CONFIDENCES, None)
        answers: Any = [
            tuple(
                VqaAnswer(self.pool[place], names[code], number)  # type: ignore[arg-type]
                for number, (place, code) in enumerate(zip(places, codes, strict=True), start=1)
            )
            for places, codes in zip(self.answers.tolist(), self.confidences.tolist(), strict=True)
        ]
        ids = (self.question_ids.tolist(), self.image_ids.tolist())
        columns = (*ids, self.question_types, self.answer_types, answers, self.majority, self.splits)
        return [VqaAnnotation(*row) for row in zip(*columns, strict=True)]


def _columns(rows: list[Any]) -> dict[str, Any]:
    """The arrays and texts of a record, from its rows."""
    absent = (msgspec.UNSET, None)
    codes: dict[Any, int] = {name: code for code, name in enumerate(CONFIDENCES)}
    pool: dict[str, int] = {}
    flat = (pool.setdefault(answer.answer, len(pool)) for row in rows for answer in row.answers)
    places = np.fromiter(flat, dtype=np.int32).reshape(-1, ANSWERS)
    confidences = (codes.get(answer.answer_confidence, NOT_GIVEN) for row in rows for answer in row.answers)
    return {
        "question_ids": id_array(row.question_id for row in rows),
        "image_ids": id_array(row.image_id for row in rows),
        "question_types": tuple(row.question_type for row in rows),
        "answer_types": tuple(row.answer_type for row in rows),
        "majority": tuple(None if row.multiple_choice_answer in absent else row.multiple_choice_answer for row in rows),
        "splits": tuple(None if row.split in absent else row.split for row in rows),
        "answers": places,
        "confidences": np.fromiter(confidences, dtype=np.int8).reshape(-1, ANSWERS),
        "pool": tuple(pool),
    }


def parse_vqa_annotations(source: Source) -> VqaAnnotations:
    """VQA annotations from a file's bytes."""
    document, unread = decode_document(source, _File, {"annotations": named(question="question_id")})
    rows = document.annotations
    problems, notes = Problems(source.name), Notes()
    note_duplicates(problems, id_array(row.question_id for row in rows), "question", "question_id")
    for row in rows:
        if len(row.answers) != ANSWERS:
            problems.add(f"question {row.question_id}", "answers", counted(len(row.answers), "answer"), f"{ANSWERS}")
        if any(answer.answer_id != number for number, answer in enumerate(row.answers, start=1)):
            notes.add(f"the answers are not numbered 1 to {ANSWERS} by answer_id", f"question {row.question_id}")
        if not all(answer.answer.strip() for answer in row.answers):
            notes.add("an answer without text", f"question {row.question_id}")
    problems.check()
    names = ("info", "license", "data_type", "data_subtype")
    meta = {name: value for name in names if (value := getattr(document, name)) is not msgspec.UNSET}
    about: dict[str, Any] = {"notes": unread + notes.collect(), "name": source.name}
    return VqaAnnotations(**_columns(rows), meta=meta, fingerprint=source.fingerprint, **about)


def write_vqa_annotations(record: VqaAnnotations, path: str | Path) -> None:
    """Write the official layout."""
    write_json({**record.meta, "annotations": record.rows()}, path)


def _describe(record: VqaAnnotations) -> str:
    kinds = Counter(record.answer_types)
    parts = ", ".join(f"{kinds[name]:,} {name}" for name in ("yes/no", "number", "other") if kinds[name])
    return f"{counted(len(record), 'question')} with {ANSWERS} answers each" + (f" ({parts})" if parts else "")


FORMAT = Format(
    name="vqa_annotations",
    title="VQA annotations",
    matches=lambda sample: sample.has("object", "annotations") and not sample.keys & {"images", "categories"},
    parse=parse_vqa_annotations,
    describe=_describe,
    keys=lambda record: {"question": record.question_ids, "image": record.image_ids},
    write=write_vqa_annotations,
)

read_vqa_annotations = FORMAT.read
"""Read a file of VQA annotations."""
