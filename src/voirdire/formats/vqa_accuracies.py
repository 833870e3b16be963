"""The official VQA tool's accuracy of each question, in percent: `{question_id: accuracy}`."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import id_array
from voirdire.formats.files import Source, write_json
from voirdire.formats.id_maps import load_map, read_accuracies
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems

__all__ = ["FORMAT", "VqaAccuracies", "parse_vqa_accuracies", "read_vqa_accuracies", "write_vqa_accuracies"]


@dataclass(frozen=True, eq=False)
class VqaAccuracies(Record):
    """Accuracies of single questions: ids int64[n], percent float64[n]."""

    question_ids: np.ndarray
    accuracies: np.ndarray
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.question_ids)


def read_vqa_accuracies(path: str | Path) -> VqaAccuracies:
    """Read the accuracy of each question."""
    return read_file(path, FORMAT, parse_vqa_accuracies)


def parse_vqa_accuracies(source: Source) -> VqaAccuracies:
    """The accuracy of each question from a file's bytes."""
    problems = Problems(source.name)
    found = dict(read_accuracies(load_map(source), problems))
    problems.check()
    return VqaAccuracies(id_array(found), np.fromiter(found.values(), np.float64), source.fingerprint)


def write_vqa_accuracies(record: VqaAccuracies, path: str | Path) -> None:
    """Write the tool's layout."""
    write_json(dict(zip(map(str, record.question_ids.tolist()), record.accuracies.tolist(), strict=True)), path)


def _matches(sample: Sample) -> bool:
    return (
        sample.kind == "object"
        and isinstance(sample.first, int | float)
        and all(map(str.isdigit, sample.keys))
        and not isinstance(sample.first, bool)
    )


def _describe(record: VqaAccuracies) -> str:
    mean = f", mean {record.accuracies.mean():.2f} %" if len(record) else ""
    return f"the accuracy of {counted(len(record), 'question')}{mean}"


FORMAT = Format(
    name="vqa_accuracies",
    title="VQA accuracies by question",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_accuracies,
    describe=_describe,
    keys=lambda record: {"question": record.question_ids},
    notes=lambda record: (),
)
