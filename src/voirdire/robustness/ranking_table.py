"""The table of a ranking, read strictly: what is wrong with the file, its columns or its rows is named."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.formats.strict import Problems
from voirdire.formats.words import counted
from voirdire.robustness.ranking_output import METADATA
from voirdire.robustness.ranking_work import work_folder

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CUT_SHORT", "check_rows", "fail", "read_table", "scan_table"]

CUT_SHORT = "The file may have been cut short; fetch, copy or make it again."
TEXTS = frozenset({"main_question", "basic_question"})

Int64 = npt.NDArray[np.int64]


def fail(path: str | Path, found: str, expected: str, hint: str = "") -> InputError:
    """An error that names one file and what is wrong with it."""
    return InputError(str(path), [Problem("", "", found, expected, hint)])


def scan_table(path: Path, columns: Sequence[str]) -> "tuple[pl.LazyFrame, dict[str, Any]]":
    """The columns of a Parquet file, not read yet, and what it says of itself; an error says what is wrong with it."""
    import polars as pl

    if not path.is_file():
        found, hint = "a folder" if path.is_dir() else "no such file", "Check the path."
        if work_folder(path).exists():
            hint = f"It is not finished yet: `voirdire robustness show --ranking {path}` shows what is there so far."
        raise fail(path, found, "a ranking (Parquet)", hint)
    with path.open("rb") as file:
        start = file.read(4)
    if start != b"PAR1":
        raise fail(path, "a file that is no Parquet", "a ranking, as `voirdire robustness rank` writes it")
    with _damage_named(path):
        lazy = pl.scan_parquet(path, glob=False)
        schema = lazy.collect_schema()
        about: dict[str, Any] = json.loads(pl.read_parquet_metadata(path).get(METADATA, "{}"))
    problems = Problems(str(path))
    for name in columns:
        if name not in schema:
            problems.add("", name, f"no such column; there are {', '.join(schema)}", "this column")
        elif not _fits(schema[name], name):
            problems.add("", name, f"a column of {schema[name]}", _wanted(name))
    problems.check()
    return lazy.select(columns), about


def read_table(path: Path, columns: Sequence[str]) -> "tuple[pl.DataFrame, dict[str, Any]]":
    """The columns of a Parquet file, and what it says of itself; an error says what is wrong with it."""
    lazy, about = scan_table(path, columns)
    with _damage_named(path):
        table = lazy.collect()
    problems = Problems(str(path))
    for name in columns:
        if nulls := table[name].null_count():
            problems.add("", name, counted(nulls, "empty cell"), "none")
    problems.check()
    return table, about


@contextlib.contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        first = str(error).partition("\n")[0]
        raise fail(path, f"a damaged Parquet file ({first})", "a whole one", CUT_SHORT) from None


def _fits(dtype: Any, name: str) -> bool:
    if name in TEXTS:
        return str(dtype) == "String"
    return bool(dtype.is_float()) if name == "score" else bool(dtype.is_integer())


def _wanted(name: str) -> str:
    return "text" if name in TEXTS else "numbers" if name == "score" else "whole numbers"


def check_rows(source: str, table: "pl.DataFrame", about: Mapping[str, Any]) -> None:
    """All that can be wrong with the rows."""
    problems = Problems(source)
    if "rows" in about and about["rows"] != len(table):
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
    _note(problems, ids, again, "pool_index", table["pool_index"], "each basic question once a main question")
    for name in ("image_id", "main_question"):
        same = (table[name] == table[name].gather(starts[number])).to_numpy() if len(ids) else inside
        _note(problems, ids, ~same, name, table[name], "the same in all rows of a question")
    texts = table.select("pool_index", "basic_question").unique()
    for index in texts["pool_index"].filter(texts["pool_index"].is_duplicated()).unique().sort().to_list():
        problems.add(f"pool_index {index}", "basic_question", "several texts", "one text a place of the pool")
    problems.check()


def _note(
    problems: Problems, ids: Int64, wrong: npt.NDArray[np.bool_], field: str, column: "pl.Series", expected: str
) -> None:
    for row in np.flatnonzero(wrong).tolist():
        problems.add(f"question {ids[row]}, row {row + 1}", field, repr(column[row]), expected)
