"""Questions of GuessWhat?! with the target's box and category, as an oracle is trained on them, JSON lines.

    {"question_id", "question", "answer": 0 | 1 | 2, "category", "bbox": [x, y, w, h], "width", "height"}

The answer is 0 yes, 1 no, 2 n/a; the category is COCO's id less one; the box is in shares of the image.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import Id, decode_records, id_array, named, note_duplicates
from voirdire.formats.files import Source, write_lines
from voirdire.formats.record import Rows
from voirdire.formats.strict import Problems

__all__ = ["ANSWERS", "FORMAT", "OracleQuestion", "parse_oracle_qa", "read_oracle_qa", "write_oracle_qa"]

ANSWERS = ("yes", "no", "n/a")
SLACK = 1e-3

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class OracleQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question about one object."""

    question_id: Id
    question: str
    answer: Literal[0, 1, 2]
    category: Annotated[int, msgspec.Meta(ge=0, le=89)]
    bbox: tuple[Share, Share, Share, Share]
    width: Annotated[int, msgspec.Meta(ge=1)]
    height: Annotated[int, msgspec.Meta(ge=1)]


def read_oracle_qa(path: str | Path) -> Rows[OracleQuestion]:
    """Read an oracle's questions."""
    return read_file(path, FORMAT, parse_oracle_qa)


def parse_oracle_qa(source: Source) -> Rows[OracleQuestion]:
    """An oracle's questions from a file's bytes."""
    problems = Problems(source.name)
    rows, unread = decode_records(source, OracleQuestion, named("question", "question_id"), problems)
    note_duplicates(problems, id_array(row.question_id for row in rows), "question", "question_id")
    for row in rows:
        x, y, width, height = row.bbox
        if x + width > 1 + SLACK or y + height > 1 + SLACK:
            problems.add(f"question {row.question_id}", "bbox", str(list(row.bbox)), "a box inside the image")
    problems.check()
    return Rows(tuple(rows), source.fingerprint, unread)


def write_oracle_qa(rows: Sequence[OracleQuestion], path: str | Path) -> None:
    """Write JSON lines."""
    write_lines(rows, path)


def _matches(sample: Sample) -> bool:
    return sample.kind in ("lines", "object") and {"question_id", "answer", "bbox", "category"} <= sample.keys


def _describe(rows: Sequence[OracleQuestion]) -> str:
    counts = Counter[int](row.answer for row in rows)
    parts = ", ".join(f"{counts[code]:,} {name}" for code, name in enumerate(ANSWERS) if counts[code])
    return f"{counted(len(rows), 'question')} with a box ({parts})"


FORMAT = Format(
    name="oracle_qa",
    title="questions for a GuessWhat?! oracle",
    exams=("questions",),
    matches=_matches,
    parse=parse_oracle_qa,
    describe=_describe,
    keys=lambda rows: {"game question": id_array(row.question_id for row in rows)},
    notes=lambda rows: rows.notes,
)
