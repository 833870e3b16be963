"""A model's answers to VQA questions, and the outputs of the official VQA tool for them.

    vqa_results             [{"question_id", "answer"}], as the challenge takes them, or JSON lines
    vqa_predictions         {question_id: [word, …]}: answers as words
    vqa_accuracies          {question_id: accuracy}, in percent, as the tool writes it
    vqa_grouped_accuracies  {type: {question_id: accuracy}}, by type of question or of answer
    vqa_totals              {"overall", "perQuestionType": {type: …}, "perAnswerType": {…}}, in percent

The first two are what the exam reads; the others are known to `validate` alone, and are declarations.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format, Sample, look, read_file
from voirdire.formats.documents import Id, decode_document, decode_records, id_array, named, note_duplicates
from voirdire.formats.files import Source, open_source, write_json, write_records
from voirdire.formats.record import Columns, Notes, Record
from voirdire.formats.strict import Problems, parse, refuse_repeated_keys

LARGEST = 2**63 - 1


class VqaResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer."""

    question_id: Id
    answer: str


@dataclass(frozen=True, eq=False)
class VqaResults(Record):
    """A model's answers: ids int64[n], texts in the same order; `name` is the file's, for messages about it."""

    question_ids: np.ndarray
    answers: tuple[str, ...]
    name: str = field(default="", compare=False)
    per_row = ("question_ids", "answers")

    def __len__(self) -> int:
        return len(self.answers)

    @classmethod
    def from_rows(cls, rows: Iterable[VqaResult]) -> "VqaResults":
        """Collect single answers; their ids must be distinct."""
        rows = list(rows)
        ids = id_array(row.question_id for row in rows)
        if len(np.unique(ids)) < len(ids):
            raise ValueError("rows: a question_id occurs more than once, all must be distinct")
        return cls(ids, tuple(row.answer for row in rows))

    def rows(self) -> list[VqaResult]:
        """The answers one by one."""
        return [VqaResult(*row) for row in zip(self.question_ids.tolist(), self.answers, strict=True)]


def read_vqa_results(path: str | Path) -> VqaResults:
    """Read a model's answers to VQA questions, as texts or as words."""
    # Standard input can be read once; problems of a file are those of its own layout.
    if str(path) != "-" and VQA_PREDICTIONS.matches(look(open_source(path))):
        return read_file(path, VQA_PREDICTIONS, _parse_predictions)
    return read_file(path, FORMAT, parse_vqa_results)


def parse_vqa_results(source: Source) -> VqaResults:
    """A model's answers from a file's bytes."""
    if VQA_PREDICTIONS.matches(look(source)):
        return _parse_predictions(source)
    problems, notes = Problems(source.name), Notes()
    rows, unread = decode_records(source, VqaResult, named(question="question_id"), problems)
    ids = id_array(row.question_id for row in rows)
    note_duplicates(problems, ids, "question", "question_id")
    problems.check()
    for row in rows:
        if not row.answer.strip():
            notes.add("an empty answer", f"question {row.question_id}")
    answers = tuple(row.answer for row in rows)
    return VqaResults(ids, answers, source.name, fingerprint=source.fingerprint, notes=unread + notes.collect())


def write_vqa_results(record: VqaResults, path: str | Path) -> None:
    """Write the challenge's layout, or JSON lines where the name asks for them."""
    write_records(record.rows(), path)


FORMAT = Format(
    name="vqa_results",
    title="VQA answers of a model",
    fields=("question_id", "answer"),
    matches=lambda sample: sample.has(RECORDS, "question_id", "answer") and "bbox" not in sample.keys,
    parse=parse_vqa_results,
    describe=lambda record: f"answers to {counted(len(record), 'question')}",
    keys=lambda record: {"question": record.question_ids},
    write=write_vqa_results,
)


# Objects whose keys are ids. A key that occurs twice is a fault, not a silent loss.

PERCENT = "an accuracy from 0 to 100"


def _load_map(source: Source) -> dict[str, Any]:
    """The document as an object in which no key occurs twice."""
    document = parse(source)
    if not isinstance(document, dict):
        raise source.fail("", "", f"JSON of the type {type(document).__name__}", "an object")
    problems = Problems(source.name)
    refuse_repeated_keys(document, source.data, "", problems)
    problems.stop()
    return document


def _members(
    document: Mapping[str, Any], good: Callable[[Any], bool], expected: str, problems: Problems, inside: str = ""
) -> Iterator[tuple[int, Any]]:
    """Each id (digits without a leading zero, at most 63 bits) with its value; other keys and bad values are noted."""
    for key, value in document.items():
        if not (key.isascii() and key.isdigit() and len(key) < 20 and str(int(key)) == key and int(key) <= LARGEST):
            problems.add(f"{inside}key {shorten(key)}", "", "a name", "a question id")
        elif not good(value):
            problems.add(f"{inside}question {key}", "", shorten(value), expected)
        else:
            yield int(key), value


def _is_percent(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 100


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.split() == [word] for word in value)


def _maps_ids_to(sample: Sample, *kinds: type) -> bool:
    return sample.kind == "object" and type(sample.first) in kinds and all(map(str.isdigit, sample.keys))


def _parse_accuracies(source: Source) -> Columns:
    problems = Problems(source.name)
    accuracies = dict(_members(_load_map(source), _is_percent, PERCENT, problems))
    problems.check()
    values = {"question_ids": id_array(accuracies), "accuracies": np.fromiter(accuracies.values(), np.float64)}
    return Columns(values, fingerprint=source.fingerprint)


def _write_accuracies(record: Columns, path: str | Path) -> None:
    write_json(dict(zip(map(str, record.question_ids.tolist()), record.accuracies.tolist(), strict=True)), path)


def _mean_accuracy(record: Columns) -> str:
    mean = f", mean {record.accuracies.mean():.2f} %" if len(record) else ""
    return f"the accuracy of {counted(len(record), 'question')}{mean}"


VQA_ACCURACIES = Format(
    name="vqa_accuracies",
    title="VQA accuracies by question",
    matches=lambda sample: _maps_ids_to(sample, int, float),
    parse=_parse_accuracies,
    describe=_mean_accuracy,
    keys=lambda record: {"question": record.question_ids},
    write=_write_accuracies,
)


def _parse_groups(source: Source) -> Columns:
    problems, document = Problems(source.name), _load_map(source)
    rows: list[tuple[int, int, float]] = []
    for place, (name, members) in enumerate(document.items()):
        where = f"group {shorten(name)}"
        if isinstance(members, dict):
            accuracies = _members(members, _is_percent, PERCENT, problems, f"{where}, ")
            rows += ((id_, place, float(value)) for id_, value in accuracies)
        else:
            problems.add(where, "", shorten(members), "an object of accuracies by question id")
    ids = id_array(id_ for id_, _, _ in rows)
    note_duplicates(problems, ids, "question", "")
    problems.check()
    groups = np.array([place for _, place, _ in rows], dtype=np.int32)
    numbers = np.array([value for _, _, value in rows], dtype=np.float64)
    values = {"question_ids": ids, "groups": groups, "accuracies": numbers, "names": tuple(document)}
    return Columns(values, fingerprint=source.fingerprint)


def _write_groups(record: Columns, path: str | Path) -> None:
    groups: dict[str, dict[str, float]] = {name: {} for name in record.names}
    columns = (record.question_ids.tolist(), record.groups.tolist(), record.accuracies.tolist())
    for id_, place, accuracy in zip(*columns, strict=True):
        groups[record.names[place]][str(id_)] = accuracy
    write_json(groups, path)


def _is_grouped(sample: Sample) -> bool:
    inner = [key.rpartition(".")[2] for key in sample.keys if "." in key]
    return sample.kind == "object" and type(sample.first) is dict and bool(inner) and all(map(str.isdigit, inner))


VQA_GROUPED_ACCURACIES = Format(
    name="vqa_grouped_accuracies",
    title="VQA accuracies by type",
    matches=_is_grouped,
    parse=_parse_groups,
    describe=lambda record: (
        f"the accuracy of {counted(len(record), 'question')} in {counted(len(record.names), 'group')}"
    ),
    keys=lambda record: {"question": record.question_ids},
    write=_write_groups,
)


def _parse_predictions(source: Source) -> VqaResults:
    """The words of each answer are joined by spaces."""
    problems, notes = Problems(source.name), Notes()
    predictions = dict(_members(_load_map(source), _are_words, "a list of words without blanks", problems))
    problems.check()
    for id_, words in predictions.items():
        if not words:
            notes.add("no word as its answer", f"question {id_}")
    answers = tuple(" ".join(words) for words in predictions.values())
    return VqaResults(
        id_array(predictions), answers, source.name, fingerprint=source.fingerprint, notes=notes.collect()
    )


def _write_predictions(record: VqaResults, path: str | Path) -> None:
    rows = zip(record.question_ids.tolist(), record.answers, strict=True)
    write_json({str(id_): answer.split() for id_, answer in rows}, path)


VQA_PREDICTIONS = Format(
    name="vqa_predictions",
    title="VQA answers of a model, as words",
    matches=lambda sample: _maps_ids_to(sample, list),
    parse=_parse_predictions,
    describe=lambda record: f"answers to {counted(len(record), 'question')}",
    keys=lambda record: {"question": record.question_ids},
    write=_write_predictions,
)


# One document.

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]


class _Totals(msgspec.Struct, forbid_unknown_fields=True):
    overall: Percent
    by_question_type: dict[str, Percent] = msgspec.field(name="perQuestionType")
    by_answer_type: dict[str, Percent] = msgspec.field(name="perAnswerType")


def _parse_totals(source: Source) -> Columns:
    document, unread = decode_document(source, _Totals)
    known = {"yes/no", "number", "other"}
    odd = [f"answer type {shorten(name)} is not known" for name in document.by_answer_type if name not in known]
    return Columns(msgspec.structs.asdict(document), fingerprint=source.fingerprint, notes=(*unread, *odd))


VQA_TOTALS = Format(
    name="vqa_totals",
    title="VQA accuracy totals",
    matches=lambda sample: sample.has("object", "overall", "perAnswerType"),
    parse=_parse_totals,
    describe=lambda record: (
        f"overall accuracy {record.overall:.2f} %, {counted(len(record.by_question_type), 'question type')}"
    ),
    write=lambda record, path: write_json(_Totals(**record.values), path),
)
