"""A model's answers to VQA questions as words: `{question_id: [word, …]}`."""

from pathlib import Path
from typing import Any

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.documents import id_array
from voirdire.formats.files import Source, write_json
from voirdire.formats.id_maps import load_map, read_items
from voirdire.formats.record import Notes
from voirdire.formats.strict import Problems
from voirdire.formats.vqa_results import VqaResults

__all__ = ["FORMAT", "parse_vqa_predictions", "read_vqa_predictions", "write_vqa_predictions"]


def read_vqa_predictions(path: str | Path) -> VqaResults:
    """Read a model's answers; the words of each are joined by spaces."""
    return read_file(path, FORMAT, parse_vqa_predictions)


def parse_vqa_predictions(source: Source) -> VqaResults:
    """A model's answers from a file's bytes."""
    problems = Problems(source.name)
    ids, answers = [], []
    for id_, words in read_items(load_map(source), problems):
        if not isinstance(words, list) or not all(map(_is_word, words)):
            problems.add(f"question {id_}", "", shorten(words), "a list of words without blanks")
        else:
            ids.append(id_)
            answers.append(" ".join(words))
    problems.check()
    notes = Notes()
    for id_, answer in zip(ids, answers, strict=True):
        if not answer:
            notes.add(f"question {id_} has no word as its answer")
    return VqaResults(id_array(ids), tuple(answers), source.fingerprint, notes.collect(), source.name)


def _is_word(word: Any) -> bool:
    return isinstance(word, str) and word.split() == [word]


def write_vqa_predictions(record: VqaResults, path: str | Path) -> None:
    """Write each answer as its words."""
    rows = zip(record.question_ids.tolist(), record.answers, strict=True)
    write_json({str(id_): answer.split() for id_, answer in rows}, path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "object" and isinstance(sample.first, list) and all(map(str.isdigit, sample.keys))


FORMAT = Format(
    name="vqa_predictions",
    title="VQA answers of a model, as words",
    exams=("robustness",),
    matches=_matches,
    parse=parse_vqa_predictions,
    describe=lambda record: f"answers to {counted(len(record), 'question')}",
    keys=lambda record: {"question": record.question_ids},
    notes=lambda record: record.notes,
)
