"""The official VQA tool's accuracies by type of question or of answer: `{type: {question_id: accuracy}}`."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import id_array, note_duplicates
from voirdire.formats.files import Source, write_json
from voirdire.formats.id_maps import load_map, read_accuracies
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems

__all__ = [
    "FORMAT",
    "VqaGroupedAccuracies",
    "parse_vqa_grouped_accuracies",
    "read_vqa_grouped_accuracies",
    "write_vqa_grouped_accuracies",
]


@dataclass(frozen=True, eq=False)
class VqaGroupedAccuracies(Record):
    """Accuracies by group: the groups' names, and for each question its id, its group's place and its percent."""

    names: tuple[str, ...]
    question_ids: np.ndarray
    groups: np.ndarray
    accuracies: np.ndarray
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.question_ids)


def read_vqa_grouped_accuracies(path: str | Path) -> VqaGroupedAccuracies:
    """Read accuracies by group."""
    return read_file(path, FORMAT, parse_vqa_grouped_accuracies)


def parse_vqa_grouped_accuracies(source: Source) -> VqaGroupedAccuracies:
    """Accuracies by group from a file's bytes."""
    problems = Problems(source.name)
    document = load_map(source)
    ids, groups, values = [], [], []
    for place, (name, members) in enumerate(document.items()):
        if not isinstance(members, dict):
            problems.add(f"group {shorten(name)}", "", shorten(members), "an object of accuracies by question id")
            continue
        for id_, value in read_accuracies(members, problems, f"group {shorten(name)}, "):
            ids.append(id_)
            groups.append(place)
            values.append(value)
    note_duplicates(problems, id_array(ids), "question", "")
    problems.check()
    places = np.array(groups, dtype=np.int32)
    return VqaGroupedAccuracies(
        tuple(document), id_array(ids), places, np.array(values, dtype=np.float64), source.fingerprint
    )


def write_vqa_grouped_accuracies(record: VqaGroupedAccuracies, path: str | Path) -> None:
    """Write the tool's layout."""
    groups: dict[str, dict[str, float]] = {name: {} for name in record.names}
    columns = (record.question_ids.tolist(), record.groups.tolist(), record.accuracies.tolist())
    for id_, place, accuracy in zip(*columns, strict=True):
        groups[record.names[place]][str(id_)] = accuracy
    write_json(groups, path)


def _matches(sample: Sample) -> bool:
    if sample.kind != "object" or not isinstance(sample.first, dict):
        return False
    inner = [key.rpartition(".")[2] for key in sample.keys if "." in key]
    return bool(inner) and all(map(str.isdigit, inner))


FORMAT = Format(
    name="vqa_grouped_accuracies",
    title="VQA accuracies by type",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_grouped_accuracies,
    describe=lambda record: (
        f"the accuracy of {counted(len(record), 'question')} in {counted(len(record.names), 'group')}"
    ),
    keys=lambda record: {"question": record.question_ids},
    notes=lambda record: (),
)
