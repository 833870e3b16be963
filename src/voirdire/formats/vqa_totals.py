"""The official VQA tool's totals in percent: `{"overall", "perQuestionType": {type: …}, "perAnswerType": {…}}`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from voirdire.formats.catalogue import Format, Sample
from voirdire.formats.sink import write_json
from voirdire.formats.source import Source, open_source
from voirdire.formats.strict import decode

__all__ = ["FORMAT", "VqaTotals", "parse_vqa_totals", "read_vqa_totals", "write_vqa_totals"]

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
ANSWER_TYPES = frozenset({"yes/no", "number", "other"})


class VqaTotals(msgspec.Struct, frozen=True):
    """Accuracy over all questions, by question type and by answer type."""

    overall: Percent
    by_question_type: dict[str, Percent] = msgspec.field(name="perQuestionType")
    by_answer_type: dict[str, Percent] = msgspec.field(name="perAnswerType")


def read_vqa_totals(path: str | Path) -> VqaTotals:
    """Read the totals."""
    return parse_vqa_totals(open_source(path))


def parse_vqa_totals(source: Source) -> VqaTotals:
    """The totals from a file's bytes."""
    return decode(source, VqaTotals)


def write_vqa_totals(record: VqaTotals, path: str | Path) -> None:
    """Write the tool's layout."""
    write_json(record, path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "object" and {"overall", "perAnswerType"} <= sample.keys


def _notes(record: VqaTotals) -> Sequence[str]:
    return [f"answer type {name!r} is not known" for name in record.by_answer_type if name not in ANSWER_TYPES]


FORMAT = Format(
    name="vqa_totals",
    title="VQA accuracy totals",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_totals,
    describe=lambda record: f"overall accuracy {record.overall:.2f} %, {len(record.by_question_type)} question types",
    keys=lambda record: {},
    notes=_notes,
)
