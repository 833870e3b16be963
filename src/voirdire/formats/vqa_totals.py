"""The official VQA tool's totals in percent: `{"overall", "perQuestionType": {type: …}, "perAnswerType": {…}}`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import decode_document
from voirdire.formats.files import Source, write_json
from voirdire.formats.record import Record

__all__ = ["FORMAT", "VqaTotals", "parse_vqa_totals", "read_vqa_totals", "write_vqa_totals"]

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
ANSWER_TYPES = frozenset({"yes/no", "number", "other"})


class _File(msgspec.Struct, forbid_unknown_fields=True):
    overall: Percent
    by_question_type: dict[str, Percent] = msgspec.field(name="perQuestionType")
    by_answer_type: dict[str, Percent] = msgspec.field(name="perAnswerType")


@dataclass(frozen=True, eq=False)
class VqaTotals(Record):
    """Accuracy over all questions, by question type and by answer type."""

    overall: float
    by_question_type: dict[str, float]
    by_answer_type: dict[str, float]
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)


def read_vqa_totals(path: str | Path) -> VqaTotals:
    """Read the totals."""
    return read_file(path, FORMAT, parse_vqa_totals)


def parse_vqa_totals(source: Source) -> VqaTotals:
    """The totals from a file's bytes."""
    document, unread = decode_document(source, _File)
    odd = [f"answer type {shorten(name)} is not known" for name in document.by_answer_type if name not in ANSWER_TYPES]
    return VqaTotals(
        document.overall, document.by_question_type, document.by_answer_type, source.fingerprint, (*unread, *odd)
    )


def write_vqa_totals(record: VqaTotals, path: str | Path) -> None:
    """Write the tool's layout."""
    write_json(_File(record.overall, record.by_question_type, record.by_answer_type), path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "object" and {"overall", "perAnswerType"} <= sample.keys


FORMAT = Format(
    name="vqa_totals",
    title="VQA accuracy totals",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_totals,
    describe=lambda record: (
        f"overall accuracy {record.overall:.2f} %, {counted(len(record.by_question_type), 'question type')}"
    ),
    keys=lambda record: {},
    notes=lambda record: record.notes,
)
