"""What files of rounds share: their ids, the base of `round_id`, texts in rows, and lists of options.

Files count the ten rounds of a dialogue from 0 or from 1, and do not say which. Records always count from 0 and keep
the base of their file. A file with round 0 counts from 0, one with round 10 counts from 1; where neither occurs the
base must be given. Nothing is shifted unless the base is certain.

All rounds of one file have the same number of options: that of most of its lists, up to `MOST`. VisDial has 100. Many
JSON lists of equal length go straight into one array, fast and as strictly as one by one: the lists of a batch are
joined into one JSON text, whose integers come out of the parser as a buffer; no Python object is made for a number.
The parser refuses all but integers, but flattens what is nested, so that the opening brackets are counted too. Whatever
fails is read again list by list, which either succeeds or names the fault.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
import numpy.typing as npt
import simdjson

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import Format
from voirdire.formats.documents import Id
from voirdire.formats.files import Source
from voirdire.formats.record import Record
from voirdire.formats.strict import UNREADABLE, Problems

ROUNDS = 10
BASE_OPTION = "`round_base`"  # As messages call the option.

RoundId = Annotated[int, msgspec.Meta(ge=0, le=ROUNDS)]
Int64 = npt.NDArray[np.int64]

OPTIONS = 100
"""Options of a round in VisDial."""
MOST = 1000
"""Options that a round may have: a file of few bytes must not ask for much memory."""
# Small enough for the text of a batch to stay in the processor's cache.
BATCH = 512

Fault = tuple[int, str, str, str]


class RoundRow(msgspec.Struct, forbid_unknown_fields=True):
    """The ids of a record that is about one round."""

    image_id: Id
    round_id: RoundId

    @property
    def where(self) -> str:
        """The record's name in messages."""
        return f"image {self.image_id}, round_id {self.round_id}"


class RoundTexts(Record):
    """Base of records with some texts per round, one round after the other: row i has first[i]:first[i + 1]."""

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
        return replace(super().only(rows), texts=texts, first=first)  # type: ignore[call-arg]


def flatten_texts(lists: Sequence[list[str]]) -> tuple[list[str], Int64]:
    """The texts of all rows, and where those of each row begin, with the end as the last."""
    return [text for texts in lists for text in texts], np.cumsum([0, *map(len, lists)], dtype=np.int64)


def resolve_base(
    round_ids: Sequence[int] | Int64, base: int | None, source: Source, otherwise: int | None = None
) -> int:
    """The base of a file's round ids, or an error where it is unclear, impossible or not `base`.

    `otherwise` is the base of a file that leaves it open.
    """
    _check_base(base)
    ids = np.asarray(round_ids)
    zero, ten = bool((ids == 0).any()), bool((ids == ROUNDS).any())
    if zero and ten:
        raise source.fail("", "round_id", "both 0 and 10", "rounds counted from 0 (0 to 9) or from 1 (1 to 10)")
    if zero or ten:
        actual = 0 if zero else 1
        if base not in (None, actual):
            expected = f"rounds counted from {base}, as was asked"
            raise source.fail("", "round_id", f"rounds counted from {actual}", expected)
        return actual
    base = otherwise if base is None else base
    _check_base(base)
    if base is None:
        found = "neither 0 nor 10, so that it is unclear from where the rounds are counted"
        hint = f"Give it as {BASE_OPTION} 0 or {BASE_OPTION} 1 (functions that read a file call it base)."
        raise source.fail("", "round_id", found, "one of the two, or the base", hint)
    return base


def _check_base(base: int | None) -> None:
    if base not in (None, 0, 1):
        raise ValueError(f"`base` must be 0, 1 or None, got {base!r}")


def resolve_rounds(
    rows: Sequence[RoundRow], base: int | None, source: Source, problems: Problems, otherwise: int | None = None
) -> tuple[Int64, Int64, int]:
    """Images, rounds counted from 0, and the file's base; raises `problems` and (image, round) pairs that occur twice.

    Only files without problems have a base: the record that shows it may be among the bad ones.
    """
    problems.require(rows, "record")
    known: set[tuple[int, int]] = set()
    for row in rows:
        pair = row.image_id, row.round_id
        if pair in known:
            problems.add(row.where, "", "this round twice", "each round once")
        known.add(pair)
    problems.check()
    images = np.array([row.image_id for row in rows], np.int64)
    ids = np.array([row.round_id for row in rows], np.int64)
    base = resolve_base(ids, base, source, otherwise)
    return images, ids - base, base


def parse_with_base(format_: Format[Any], source: Source, base: int | None) -> Any:
    """The record of a file; `base` is that of its rounds where the file leaves it open."""
    return format_.parse(source, otherwise=base) if format_.by_round else format_.parse(source)


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
    """The base in a summary."""
    return f"rounds counted from {base}"


def from_zero(round_: int) -> str:
    """The name in messages of a round that has no id of its own: its place."""
    return f"round {round_} (from 0)"


def label_round(record: Any) -> str:
    """Image and round of a raw record, if it has both."""
    ids = (record.get("image_id"), record.get("round_id")) if isinstance(record, dict) else ()
    return "image {}, round_id {}".format(*ids) if ids and all(isinstance(id_, int) for id_ in ids) else ""


def usual(lengths: Iterable[int]) -> int:
    """The commonest length, the longest of equally common ones; VisDial's where there is none."""
    counts = Counter(lengths)
    return max(counts, key=lambda length: (counts[length], length)) if counts else OPTIONS


def width_of(raws: Iterable[msgspec.Raw | None]) -> int:
    """How many options the rounds of a file have, by the commas of their lists, which are not parsed yet."""
    return min(usual(bytes(raw).count(b",") + 1 for raw in raws if raw is not None), MOST)


def fill_rows(out: npt.NDArray[np.int32], raws: Sequence[msgspec.Raw | None], below: int) -> list[Fault]:
    """Write the list of integers `raws[i]` into `out[i]`; rows whose raw is None are left as they are.

    Every integer must be at least 0 and less than `below`. Returns the rows that are not such lists, each with the
    place inside the list (empty for the list as a whole), what was found and what was expected.
    """
    faults: list[Fault] = []
    parser = simdjson.Parser()
    for start in range(0, len(raws), BATCH):
        batch = [(row, raw) for row, raw in enumerate(raws[start : start + BATCH], start) if raw is not None]
        if not batch:
            continue
        rows, texts = zip(*batch, strict=True)
        values = _parse_batch(parser, texts, out.shape[1], below)
        if values is None:
            faults += _parse_each(out, batch, below)
        elif len(rows) == rows[-1] - rows[0] + 1:
            out[rows[0] : rows[-1] + 1] = values
        else:
            out[list(rows)] = values
    return faults


def _parse_batch(
    parser: simdjson.Parser, texts: Sequence[msgspec.Raw], width: int, below: int
) -> npt.NDArray[np.int64] | None:
    """The numbers of all lists, or None where anything is wrong."""
    joined = b"[" + b",".join(texts) + b"]"
    if joined.count(b"[") != len(texts) + 1:
        return None
    try:
        lists: Any = parser.parse(joined)
        if any(len(row) != width for row in lists):
            return None
        values = np.frombuffer(lists.as_buffer(of_type="i"), np.int64)
    except (TypeError, ValueError, RuntimeError):
        return None
    if values.size != len(texts) * width or values.min() < 0 or values.max() >= below:
        return None
    return values.reshape(len(texts), width)


def _parse_each(out: npt.NDArray[np.int32], batch: Sequence[tuple[int, msgspec.Raw]], below: int) -> Iterator[Fault]:
    width = out.shape[1]
    for row, raw in batch:
        try:
            value = msgspec.json.decode(raw)
        except UNREADABLE as error:
            yield row, "", f"broken JSON ({error})", f"a list of {width} numbers"
            continue
        if not isinstance(value, list):
            yield row, "", shorten(value), f"a list of {width} numbers"
        elif len(value) != width:
            yield row, "", counted(len(value), "entry", "entries"), f"{width}"
        else:
            bad = [i for i, item in enumerate(value) if type(item) is not int or not 0 <= item < below]
            if bad:
                expected = f"a whole number from 0 to {below - 1}" if below else "nothing, since the pool is empty"
                yield row, f"[{bad[0]}]", shorten(value[bad[0]]), expected
            else:
                out[row] = value
