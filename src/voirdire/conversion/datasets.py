"""Datasets in layouts of their own, as VQA questions and annotations: POPE and A-OKVQA.

POPE          JSON lines: question_id, image (a COCO file), text, label (yes or no)
A-OKVQA       a JSON list: question_id (letters), image_id, question, choices, correct_choice_idx, direct_answers

POPE's label stands for ten equal answers. An id in letters becomes a whole number, 52 bits of its SHA-256, the same in
every file, so that a model's answers with such ids are found again (`number_of`).
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voirdire.conversion.rows import MISSING, RawRecords, find, image_id_of, whole_number
from voirdire.formats.files import Source
from voirdire.formats.strict import Problems

QUESTIONS, ANNOTATIONS = "vqa_questions", "vqa_annotations"
MADE = (QUESTIONS, ANNOTATIONS)
"""What is made of a dataset."""
PEOPLE = 10


@dataclass(frozen=True)
class DatasetLayout:
    """How a dataset is laid out.

    marks  the keys by which its records are recognised
    """

    name: str
    title: str
    marks: frozenset[str]
    question: str
    image: str
    answers: str


DATASETS = (
    DatasetLayout(
        "pope", "questions of POPE", frozenset({"question_id", "image", "text", "label"}), "text", "image", "label"
    ),
    DatasetLayout(
        "aokvqa",
        "questions of A-OKVQA",
        frozenset({"question_id", "image_id", "question", "choices", "direct_answers"}),
        "question",
        "image_id",
        "direct_answers",
    ),
)


def dataset_of(rows: RawRecords) -> DatasetLayout | None:
    """The dataset whose layout the records have; None for any others."""
    keys = set(rows.keys())
    return next((layout for layout in DATASETS if layout.marks <= keys), None)


def number_of(value: Any) -> int | None:
    """The number of a question's id: a whole number as it is, letters by their SHA-256; None for anything else."""
    number = whole_number(value)
    if number is not None or not isinstance(value, str) or not value:
        return number
    return int.from_bytes(hashlib.sha256(value.encode(errors="surrogatepass")).digest()[:8], "big") >> 12


def dataset_records(source: Source, rows: RawRecords, layout: DatasetLayout, to: str) -> list[dict[str, Any]]:
    """The records of VQA questions, or of VQA annotations, that are made of a dataset's."""
    problems = Problems(source.name)
    records = []
    for place, fault in rows.faults:
        problems.add(place, "", fault, "a whole record")
    for row in rows.rows:
        ids = number_of(find(row.values, "question_id")), image_id_of(find(row.values, layout.image))
        question, answers = find(row.values, layout.question), _answers(find(row.values, layout.answers))
        if None in ids:
            problems.add(row.place, "question_id" if ids[0] is None else layout.image, "no id", "an id")
        elif not isinstance(question, str):
            problems.add(row.place, layout.question, "no text", "a question")
        elif to == QUESTIONS:
            records.append({"question_id": ids[0], "image_id": ids[1], "question": question})
        elif len(answers) != PEOPLE:
            problems.add(row.place, layout.answers, f"{len(answers)} answers", f"one label, or {PEOPLE} answers")
        else:
            records.append(_annotation(ids, question, answers))
    problems.check()
    return records


def document_of(records: list[dict[str, Any]], to: str) -> Mapping[str, Any]:
    """The official file with these records."""
    return {"questions" if to == QUESTIONS else "annotations": records}


def _answers(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] * PEOPLE
    if value is MISSING or not isinstance(value, list):
        return []
    return [text for text in value if isinstance(text, str)]


def _annotation(ids: tuple[int | None, int | None], question: str, answers: list[str]) -> dict[str, Any]:
    commonest = Counter(answers).most_common(1)[0][0]
    kind = "yes/no" if commonest in ("yes", "no") else "number" if commonest.isdecimal() else "other"
    return {
        "question_id": ids[0],
        "image_id": ids[1],
        "question_type": " ".join(question.lower().split()[:2]),
        "answer_type": kind,
        "multiple_choice_answer": commonest,
        "answers": [
            {"answer": answer, "answer_confidence": "yes", "answer_id": number}
            for number, answer in enumerate(answers, start=1)
        ],
    }
