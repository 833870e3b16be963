"""Files of other tools' layouts in a folder, converted on the way to a config: datasets, then models' outputs.

A model's output is converted where all of its records can be mapped: by their ids or texts to questions of a dataset
that is there, else, where the file is of a tool that is known, by the ids that it states. What is converted is kept
below `converted/` in the folder, under the path of what it was made of.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire.conversion.convert import convert
from voirdire.conversion.datasets import ANNOTATIONS, MADE, QUESTIONS, dataset_of
from voirdire.conversion.layouts import PLAIN, TARGETS, ConvertOptions, layout_of
from voirdire.conversion.rows import RawRecords, read_rows
from voirdire.errors import InputError, OutputError, UsageError
from voirdire.formats.files import open_source

CONVERTED = "converted"
"""The folder with what was converted."""
AGAINST = {"vqa_results": (QUESTIONS, ANNOTATIONS), "generations": ("visdial", "visdial_text")}
"""What a model's output is converted to, with the formats of the datasets that its records are looked up in."""


@dataclass(frozen=True)
class Converted:
    """One file that was converted: what it was taken for, and the files that were made."""

    path: Path
    layout: str
    made: tuple[Path, ...]


def convert_files(folder: Path, paths: Iterable[Path], known: Sequence[tuple[Path, str]]) -> list[Converted]:
    """Convert what can be converted of files of unknown format.

    known  the files of the datasets that are there, with their formats
    """
    rows = {path: found for path in paths if (found := _rows(path)) is not None}
    done: list[Converted] = []
    of_datasets: list[tuple[Path, str]] = []
    for path, records in rows.items():
        layout = dataset_of(records)
        if layout is not None and (made := _dataset(folder, path)):
            done.append(Converted(path, layout.title, tuple(made)))
            of_datasets += zip(made, MADE, strict=True)
    converted = {each.path for each in done}
    for path, records in rows.items():
        if path not in converted and (output := _output(folder, path, records, [*known, *of_datasets])):
            done.append(output)
    return done


def _rows(path: Path) -> RawRecords | None:
    try:
        return read_rows(open_source(path))
    except InputError:
        return None


def _place(folder: Path, path: Path, ending: str = "") -> Path:
    inside = path.relative_to(folder)
    return folder / CONVERTED / inside.with_name(f"{inside.name.partition('.')[0]}{ending}.json")


def _dataset(folder: Path, path: Path) -> list[Path]:
    """VQA questions and annotations of a dataset; none where it has faults."""
    made = []
    for to in MADE:
        place = _place(folder, path, to.removeprefix("vqa"))
        if not _convert(path, place, ConvertOptions(to)):
            return []
        made.append(place)
    return made


def _output(folder: Path, path: Path, records: RawRecords, known: Sequence[tuple[Path, str]]) -> Converted | None:
    """A model's output in an official layout; None where nothing tells what its records answer."""
    layout, place = layout_of(records.keys()), _place(folder, path)
    for to, formats in AGAINST.items():
        for wanted in formats:
            for dataset in (file for file, format_ in known if format_ == wanted):
                if _convert(path, place, ConvertOptions(to, against=str(dataset))):
                    return Converted(path, layout.title, (place,))
    if layout is not PLAIN:
        for to in TARGETS:
            if _convert(path, place, ConvertOptions(to)):
                return Converted(path, layout.title, (place,))
    return None


def _convert(path: Path, place: Path, options: ConvertOptions) -> bool:
    """Whether all of a file's records could be mapped, and the file is written."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        convert(path, place, options)
    except (InputError, OutputError, UsageError, OSError):
        return False
    return True
