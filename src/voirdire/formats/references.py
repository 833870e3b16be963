"""Reference sets: the valid answers of a round, among its 100 options.

    [{image_id, round_id, in_cluster_idxs[100] of 0 or 1, refs[str], question, gt_answer}]

The same as Parquet has one row per set. Flags and texts go together: as many texts as flags that are set, at least one.
Rounds may have another number of options, up to 1,000, the same in the whole file. Dialogues without options have sets
of texts alone: a file in which no record has `in_cluster_idxs`.
A set that lacks the ground truth or holds a text twice is noted.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format, Sample, read_file
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source, write_records
from voirdire.formats.parquet import PARQUET_MAGIC, parquet_as_lines
from voirdire.formats.record import Notes
from voirdire.formats.round_files import (
    MOST,
    RoundRow,
    RoundTexts,
    base_text,
    flatten_texts,
    label_round,
    resolve_rounds,
    round_keys,
    usual,
)
from voirdire.formats.strict import Problems

Flags = Annotated[list[Annotated[int, msgspec.Meta(ge=0, le=1)]], msgspec.Meta(min_length=1, max_length=MOST)]
FLAGS = "in_cluster_idxs"


class _Row(RoundRow, forbid_unknown_fields=True):
    refs: Annotated[list[str], msgspec.Meta(min_length=1)]
    question: str
    gt_answer: str
    in_cluster_idxs: Flags | msgspec.UnsetType = msgspec.UNSET

    @property
    def flags(self) -> list[int]:
        """Which options are in the set; empty where the record does not say."""
        return [] if isinstance(self.in_cluster_idxs, msgspec.UnsetType) else self.in_cluster_idxs


@dataclass(frozen=True, eq=False)
class References(RoundTexts):
    """Reference sets of n rounds.

    image_ids   int64[n]
    rounds      int64[n], counted from 0
    in_set      bool[n, m]: whether each option belongs to the set; m = 100 in VisDial, 0 where there are no options
    texts       the references of all rounds, round after round
    first       int64[n + 1]; the references of row i are texts[first[i]:first[i + 1]]
    questions   n texts
    gt_answers  n texts
    base        from where the file counts its rounds, 0 or 1
    """

    image_ids: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    in_set: npt.NDArray[np.bool_]
    texts: list[str]
    first: npt.NDArray[np.int64]
    questions: list[str]
    gt_answers: list[str]
    base: int = 0
    per_row = (*RoundTexts.per_row, "in_set", "questions", "gt_answers")


def read_references(path: str | Path, base: int | None = None) -> References:
    """Read reference sets; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, FORMAT, parse_references, base)


def parse_references(source: Source, base: int | None = None, otherwise: int | None = None) -> References:
    """Reference sets from a file's bytes."""
    problems, notes = Problems(source.name), Notes()
    records = parquet_as_lines(source) if source.data.startswith(PARQUET_MAGIC) else source
    rows, unknown = decode_records(records, _Row, label_round, problems)
    width = usual(len(row.flags) for row in rows)
    for row in rows:
        if len(row.flags) != width:
            found = counted(len(row.flags), "option") if row.flags else "nothing"
            expected = f"{width}, as most sets of the file have" if width else "nothing, as in most sets of the file"
            problems.add(row.where, FLAGS, found, expected)
        flags = sum(row.flags) if width else len(row.refs)
        if flags != len(row.refs):
            problems.add(row.where, "refs", f"{len(row.refs)} texts", f"{flags}, as many as `in_cluster_idxs` has ones")
        if row.gt_answer not in row.refs:
            notes.add("the ground truth is not in the set", row.where)
        if len(set(row.refs)) < len(row.refs):
            notes.add("a reference occurs twice", row.where)
    images, rounds, base = resolve_rounds(rows, base, source, problems, otherwise)
    return References(
        images,
        rounds,
        np.array([row.flags for row in rows], np.bool_).reshape(len(rows), width),
        *flatten_texts([row.refs for row in rows]),
        [row.question for row in rows],
        [row.gt_answer for row in rows],
        base,
        fingerprint=source.fingerprint,
        notes=unknown + notes.collect(),
    )


def write_references(references: References, path: str | Path) -> None:
    """Write the published layout, with the record's base."""
    write_records(
        (
            {
                "image_id": int(references.image_ids[row]),
                "round_id": int(references.rounds[row]) + references.base,
                **({FLAGS: references.in_set[row].astype(int).tolist()} if references.in_set.shape[1] else {}),
                "refs": references.of(row),
                "question": references.questions[row],
                "gt_answer": references.gt_answers[row],
            }
            for row in range(len(references))
        ),
        path,
    )


def _matches(sample: Sample) -> bool:
    wanted = {"image_id", "round_id", "refs", "gt_answer"}
    if sample.kind == "binary":
        return sample.first == "Parquet" and wanted <= sample.keys
    return sample.has(RECORDS, *wanted)


def _describe(references: References) -> str:
    mean = len(references.texts) / len(references)
    return f"{counted(len(references), 'set')}, {mean:.2f} references each, {base_text(references.base)}"


FORMAT = Format(
    name="references",
    title="reference sets for VisDial",
    fields=("image_id", "round_id", "refs", "question", "gt_answer"),
    matches=_matches,
    parse=parse_references,
    describe=_describe,
    keys=lambda references: round_keys(references.image_ids, references.rounds),
    write=write_references,
    by_round=True,
)
