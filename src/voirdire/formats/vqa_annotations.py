"""VQA annotations: ten people's answers to each question, as VQA v1, VQA v2 and OK-VQA publish them.

    {"annotations": [{"question_id", "image_id", "question_type", "answer_type", "multiple_choice_answer",
                      "answers": [{"answer", "answer_confidence", "answer_id"} × 10]}], "info", …}

OK-VQA has no `multiple_choice_answer`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from voirdire.formats.catalogue import Format, Sample
from voirdire.formats.ids import Id, id_array, labelled, note_duplicates
from voirdire.formats.record import Notes, Record
from voirdire.formats.sink import write_json
from voirdire.formats.source import Source, open_source
from voirdire.formats.strict import Problems, decode

__all__ = [
    "ANSWERS",
    "FORMAT",
    "VqaAnnotation",
    "VqaAnnotations",
    "VqaAnswer",
    "parse_vqa_annotations",
    "read_vqa_annotations",
    "write_vqa_annotations",
]

ANSWERS = 10
CONFIDENCES = ("yes", "maybe", "no")
CODES: dict[str | None, int] = {"yes": 0, "maybe": 1, "no": 2, None: -1}

AnswerType = Literal["yes/no", "number", "other"]


class VqaAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person's answer, and how sure they were."""

    answer: str
    answer_confidence: Literal["yes", "maybe", "no"] | None = None
    answer_id: int | None = None


class VqaAnnotation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question's annotation as the file has it."""

    question_id: Id
    image_id: Id
    question_type: str
    answer_type: AnswerType
    answers: tuple[VqaAnswer, ...]
    multiple_choice_answer: str | None = None
    split: str | None = None


class _File(msgspec.Struct):
    annotations: list[VqaAnnotation]
    info: Any = None
    license: Any = None
    data_type: Any = None
    data_subtype: Any = None


@dataclass(frozen=True, eq=False)
class VqaAnnotations(Record):
    """All annotations of a file, in its order.

    question_ids, image_ids  int64[n]
    answers      int32[n, 10], places in `pool`, the distinct answers
    confidences  int8[n, 10], places in ("yes", "maybe", "no"), -1 where not said
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
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.question_ids)

    def answers_of(self, index: int) -> tuple[str, ...]:
        """The ten answers to the question at this place."""
        return tuple(self.pool[place] for place in self.answers[index].tolist())

    @classmethod
    def from_rows(
        cls, rows: Iterable[VqaAnnotation], meta: dict[str, Any] | None = None, fingerprint: str = ""
    ) -> "VqaAnnotations":
        """Collect single annotations; their ids must be distinct, and each must have ten answers."""
        rows = list(rows)
        ids = id_array(row.question_id for row in rows)
        if len(np.unique(ids)) < len(ids):
            raise ValueError("rows: a question_id occurs more than once, all must be distinct")
        places: dict[str, int] = {}
        for row in rows:
            if len(row.answers) != ANSWERS:
                raise ValueError(f"rows: question {row.question_id} has {len(row.answers)} answers, not {ANSWERS}")
        flat = (places.setdefault(one.answer, len(places)) for row in rows for one in row.answers)
        sure = (CODES[one.answer_confidence] for row in rows for one in row.answers)
        return cls(
            ids,
            id_array(row.image_id for row in rows),
            tuple(row.question_type for row in rows),
            tuple(row.answer_type for row in rows),
            tuple(row.multiple_choice_answer for row in rows),
            tuple(row.split for row in rows),
            np.fromiter(flat, dtype=np.int32).reshape(-1, ANSWERS),
            np.fromiter(sure, dtype=np.int8).reshape(-1, ANSWERS),
            tuple(places),
            dict(meta or {}),
            fingerprint,
        )

    def rows(self) -> list[VqaAnnotation]:
        """The annotations one by one; answers are numbered from 1."""
        names = (*CONFIDENCES, None)
        return [
            VqaAnnotation(
                int(self.question_ids[i]),
                int(self.image_ids[i]),
                self.question_types[i],
                self.answer_types[i],  # type: ignore[arg-type]
                tuple(
                    VqaAnswer(self.pool[place], names[code], number)  # type: ignore[arg-type]
                    for number, (place, code) in enumerate(
                        zip(self.answers[i].tolist(), self.confidences[i].tolist(), strict=True), start=1
                    )
                ),
                self.majority[i],
                self.splits[i],
            )
            for i in range(len(self))
        ]


def read_vqa_annotations(path: str | Path) -> VqaAnnotations:
    """Read a file of VQA annotations."""
    return parse_vqa_annotations(open_source(path))


def parse_vqa_annotations(source: Source) -> VqaAnnotations:
    """VQA annotations from a file's bytes."""
    document = decode(source, _File, labelled("question", "question_id"), inside=("annotations",))
    problems = Problems(source.name)
    note_duplicates(problems, id_array(row.question_id for row in document.annotations), "question", "question_id")
    for row in document.annotations:
        if len(row.answers) != ANSWERS:
            problems.add(f"question {row.question_id}", "answers", f"{len(row.answers)} answers", f"{ANSWERS}")
    problems.check()
    names = ("info", "license", "data_type", "data_subtype")
    meta = {name: value for name in names if (value := getattr(document, name)) is not None}
    return VqaAnnotations.from_rows(document.annotations, meta, source.fingerprint)


def write_vqa_annotations(record: VqaAnnotations, path: str | Path) -> None:
    """Write the official layout."""
    write_json({**record.meta, "annotations": record.rows()}, path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "object" and "annotations" in sample.keys and not sample.keys & {"images", "categories"}


def _describe(record: VqaAnnotations) -> str:
    kinds = Counter(record.answer_types)
    parts = ", ".join(f"{kinds[name]:,} {name}" for name in ("yes/no", "number", "other") if kinds[name])
    return f"{len(record):,} questions with {ANSWERS} answers each" + (f" ({parts})" if parts else "")


def _notes(record: VqaAnnotations) -> Sequence[str]:
    blank = [place for place, answer in enumerate(record.pool) if not answer.strip()]
    empty = np.flatnonzero(np.isin(record.answers, blank).any(axis=1))
    notes = Notes()
    for index in empty.tolist():
        notes.add(f"question {record.question_ids[index]} has an answer without text")
    return notes.collect()


FORMAT = Format(
    name="vqa_annotations",
    title="VQA annotations",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_annotations,
    describe=_describe,
    keys=lambda record: {"question": record.question_ids, "image": record.image_ids},
    notes=_notes,
)
