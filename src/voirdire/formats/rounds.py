"""What files of rounds share: their ids, texts in rows, and the base of `round_id`.

Files count the ten rounds of a dialogue from 0 or from 1, and do not say which.

Records always count from 0 and keep the base of their file. A file that holds round 0 counts from 0, one that holds
round 10 counts from 1; where neither occurs the base is asked for. Nothing is shifted unless the base is certain.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.formats.catalogue import Format, read_file
from voirdire.formats.documents import Id
from voirdire.formats.files import Source
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems

ROUNDS = 10
BASE_OPTION = "`round_base`"  # What the hint of a file that leaves its base open names.

RoundId = Annotated[int, msgspec.Meta(ge=0, le=ROUNDS)]
Int64 = npt.NDArray[np.int64]


class RoundRow(msgspec.Struct, forbid_unknown_fields=True):
    """The head of a record that is about one round."""

    image_id: Id
    round_id: RoundId

    @property
    def where(self) -> str:
        """How a message calls the record."""
        return f"image {self.image_id}, round_id {self.round_id}"


class RoundTexts(Record):
    """Base of records that hold some texts per round, one round after the other: row i has first[i]:first[i + 1]."""

    texts: list[str]
    first: Int64
    per_row: ClassVar[tuple[str, ...]] = ("image_ids", "rounds")

    def __len__(self) -> int:
        return len(self.first) - 1

    def of(self, row: int) -> list[str]:
        """The texts of one row."""
        return self.texts[self.first[row] : self.first[row + 1]]

    def only(self, rows: npt.NDArray[np.intp]) -> Self:
        """The same with these rows alone, each with its texts."""
        texts, first = flatten_texts([self.of(row) for row in rows.tolist()])
        return replace(super().only(rows), texts=texts, first=first)  # type: ignore[type-var]


def flatten_texts(lists: Sequence[list[str]]) -> tuple[list[str], Int64]:
    """The texts of all rows, and where those of each row begin, with the end as the last."""
    return [text for texts in lists for text in texts], np.cumsum([0, *map(len, lists)], dtype=np.int64)


def resolve_base(
    round_ids: Sequence[int] | Int64, base: int | None, source: Source, otherwise: int | None = None
) -> int:
    """The base of a file's round ids, or an error where it is unclear, impossible or not `base`.

    `otherwise` is taken only where the file leaves its base open.
    """
    _check_base(base)
    ids = np.asarray(round_ids)
    zero, ten = bool((ids == 0).any()), bool((ids == ROUNDS).any())
    if zero and ten:
        raise source.fail("", "round_id", "both 0 and 10", "rounds counted from 0 (0 to 9) or from 1 (1 to 10)")
    if zero or ten:
        found = 0 if zero else 1
        if base not in (None, found):
            asked = f"rounds counted from {base}, as was asked"
            raise source.fail("", "round_id", f"rounds counted from {found}", asked)
        return found
    base = otherwise if base is None else base
    _check_base(base)
    if base is None:
        raise source.fail(
            "",
            "round_id",
            "neither 0 nor 10, so that it is unclear from where the rounds are counted",
            "one of the two, or the base",
            f"Give it as {BASE_OPTION} 0 or {BASE_OPTION} 1 (functions that read a file call it base).",
        )
    return base


def _check_base(base: int | None) -> None:
    if base not in (None, 0, 1):
        raise ValueError(f"`base` must be 0, 1 or None, got {base!r}")


def resolve_rounds(
    rows: Sequence[RoundRow], base: int | None, source: Source, problems: Problems, otherwise: int | None = None
) -> tuple[Int64, Int64, int]:
    """Images, rounds counted from 0, and the file's base; raises `problems` and (image, round) pairs that occur twice.

    The base is looked for in good files only: the record that shows it may be among the bad ones.
    """
    if not rows and not problems.total:
        problems.add("", "", "no record", "at least one")
    seen: set[tuple[int, int]] = set()
    for row in rows:
        pair = row.image_id, row.round_id
        if pair in seen:
            problems.add(row.where, "", "this round twice", "each round once")
        seen.add(pair)
    problems.check()
    images = np.array([row.image_id for row in rows], np.int64)
    ids = np.array([row.round_id for row in rows], np.int64)
    base = resolve_base(ids, base, source, otherwise)
    return images, ids - base, base


def parse_with_base(format_: Format, source: Source, base: int | None) -> Any:
    """The record of a file; only where the file leaves the base of its rounds open is the given one taken."""
    return format_.parse(source, otherwise=base) if format_.by_round else format_.parse(source)


def read_with_base(path: str | Path, format_: Format, base: int | None) -> Any:
    """The same from a path; a file of another format is said to be one."""
    return read_file(path, format_, format_.parse, otherwise=base)


def round_keys(image_ids: Int64, rounds: Int64) -> dict[str, npt.NDArray[Any]]:
    """The ids by which a file of rounds can be compared with others."""
    return {"image": np.unique(image_ids), "round": np.stack([image_ids, rounds], axis=1)}


def dialogue_keys(image_ids: Int64, first_round: Int64) -> dict[str, npt.NDArray[Any]]:
    """The ids by which a file of dialogues can be compared with others; the rounds of i start at `first_round[i]`."""
    sizes = np.diff(first_round)
    numbers = np.arange(first_round[-1]) - np.repeat(first_round[:-1], sizes)
    return {
        "image": image_ids,
        "round": np.stack([np.repeat(image_ids, sizes), numbers], axis=1),
        "dialogue": np.arange(len(image_ids)),
    }


def base_text(base: int) -> str:
    """How a summary says the base."""
    return f"rounds counted from {base}"


def from_zero(round_: int) -> str:
    """How a message calls a round that has no id of its own: by its place."""
    return f"round {round_} (from 0)"


def label_round(record: Any) -> str:
    """Image and round of a raw record, if it has both."""
    ids = (record.get("image_id"), record.get("round_id")) if isinstance(record, dict) else ()
    return "image {}, round_id {}".format(*ids) if ids and all(isinstance(id_, int) for id_ in ids) else ""
