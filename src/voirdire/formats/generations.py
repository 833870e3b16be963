"""A model's generated answers, one or more per round.

    [{image_id, round_id, generations[str]}]

A round without generations and a generation without text are noted; they stay as they are.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format, read_file
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Notes
from voirdire.formats.round_files import (
    RoundRow,
    RoundTexts,
    base_text,
    flatten_texts,
    label_round,
    resolve_rounds,
    round_keys,
)
from voirdire.formats.strict import Problems


class _Row(RoundRow, forbid_unknown_fields=True):
    generations: list[str]


@dataclass(frozen=True, eq=False)
class Generations(RoundTexts):
    """Generated answers of n rounds.

    image_ids  int64[n]
    rounds     int64[n], counted from 0
    texts      all generations, round after round
    first      int64[n + 1]; the generations of row i are texts[first[i]:first[i + 1]]
    base       from where the file counts its rounds, 0 or 1
    """

    image_ids: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    texts: list[str]
    first: npt.NDArray[np.int64]
    base: int = 0


def read_generations(path: str | Path, base: int | None = None) -> Generations:
    """Read a model's generations; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, FORMAT, parse_generations, base)


def parse_generations(source: Source, base: int | None = None, otherwise: int | None = None) -> Generations:
    """Generations from a file's bytes."""
    problems = Problems(source.name)
    rows, unknown = decode_records(source, _Row, label_round, problems)
    images, rounds, base = resolve_rounds(rows, base, source, problems, otherwise)
    notes = Notes()
    for row in rows:
        if not row.generations:
            notes.add("no generations", row.where)
        elif empty := sum(not text.strip() for text in row.generations):
            notes.add(f"{empty:,} of {len(row.generations):,} generations without text", row.where)
    texts, first = flatten_texts([row.generations for row in rows])
    return Generations(
        images, rounds, texts, first, base, fingerprint=source.fingerprint, notes=unknown + notes.collect()
    )


def write_generations(generations: Generations, path: str | Path) -> None:
    """Write the list, with the record's base."""
    columns = generations.image_ids.tolist(), (generations.rounds + generations.base).tolist()
    write_records(
        (
            {"image_id": image, "round_id": round_id, "generations": generations.of(row)}
            for row, (image, round_id) in enumerate(zip(*columns, strict=True))
        ),
        path,
    )


def _describe(generations: Generations) -> str:
    sizes = np.unique(np.diff(generations.first)).tolist()
    each = ("" if len(sizes) == 1 else f"{sizes[0]:,} to ") + counted(sizes[-1], "generation")
    return f"{each} per round for {counted(len(generations), 'round')}, {base_text(generations.base)}"


FORMAT = Format(
    name="generations",
    title="generated answers of a model",
    fields=("image_id", "round_id", "generations"),
    matches=lambda sample: sample.has(RECORDS, "image_id", "round_id", "generations"),
    parse=parse_generations,
    describe=_describe,
    keys=lambda generations: round_keys(generations.image_ids, generations.rounds),
    write=write_generations,
    by_round=True,
)
