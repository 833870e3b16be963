"""A number for each option of a round: how relevant it is, or a model's rank or score of it.

    dense   [{image_id, round_id, gt_relevance[100]}]   between 0 and 1: the dense annotations of VisDial
    ranks   [{image_id, round_id, ranks[100]}]          ranks[i] = rank of option i, counted from 1, as the VisDial
                                                        challenge takes them
    scores  [{image_id, round_id, scores[100]}]         scores[i] = score of option i; higher is better

Some releases of the train split call the relevances `relevance`; a file uses one of the two names throughout. The ranks
of a round are a permutation of 1 to 100. Scores are what a model would rank by: they may tie, and all are finite. Your
own data may have another number of options, up to 1,000, the same in all rounds of a file.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format, read_file
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source, write_records
from voirdire.formats.record import Record
from voirdire.formats.round_files import MOST, RoundRow, base_text, label_round, resolve_rounds, round_keys, usual
from voirdire.formats.strict import Problems

SPELLINGS = ("gt_relevance", "relevance")
NOT_FINITE = (b"NaN", b"Infinity")

_ALL = msgspec.Meta(min_length=1, max_length=MOST)
_Relevance = Annotated[list[Annotated[float, msgspec.Meta(ge=0, le=1)]], _ALL]


@dataclass(frozen=True, eq=False)
class _Rounds(Record):
    """n rounds: image_ids int64[n], rounds int64[n], counted from 0."""

    image_ids: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    base: int = field(default=1, kw_only=True)

    def __len__(self) -> int:
        return len(self.image_ids)

    @property
    def numbers(self) -> npt.NDArray[Any]:
        """[n, m], a number for each option."""
        numbers: npt.NDArray[Any] = getattr(self, self.per_row[-1])
        return numbers


AnyRounds = TypeVar("AnyRounds", bound=_Rounds)


def _check_lengths(rows: Sequence[RoundRow], name: str, problems: Problems) -> int:
    """How many options the rounds have; a round with another number than most is a problem."""
    lengths = [len(getattr(row, name)) for row in rows]
    width = usual(lengths)
    for row, length in zip(rows, lengths, strict=True):
        if length != width:
            problems.add(row.where, name, f"{length} numbers", f"{width}, as most rounds of the file have")
    return width


def write_rounds(record: _Rounds, path: str | Path) -> None:
    """Write the layout of a record, with its base, and of dense annotations its spelling."""
    name = record.spelling if isinstance(record, Dense) else record.per_row[-1]
    columns = record.image_ids.tolist(), (record.rounds + record.base).tolist(), record.numbers.tolist()
    write_records(({"image_id": i, "round_id": r, name: row} for i, r, row in zip(*columns, strict=True)), path)


def _describe(record: _Rounds, kind: str) -> str:
    options = counted(record.numbers.shape[1], "option")
    return f"{kind} of {options} in {counted(len(record), 'round')}, {base_text(record.base)}"


def _format(
    name: str, title: str, kind: str, spellings: tuple[str, ...], parse: Callable[..., AnyRounds]
) -> Format[AnyRounds]:
    """The format of lists that go by one of the spellings, a number for each option."""
    return Format(
        name=name,
        title=title,
        fields=("image_id", "round_id", spellings[0]),
        matches=lambda sample: sample.has(RECORDS, "image_id", "round_id") and bool(sample.keys & {*spellings}),
        parse=parse,
        describe=lambda record: _describe(record, kind),
        keys=lambda record: round_keys(record.image_ids, record.rounds),
        write=write_rounds,
        by_round=True,
    )


class _DenseRow(RoundRow, forbid_unknown_fields=True):
    gt_relevance: _Relevance | msgspec.UnsetType = msgspec.UNSET
    relevance: _Relevance | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True, eq=False)
class Dense(_Rounds):
    """Relevances of n rounds.

    image_ids  int64[n]
    rounds     int64[n], counted from 0
    relevance  float64[n, m], m = 100 in VisDial
    base       from where the file counts its rounds, 0 or 1
    spelling   what the file calls the list
    """

    relevance: npt.NDArray[np.float64]
    spelling: str = "gt_relevance"
    per_row = ("image_ids", "rounds", "relevance")


def read_dense(path: str | Path, base: int | None = None) -> Dense:
    """Read dense annotations; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, DENSE, parse_dense, base)


def parse_dense(source: Source, base: int | None = None, otherwise: int | None = None) -> Dense:
    """Dense annotations from a file's bytes."""
    problems = Problems(source.name)
    rows, notes = decode_records(source, _DenseRow, label_round, problems)
    spelling = next((name for name in map(_spelling, rows) if name in SPELLINGS), SPELLINGS[0])
    for row in rows:
        if (found := _spelling(row)) != spelling:
            problems.add(row.where, "", found, f"{spelling} alone, as in the rest of the file")
    _check_lengths([row for row in rows if getattr(row, spelling) is not msgspec.UNSET], spelling, problems)
    images, rounds, base = resolve_rounds(rows, base, source, problems, otherwise)
    relevance = np.array([getattr(row, spelling) for row in rows], np.float64)
    return Dense(images, rounds, relevance, spelling, base=base, fingerprint=source.fingerprint, notes=notes)


def _spelling(row: _DenseRow) -> str:
    given = [name for name in SPELLINGS if getattr(row, name) is not msgspec.UNSET]
    return " and ".join(given) or "no relevances"


DENSE = _format("dense", "dense annotations of VisDial", "relevance", SPELLINGS, parse_dense)


class _RanksRow(RoundRow, forbid_unknown_fields=True):
    ranks: Annotated[list[Annotated[int, msgspec.Meta(ge=1, le=MOST)]], _ALL]


@dataclass(frozen=True, eq=False)
class Ranks(_Rounds):
    """Rankings of n rounds.

    image_ids  int64[n]
    rounds     int64[n], counted from 0
    ranks      int16[n, m], each row a permutation of 1 to m
    base       from where the file counts its rounds, 0 or 1
    """

    ranks: npt.NDArray[np.int16]
    per_row = ("image_ids", "rounds", "ranks")


def read_ranks(path: str | Path, base: int | None = None) -> Ranks:
    """Read a model's rankings; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, RANKS, parse_ranks, base)


def parse_ranks(source: Source, base: int | None = None, otherwise: int | None = None) -> Ranks:
    """Rankings from a file's bytes."""
    problems = Problems(source.name)
    rows, notes = decode_records(source, _RanksRow, label_round, problems)
    width = _check_lengths(rows, "ranks", problems)
    good = [row for row in rows if len(row.ranks) == width]
    ranks = np.array([row.ranks for row in good], np.int16).reshape(-1, width)
    for index in np.flatnonzero((np.sort(ranks, axis=1) != np.arange(1, width + 1)).any(axis=1)).tolist():
        row = good[index]
        problems.add(row.where, "ranks", _no_permutation(row.ranks, width), f"a permutation of 1 to {width}")
    images, rounds, base = resolve_rounds(rows, base, source, problems, otherwise)
    return Ranks(images, rounds, ranks, base=base, fingerprint=source.fingerprint, notes=notes)


def _no_permutation(ranks: list[int], width: int) -> str:
    """What is wrong with ranks: one beyond the last, or some that occur twice."""
    if beyond := [rank for rank in ranks if rank > width]:
        return f"rank {beyond[0]} of {width} options"
    twice = sorted({rank for rank in ranks if ranks.count(rank) > 1})
    return f"more than one option of rank {', '.join(map(str, twice[:5]))}" + (", …" if len(twice) > 5 else "")


RANKS = _format("ranks", "VisDial rankings of a model", "rankings", ("ranks",), parse_ranks)


class _ScoresRow(RoundRow, forbid_unknown_fields=True):
    scores: Annotated[list[float], _ALL]


@dataclass(frozen=True, eq=False)
class Scores(_Rounds):
    """Scores of n rounds.

    image_ids  int64[n]
    rounds     int64[n], counted from 0
    scores     float64[n, m], finite
    base       from where the file counts its rounds, 0 or 1
    """

    scores: npt.NDArray[np.float64]
    per_row = ("image_ids", "rounds", "scores")


def read_scores(path: str | Path, base: int | None = None) -> Scores:
    """Read a model's scores; `base` says from where rounds are counted, where the file leaves it open."""
    return read_file(path, SCORES, parse_scores, base)


def parse_scores(source: Source, base: int | None = None, otherwise: int | None = None) -> Scores:
    """Scores from a file's bytes."""
    if any(word in source.data for word in NOT_FINITE):
        _refuse_not_finite(source)
    problems = Problems(source.name)
    rows, notes = decode_records(source, _ScoresRow, label_round, problems)
    _check_lengths(rows, "scores", problems)
    images, rounds, base = resolve_rounds(rows, base, source, problems, otherwise)
    scores = np.array([row.scores for row in rows], np.float64)
    return Scores(images, rounds, scores, base=base, fingerprint=source.fingerprint, notes=notes)


def _refuse_not_finite(source: Source) -> None:
    """Name the rounds with NaN or infinity: some writers put the bare words, which JSON does not have."""
    try:
        listed = source.data.lstrip()[:1] == b"["
        texts = [source.data] if listed else [line for line in source.data.split(b"\n") if line.strip()]
        records = [json.loads(text) for text in texts]
    except (ValueError, RecursionError):
        return  # Broken otherwise; the strict reading reports how.
    problems = Problems(source.name)
    for record in records[0] if listed else records:
        values = record.get("scores") if isinstance(record, dict) else None
        for place, value in enumerate(values if isinstance(values, list) else ()):
            if isinstance(value, float) and not isfinite(value):
                problems.add(label_round(record), f"scores[{place}]", str(value), "a finite number")
                break
    problems.check()


SCORES = _format("scores", "VisDial scores of a model", "scores", ("scores",), parse_scores)
