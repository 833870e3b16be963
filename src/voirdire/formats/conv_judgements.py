"""What judges said of dialogues when asked how far they depend on their history: a CSV of single judgements.

    img,judge,response      response: the number of the chosen answer, 1 to 6

Each judge answers once for an image.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, read_file
from voirdire.formats.documents import id_array
from voirdire.formats.files import Source, write_bytes
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems
from voirdire.formats.tables import read_table, whole

__all__ = ["FORMAT", "ConvJudgements", "parse_conv_judgements", "read_conv_judgements", "write_conv_judgements"]

COLUMNS = (whole("img"), whole("judge"), whole("response", 1, 6))
NAMES = tuple(column.name for column in COLUMNS)


@dataclass(frozen=True, eq=False)
class ConvJudgements(Record):
    """Judgements: image_ids, judges and responses, each int64[n]."""

    image_ids: npt.NDArray[np.int64]
    judges: npt.NDArray[np.int64]
    responses: npt.NDArray[np.int64]
    fingerprint: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.image_ids)


def read_conv_judgements(path: str | Path) -> ConvJudgements:
    """Read the judgements."""
    return read_file(path, FORMAT, parse_conv_judgements)


def parse_conv_judgements(source: Source) -> ConvJudgements:
    """Judgements from a file's bytes."""
    problems = Problems(source.name)
    table = read_table(source, COLUMNS, problems)
    if not len(table) and not problems.total:
        problems.add("", "", "no judgement", "at least one")
    seen: set[tuple[int, int]] = set()
    images, judges, responses = (table.columns[column.name] for column in COLUMNS)
    for line, pair in zip(table.lines, zip(images, judges, strict=True), strict=True):
        if pair in seen:
            found = f"judge {pair[1]} on image {pair[0]} again"
            problems.add(f"line {line}", "", found, "each judge once for an image")
        seen.add(pair)
    problems.check()
    notes = tuple(f"column {shorten(name)} is not known and was not read" for name in table.unread)
    return ConvJudgements(id_array(images), id_array(judges), id_array(responses), source.fingerprint, notes)


def write_conv_judgements(judgements: ConvJudgements, path: str | Path) -> None:
    """Write the CSV."""
    columns = judgements.image_ids.tolist(), judgements.judges.tolist(), judgements.responses.tolist()
    rows = [",".join(NAMES), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    write_bytes("".join(f"{row}\n" for row in rows).encode(), path)


def _describe(judgements: ConvJudgements) -> str:
    images, judges = len(np.unique(judgements.image_ids)), len(np.unique(judgements.judges))
    return f"{counted(len(judgements), 'judgement')} of {counted(images, 'image')} by {counted(judges, 'judge')}"


FORMAT = Format(
    name="conv_judgements",
    title="judgements on the history of VisDial dialogues",
    exams=("scorekeeping",),
    matches=lambda sample: sample.kind == "csv" and {*NAMES} <= sample.keys,
    parse=parse_conv_judgements,
    describe=_describe,
    keys=lambda judgements: {"image": np.unique(judgements.image_ids)},
    notes=lambda judgements: judgements.notes,
)
