"""A ranking of basic questions (Parquet, our own), read strictly.

    image_id, question_id, main_question, rank, pool_index, basic_question, score    one row per neighbour

What the ranking depends on, and how many rows it has, is in the file's metadata under `voirdire.ranking`, also in
those of the two files that are written with it: the certificates, one row per main question, and the pool.

The rows of a question are together, its ranks are 1, 2, …, its scores are above 0 and do not rise, no basic question
occurs twice, and there are as many rows as the metadata and the certificates beside the file say. Where the metadata
say that lists were filled up, they may end in rows of score 0, which are no neighbours. A table from another program,
without such metadata, may be read, too, with a warning.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.catalogue import Format, Sample, look
from voirdire.formats.files import Source, check_file, open_bytes
from voirdire.formats.parquet import PARQUET_MAGIC, check_parquet, reading_parquet
from voirdire.formats.strict import Problems
from voirdire.lazy import pl

COLUMNS = ("image_id", "question_id", "main_question", "rank", "pool_index", "basic_question", "score")
CERTIFICATES = ("image_id", "question_id", "main_question", "neighbours")
POOL = ("pool_index", "basic_question")
FILLED, FILL_UP = "filled", "fill_up"
"""A column that only the certificates of filled lists must have; the name of the option in signatures."""
METADATA = "voirdire.ranking"
CUT_SHORT = "The file may have been cut short; fetch, copy or make it again."
TEXTS = frozenset({"main_question", "basic_question"})

Int64 = npt.NDArray[np.int64]


class _About(msgspec.Struct):
    """The layout of the metadata."""

    signature: dict[str, Any]
    main_questions: int
    rows: int


@dataclass(frozen=True, eq=False)
class Ranking:
    """The lists of m main questions.

    image_ids, question_ids  int64[m]
    questions     m texts
    first         int64[m + 1]; the list of question i is first[i] to first[i + 1] of the next three
    pool_indices  int64[rows]
    texts         int64[rows], places in `basic`
    scores        float64[rows]
    basic         the distinct basic questions that are listed
    asked         how many main questions were to be ranked: more than m where some are missing here
    signature     what the lists depend on; empty where the file does not say
    name          the file, or the files, for messages about them
    warnings      what a reader should know
    """

    image_ids: Int64
    question_ids: Int64
    questions: Sequence[str]
    first: Int64
    pool_indices: Int64
    texts: Int64
    scores: npt.NDArray[np.float64]
    basic: Sequence[str]
    asked: int
    signature: Mapping[str, Any]
    name: str = "ranking"
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.question_ids)

    def only(self, rows: npt.NDArray[np.intp]) -> "Ranking":
        """The same with these main questions alone, each with its list."""
        lengths = self.lengths[rows]
        first = np.append(0, np.cumsum(lengths)).astype(np.int64)
        listed = np.repeat(self.first[rows] - first[:-1], lengths) + np.arange(first[-1])
        return replace(
            self,
            image_ids=self.image_ids[rows],
            question_ids=self.question_ids[rows],
            questions=[self.questions[row] for row in rows.tolist()],
            first=first,
            pool_indices=self.pool_indices[listed],
            texts=self.texts[listed],
            scores=self.scores[listed],
            asked=len(rows) + self.missing,
        )

    @property
    def lengths(self) -> Int64:
        """How many basic questions each main question has, those that only fill its list up among them."""
        return np.diff(self.first)

    @property
    def neighbours(self) -> Int64:
        """How many of them are neighbours: have a score above 0."""
        return np.diff(np.append(0, np.cumsum(self.scores > 0))[self.first])

    @property
    def missing(self) -> int:
        """Main questions of which the lists are not here."""
        return self.asked - len(self)

    def of(self, row: int) -> list[str]:
        """The basic questions of the main question at this place, best first."""
        return [self.basic[place] for place in self.texts[self.first[row] : self.first[row + 1]].tolist()]

    def scores_of(self, row: int) -> list[float]:
        """Their scores."""
        scores: list[float] = self.scores[self.first[row] : self.first[row + 1]].tolist()
        return scores

    def top_scores(self, count: int) -> npt.NDArray[np.float64]:
        """float64[m, count]: the scores of the first neighbours of each question; NaN where it has no more."""
        columns = np.arange(count)
        present = columns < self.neighbours[:, None]
        scores = np.full((len(self), count), np.nan)
        scores[present] = self.scores[(self.first[:-1, None] + columns)[present]]
        return scores


@dataclass(frozen=True, eq=False)
class _Table:
    """A ranking, or what is written with it.

    holds     how much that is, for people
    image_ids, question_ids  int64[rows]; empty for a pool
    about     the file's metadata; empty where another tool has written it
    """

    holds: str
    image_ids: Int64
    question_ids: Int64
    about: Mapping[str, Any]


def certificates_file(ranking: str | Path) -> Path:
    """Where the certificates of a ranking are."""
    return Path(ranking).with_suffix(".certificates.parquet")


def pool_file(ranking: str | Path) -> Path:
    """Where the pool of a ranking is."""
    return Path(ranking).with_suffix(".pool.parquet")


def work_folder(output: str | Path) -> Path:
    """Where the ranking that is to become `output` keeps what it has finished."""
    return Path(f"{output}.work")


def fail(path: str | Path, found: str, expected: str, hint: str = "") -> InputError:
    """An error that names one file and what is wrong with it."""
    return InputError(str(path), [Problem("", "", found, expected, hint)])


def scan_table(
    path: Path, columns: Sequence[str], optional: Sequence[str] = ()
) -> "tuple[pl.LazyFrame, dict[str, Any]]":
    """The columns of a Parquet file, not read yet, and its metadata; an error says what is wrong with it."""
    check_file(path)
    with open_bytes(path) as file:
        start = file.read(len(PARQUET_MAGIC))
    if start != PARQUET_MAGIC:
        raise fail(path, "a file that is no Parquet", "a ranking, as `voirdire robustness rank` writes it")
    check_parquet(path)
    return _scan(str(path), path, columns, optional)


def read_table(
    path: Path, columns: Sequence[str], optional: Sequence[str] = ()
) -> "tuple[pl.DataFrame, dict[str, Any]]":
    """The columns of a Parquet file, `optional` ones where it has them, and its metadata; an error says what is wrong
    with it."""
    lazy, about = scan_table(path, columns, optional)
    return _read(str(path), lazy), about


def _scan(
    name: str, file: Path | io.BytesIO, columns: Sequence[str], optional: Sequence[str] = ()
) -> "tuple[pl.LazyFrame, dict[str, Any]]":
    with reading_parquet(name):
        lazy = pl.scan_parquet(file, glob=False)
        schema = lazy.collect_schema()
        metadata = pl.read_parquet_metadata(file).get(METADATA)
    about = {} if metadata is None else _about(name, metadata)
    columns = [*columns, *(column for column in optional if column in schema)]
    problems = Problems(name)
    for column in columns:
        if column not in schema:
            problems.add("", column, f"no such column; there are {', '.join(schema)}", "this column")
        elif not _fits(schema[column], column):
            problems.add("", column, f"a column of {schema[column]}", _wanted(column))
    problems.check()
    return lazy.select(columns), about


def _about(name: str, text: str) -> dict[str, Any]:
    """The metadata of a file."""
    try:
        about = msgspec.to_builtins(msgspec.json.decode(text, type=_About))
    except msgspec.DecodeError as error:
        raise fail(name, f"metadata `{METADATA}` that cannot be read ({error})", "those of a ranking") from None
    return dict(about)


def _read(name: str, lazy: "pl.LazyFrame") -> "pl.DataFrame":
    with reading_parquet(name):
        table = lazy.collect()
    problems = Problems(name)
    for column in table.columns:
        if nulls := table[column].null_count():
            problems.add("", column, counted(nulls, "empty cell"), "none")
    problems.check()
    return table


def _fits(dtype: Any, name: str) -> bool:
    if name in TEXTS:
        return str(dtype) == "String"
    return bool(dtype.is_float()) if name == "score" else bool(dtype.is_integer())


def _wanted(name: str) -> str:
    return "text" if name in TEXTS else "numbers" if name == "score" else "whole numbers"


def _check_rows(source: str, table: "pl.DataFrame", about: Mapping[str, Any]) -> None:
    """Refuse rows that contradict each other or the metadata."""
    problems = Problems(source)
    if about and about["rows"] != len(table):
        found = f"{len(table):,} rows, though the file says of itself that it has {about['rows']:,}"
        problems.add("", "", found, "all rows", CUT_SHORT)
    ids = table["question_id"].to_numpy()
    starts = _starts(ids)
    number = np.cumsum(np.isin(np.arange(len(ids)), starts)) - 1 if len(ids) else starts
    heads, counts = np.unique(ids[starts], return_counts=True)
    for question in heads[counts > 1].tolist():
        problems.add(f"question {question}", "question_id", "rows in several places", "all rows of a question together")
    problems.check()
    place = np.arange(len(ids)) - starts[number] if len(ids) else starts
    inside = place > 0
    scores, pool = table["score"].to_numpy(), table["pool_index"].to_numpy()
    _note(problems, ids, table["rank"].to_numpy() != place + 1, "rank", table["rank"], "1, 2, … from row to row")
    filled = bool(about) and about["signature"].get(FILL_UP) is True
    enough = scores >= 0 if filled else scores > 0
    wanted = "a number, 0 or more" if filled else "a number above 0"
    _note(problems, ids, ~(np.isfinite(scores) & enough), "score", table["score"], wanted)
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


def _starts(ids: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The rows with which a question starts."""
    return np.flatnonzero(np.append(True, ids[1:] != ids[:-1])) if len(ids) else np.empty(0, np.intp)


def _note(
    problems: Problems, ids: Int64, wrong: npt.NDArray[np.bool_], field: str, column: "pl.Series", expected: str
) -> None:
    for row in np.flatnonzero(wrong).tolist():
        problems.add(f"question {ids[row]}, row {row + 1}", field, repr(column[row]), expected)


def read_ranking(path: str | Path) -> Ranking:
    """Read one ranking; main questions without neighbours come from the certificates beside it, where they are."""
    if not Path(path).exists() and work_folder(path).exists():
        hint = f"It is not finished yet: `voirdire robustness show --ranking {path}` shows what is there so far."
        raise fail(path, "no such file", "a ranking (Parquet)", hint)
    table, about = read_table(Path(path), COLUMNS)
    _check_rows(str(path), table, about)
    lists, warnings = _lists(table), []
    beside = certificates_file(path)
    if beside.exists():
        asked, other = read_table(beside, CERTIFICATES, optional=(FILLED,))
        if about and other.get("signature") != about["signature"]:
            raise fail(beside, "certificates of another ranking", f"those of {path}")
        lists = _with_empty(beside, lists, asked)
    elif not about:
        warnings.append(
            f"{path}: it does not say how many rows it has, and there are no certificates beside it: whether it is "
            "whole cannot be checked."
        )
    count = len(lists["question_ids"])
    asked_for = int(about.get("main_questions", count))
    if count < asked_for:
        warnings.append(
            f"{path}: {asked_for - count:,} of {asked_for:,} main questions have no neighbour and are not here without "
            "the certificates beside it."
        )
    return Ranking(
        **lists, asked=asked_for, signature=about.get("signature", {}), name=str(path), warnings=tuple(warnings)
    )


def _lists(table: "pl.DataFrame") -> dict[str, Any]:
    """The table as the arrays of a ranking."""
    ids = table["question_id"].to_numpy()
    starts = _starts(ids)
    pool = table["pool_index"].to_numpy().astype(np.int64)
    _, where, texts = np.unique(pool, return_index=True, return_inverse=True)
    return {
        "image_ids": table["image_id"].to_numpy()[starts].astype(np.int64),
        "question_ids": ids[starts].astype(np.int64),
        "questions": table["main_question"].gather(starts).to_list(),
        "first": np.append(starts, len(ids)).astype(np.int64),
        "pool_indices": pool,
        "texts": texts.astype(np.int64).reshape(-1),
        "scores": table["score"].to_numpy().astype(np.float64),
        "basic": table["basic_question"].gather(where).to_list(),
    }


def _with_empty(path: Path, lists: dict[str, Any], asked: "pl.DataFrame") -> dict[str, Any]:
    """The lists, with the main questions that have none, in the order of the certificates."""
    lengths = asked["neighbours"].to_numpy().astype(np.int64)
    if FILLED in asked.columns:
        lengths = lengths + asked[FILLED].to_numpy().astype(np.int64)
    ids = asked["question_id"].to_numpy().astype(np.int64)
    if not np.array_equal(ids[lengths > 0], lists["question_ids"]) or not np.array_equal(
        lengths[lengths > 0], np.diff(lists["first"])
    ):
        raise fail(path, "other main questions or other lists", "those of the ranking beside it", CUT_SHORT)
    return lists | {
        "image_ids": asked["image_id"].to_numpy().astype(np.int64),
        "question_ids": ids,
        "questions": asked["main_question"].to_list(),
        "first": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    }


def parse_question_ranking(source: Source) -> _Table:
    """A ranking, its certificates or its pool from a file's bytes."""
    names = look(source).keys
    columns = next((known for known in (COLUMNS, CERTIFICATES, POOL) if names >= set(known)), COLUMNS)
    check_parquet(source)
    lazy, about = _scan(source.name, io.BytesIO(source.data), columns)
    rows = _read(source.name, lazy)
    if columns == POOL:
        none = np.empty(0, np.int64)
        return _Table(f"the pool of a ranking, {counted(len(rows), 'question')}", none, none, about)
    images, questions = (rows[name].to_numpy().astype(np.int64) for name in ("image_id", "question_id"))
    if columns == CERTIFICATES:
        if len(rows) != about.get("main_questions", len(rows)):
            found = f"{len(rows):,} main questions, though the file says of itself that there are"
            raise fail(source.name, f"{found} {about['main_questions']:,}", "all of them", CUT_SHORT)
        holds = f"the certificates of a ranking, {counted(len(rows), 'main question')}"
        return _Table(holds, images, questions, about)
    _check_rows(source.name, rows, about)
    near = int((rows["score"] > 0).sum())
    holds = f"{counted(len(np.unique(questions)), 'main question')}, {counted(near, 'neighbour')}"
    if near < len(rows):
        holds += f" and {len(rows) - near:,} that only fill lists up"
    ranker = about["signature"].get("ranker") if about else None
    return _Table(holds + (f", ranked by {ranker}" if ranker else ""), images, questions, about)


def _matches(sample: Sample) -> bool:
    ours = sample.keys >= set(METADATA.split(".")) and (sample.keys >= set(CERTIFICATES) or sample.keys >= set(POOL))
    return sample.first == "Parquet" and (ours or sample.keys >= set(COLUMNS))


def _notes(record: _Table) -> list[str]:
    if record.about:
        return []
    return ["it does not say how many rows it has (another tool has written it): whether it is whole cannot be checked"]


FORMAT = Format(
    name="question_ranking",
    title="ranking of basic questions",
    matches=_matches,
    parse=parse_question_ranking,
    describe=lambda record: record.holds,
    keys=lambda record: (
        {"question": record.question_ids, "image": record.image_ids} if len(record.question_ids) else {}
    ),
    notes=_notes,
)
