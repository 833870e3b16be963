"""A ranking of basic questions (Parquet, our own), read strictly: what is wrong with file, columns or rows is named.

    image_id, question_id, main_question, rank, pool_index, basic_question, score    one row per neighbour

What the ranking depends on, and how many rows it has, stands in the file's metadata under `voirdire.ranking`, also in
those of the two files that are written with it: the certificates, one row per main question, and the pool.
"""

import contextlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, look
from voirdire.formats.files import Source
from voirdire.formats.strict import Problems

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "COLUMNS",
    "CUT_SHORT",
    "FORMAT",
    "METADATA",
    "RankingTable",
    "check_rows",
    "fail",
    "read_table",
    "scan_table",
]

COLUMNS = ("image_id", "question_id", "main_question", "rank", "pool_index", "basic_question", "score")
CERTIFICATES = ("image_id", "question_id", "main_question", "neighbours")
POOL = ("pool_index", "basic_question")
METADATA = "voirdire.ranking"
CUT_SHORT = "The file may have been cut short; fetch, copy or make it again."
MAGIC = b"PAR1"
TEXTS = frozenset({"main_question", "basic_question"})

Int64 = npt.NDArray[np.int64]


class _About(msgspec.Struct):
    """The layout of the metadata."""

    signature: dict[str, Any]
    main_questions: int
    rows: int


@dataclass(frozen=True, eq=False)
class RankingTable:
    """A ranking, or what is written with it.

    holds     how much that is, for people
    image_ids, question_ids  int64[rows]; empty for a pool
    about     what the file says of itself: nothing where another tool has written it
    """

    holds: str
    image_ids: Int64
    question_ids: Int64
    about: Mapping[str, Any]


def fail(path: str | Path, found: str, expected: str, hint: str = "") -> InputError:
    """An error that names one file and what is wrong with it."""
    return InputError(str(path), [Problem("", "", found, expected, hint)])


def scan_table(path: Path, columns: Sequence[str]) -> "tuple[pl.LazyFrame, dict[str, Any]]":
    """The columns of a Parquet file, not read yet, and what it says of itself; an error says what is wrong with it."""
    if not path.is_file():
        raise fail(path, "a folder" if path.is_dir() else "no such file", "a ranking (Parquet)", "Check the path.")
    with path.open("rb") as file:
        start = file.read(len(MAGIC))
    if start != MAGIC:
        raise fail(path, "a file that is no Parquet", "a ranking, as `voirdire robustness rank` writes it")
    return _scan(str(path), path, columns)


def read_table(path: Path, columns: Sequence[str]) -> "tuple[pl.DataFrame, dict[str, Any]]":
    """The columns of a Parquet file, and what it says of itself; an error says what is wrong with it."""
    lazy, about = scan_table(path, columns)
    return _read(str(path), lazy), about


def _scan(name: str, file: Path | io.BytesIO, columns: Sequence[str]) -> "tuple[pl.LazyFrame, dict[str, Any]]":
    import polars as pl

    with _damage_named(name):
        lazy = pl.scan_parquet(file, glob=False)
        schema = lazy.collect_schema()
        said = pl.read_parquet_metadata(file).get(METADATA)
    about = {} if said is None else _about(name, said)
    problems = Problems(name)
    for column in columns:
        if column not in schema:
            problems.add("", column, f"no such column; there are {', '.join(schema)}", "this column")
        elif not _fits(schema[column], column):
            problems.add("", column, f"a column of {schema[column]}", _wanted(column))
    problems.check()
    return lazy.select(columns), about


def _about(name: str, text: str) -> dict[str, Any]:
    """What a file says of itself."""
    try:
        about = msgspec.to_builtins(msgspec.json.decode(text, type=_About))
    except msgspec.DecodeError as error:
        raise fail(name, f"metadata `{METADATA}` that cannot be read ({error})", "those of a ranking") from None
    return dict(about)


def _read(name: str, lazy: "pl.LazyFrame") -> "pl.DataFrame":
    with _damage_named(name):
        table = lazy.collect()
    problems = Problems(name)
    for column in table.columns:
        if nulls := table[column].null_count():
            problems.add("", column, counted(nulls, "empty cell"), "none")
    problems.check()
    return table


@contextlib.contextmanager
def _damage_named(name: str) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        first = str(error).partition("\n")[0]
        raise fail(name, f"a damaged Parquet file ({first})", "a whole one", CUT_SHORT) from None


def _fits(dtype: Any, name: str) -> bool:
    if name in TEXTS:
        return str(dtype) == "String"
    return bool(dtype.is_float()) if name == "score" else bool(dtype.is_integer())


def _wanted(name: str) -> str:
    return "text" if name in TEXTS else "numbers" if name == "score" else "whole numbers"


def check_rows(source: str, table: "pl.DataFrame", about: Mapping[str, Any]) -> None:
    """All that can be wrong with the rows."""
    problems = Problems(source)
    if about and about["rows"] != len(table):
        found = f"{len(table):,} rows, though the file says of itself that it has {about['rows']:,}"
        problems.add("", "", found, "all rows", CUT_SHORT)
    ids = table["question_id"].to_numpy()
    starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1])) if len(ids) else np.empty(0, np.int64)
    number = np.cumsum(np.isin(np.arange(len(ids)), starts)) - 1 if len(ids) else starts
    heads, counts = np.unique(ids[starts], return_counts=True)
    for one in heads[counts > 1].tolist():
        problems.add(f"question {one}", "question_id", "rows in several places", "all rows of a question together")
    problems.check()
    place = np.arange(len(ids)) - starts[number] if len(ids) else starts
    inside = place > 0
    scores, pool = table["score"].to_numpy(), table["pool_index"].to_numpy()
    _note(problems, ids, table["rank"].to_numpy() != place + 1, "rank", table["rank"], "1, 2, … from row to row")
    _note(problems, ids, ~(np.isfinite(scores) & (scores > 0)), "score", table["score"], "a number above 0")
    rises = np.zeros(len(ids), np.bool_)
    rises[1:] = inside[1:] & (scores[1:] > scores[:-1])
    _note(problems, ids, rises, "score", table["score"], "no more than the score of the rank before")
    order = np.lexsort((place, pool, number))
    again = np.zeros(len(ids), np.bool_)
    again[order[1:]] = (number[order][1:] == number[order][:-1]) & (pool[order][1:] == pool[order][:-1])
    _note(problems, ids, again, "pool_index", table["pool_index"], "each basic question once per main question")
    for name in ("image_id", "main_question"):
        same = (table[name] == table[name].gather(starts[number])).to_numpy() if len(ids) else inside
        _note(problems, ids, ~same, name, table[name], "the same in all rows of a question")
    texts = table.select("pool_index", "basic_question").unique()
    for index in texts["pool_index"].filter(texts["pool_index"].is_duplicated()).unique().sort().to_list():
        problems.add(f"pool_index {index}", "basic_question", "several texts", "one text per place of the pool")
    problems.check()


def _note(
    problems: Problems, ids: Int64, wrong: npt.NDArray[np.bool_], field: str, column: "pl.Series", expected: str
) -> None:
    for row in np.flatnonzero(wrong).tolist():
        problems.add(f"question {ids[row]}, row {row + 1}", field, repr(column[row]), expected)


def parse_question_ranking(source: Source) -> RankingTable:
    """A ranking, its certificates or its pool from a file's bytes."""
    names = look(source).keys
    columns = next((some for some in (COLUMNS, CERTIFICATES, POOL) if names >= set(some)), COLUMNS)
    lazy, about = _scan(source.name, io.BytesIO(source.data), columns)
    rows = _read(source.name, lazy)
    if columns == POOL:
        none = np.empty(0, np.int64)
        return RankingTable(f"the pool of a ranking, {counted(len(rows), 'question')}", none, none, about)
    images, questions = (rows[name].to_numpy().astype(np.int64) for name in ("image_id", "question_id"))
    if columns == CERTIFICATES:
        if len(rows) != about.get("main_questions", len(rows)):
            found = f"{len(rows):,} main questions, though the file says of itself that there are"
            raise fail(source.name, f"{found} {about['main_questions']:,}", "all of them", CUT_SHORT)
        holds = f"the certificates of a ranking, {counted(len(rows), 'main question')}"
        return RankingTable(holds, images, questions, about)
    check_rows(source.name, rows, about)
    holds = f"{counted(len(np.unique(questions)), 'main question')}, {counted(len(rows), 'neighbour')}"
    ranker = about["signature"].get("ranker") if about else None
    return RankingTable(holds + (f", ranked by {ranker}" if ranker else ""), images, questions, about)


def _matches(sample: Sample) -> bool:
    ours = sample.keys >= set(METADATA.split(".")) and (sample.keys >= set(CERTIFICATES) or sample.keys >= set(POOL))
    return sample.first == "Parquet" and (ours or sample.keys >= set(COLUMNS))


def _notes(record: RankingTable) -> list[str]:
    if record.about:
        return []
    return ["it does not say how many rows it has (another tool has written it): whether it is whole cannot be checked"]


FORMAT = Format(
    name="question_ranking",
    title="ranking of basic questions",
    exams=("robustness",),
    matches=_matches,
    parse=parse_question_ranking,
    describe=lambda record: record.holds,
    keys=lambda record: (
        {"question": record.question_ids, "image": record.image_ids} if len(record.question_ids) else {}
    ),
    notes=_notes,
)
