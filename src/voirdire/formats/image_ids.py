"""A plain list of image ids, one a line."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, read_file
from voirdire.formats.files import Source, write_bytes
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems
from voirdire.formats.tables import read_lines

__all__ = ["FORMAT", "ImageIds", "parse_image_ids", "read_image_ids", "write_image_ids"]

LARGEST = 2**63 - 1


@dataclass(frozen=True, eq=False)
class ImageIds(Record):
    """Distinct image ids in the order of the file: int64[n]."""

    image_ids: npt.NDArray[np.int64]
    fingerprint: str = field(default="", compare=False)

    def __len__(self) -> int:
        return len(self.image_ids)


def _number(text: str) -> int | None:
    """The number that plain decimal digits say, if it is one that an id may be."""
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST)):
        return None
    number = int(text)
    return number if number <= LARGEST else None


def read_image_ids(path: str | Path) -> ImageIds:
    """Read a list of image ids."""
    return read_file(path, FORMAT, parse_image_ids)


def parse_image_ids(source: Source) -> ImageIds:
    """A list of image ids from a file's bytes; blank lines are passed over."""
    problems = Problems(source.name)
    ids: dict[int, int] = {}
    for number, line in enumerate(read_lines(source), start=1):
        text = line.strip()
        if not text:
            continue
        id_ = _number(text)
        if id_ is None:
            problems.add(f"line {number}", "", shorten(text), "an image id, a whole number")
        elif id_ in ids:
            problems.add(f"line {number}", "", f"image {id_} again, after line {ids[id_]}", "each image once")
        else:
            ids[id_] = number
    if not ids and not problems.total:
        problems.add("", "", "an empty file", "at least one image id")
    problems.check()
    return ImageIds(np.fromiter(ids, np.int64, len(ids)), source.fingerprint)


def write_image_ids(image_ids: ImageIds, path: str | Path) -> None:
    """Write one id a line."""
    write_bytes("".join(f"{id_}\n" for id_ in image_ids.image_ids.tolist()).encode(), path)


def _matches(sample: Sample) -> bool:
    return sample.kind == "text" and isinstance(sample.first, str) and _number(sample.first.strip()) is not None


FORMAT = Format(
    name="image_ids",
    title="list of image ids",
    exams=("answers", "scorekeeping"),
    matches=_matches,
    parse=parse_image_ids,
    describe=lambda record: counted(len(record), "image id"),
    keys=lambda record: {"image": record.image_ids},
    notes=lambda record: ("one number alone; it was read as the id of an image",) if len(record) == 1 else (),
)
