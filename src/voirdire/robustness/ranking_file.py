"""A ranking read back: every main question with its basic questions, best first.

Read strictly: the columns are there, the rows of a question stand together, its ranks are 1, 2, …, its scores are above
0 and do not rise, no basic question comes twice, and there are as many rows as the file says of itself and as the
certificates beside it say. Several files are parts of one ranking where all that they depend on, except the main
questions, is the same. A table from elsewhere that says nothing of itself may be read, too, with a warning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voirdire.formats.question_ranking import COLUMNS, CUT_SHORT, check_rows, fail, read_table
from voirdire.formats.strict import Problems
from voirdire.robustness.pool import Pool
from voirdire.robustness.ranking.files import certificates_file, pool_file, unlike, work_folder

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Ranking", "read_pool", "read_ranking", "read_rankings"]

# What may differ between parts of one ranking.
OWN = frozenset({"main"})

Int64 = npt.NDArray[np.int64]


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
    warnings      what a reader should know of it
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

    @property
    def lengths(self) -> Int64:
        """How many basic questions each main question has."""
        return np.diff(self.first)

    @property
    def missing(self) -> int:
        """Main questions of which the lists are not here."""
        return self.asked - len(self)

    def of(self, row: int) -> list[str]:
        """The basic questions of the main question at this place, best first."""
        return [self.basic[place] for place in self.texts[self.first[row] : self.first[row + 1]].tolist()]

    def scores_of(self, row: int) -> list[float]:
        """Their scores."""
        found: list[float] = self.scores[self.first[row] : self.first[row + 1]].tolist()
        return found

    def top_scores(self, count: int) -> npt.NDArray[np.float64]:
        """float64[m, count]: the first scores of each question; NaN where its list is over."""
        columns = np.arange(count)
        there = columns < self.lengths[:, None]
        scores = np.full((len(self), count), np.nan)
        scores[there] = self.scores[(self.first[:-1, None] + columns)[there]]
        return scores


def read_ranking(path: str | Path) -> Ranking:
    """Read one ranking; main questions without neighbours come from the certificates beside it, where they are."""
    if not Path(path).exists() and work_folder(path).exists():
        hint = f"It is not finished yet: `voirdire robustness show --ranking {path}` shows what is there so far."
        raise fail(path, "no such file", "a ranking (Parquet)", hint)
    table, about = read_table(Path(path), COLUMNS)
    check_rows(str(path), table, about)
    lists, warnings = _lists(table), []
    beside = certificates_file(path)
    if beside.exists():
        asked, other = read_table(beside, ("image_id", "question_id", "main_question", "neighbours"))
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


def read_rankings(paths: Sequence[str | Path]) -> Ranking:
    """Several files as one ranking, in the order in which they are given."""
    rankings = [read_ranking(path) for path in paths]
    whole = rankings[0]
    for path, part in zip(paths[1:], rankings[1:], strict=True):
        ours, theirs = (
            {name: value for name, value in one.signature.items() if name not in OWN} for one in (whole, part)
        )
        if said := unlike(ours, theirs):
            hint = "Rank all parts with the same options and the same pool."
            raise fail(path, f"a part that differs from {paths[0]} ({said})", "parts of one ranking", hint)
        twice = np.intersect1d(whole.question_ids, part.question_ids)
        if len(twice):
            problems = Problems(str(path))
            for one in twice.tolist():
                problems.add(f"question {one}", "question_id", "a question that an earlier part has", "each once")
            problems.check()
        whole = _joined(whole, part)
    return whole


def read_pool(ranking: str | Path) -> Pool:
    """The whole pool of a ranking, from the file beside it."""
    path = pool_file(ranking)
    if not path.exists():
        hint = "Keep it beside the ranking, or write partitions one by one with --partition."
        raise fail(path, "no such file", "the pool that was ranked, which a control is drawn from", hint)
    table, about = read_table(path, ("pool_index", "basic_question"))
    texts = tuple(table["basic_question"].to_list())
    pool = Pool(texts, len(texts), 0)
    if about and pool.fingerprint != about["signature"]["pool"]:
        raise fail(path, "a pool that is not the one that it says it is", "the pool that was ranked")
    return pool


def _lists(table: "pl.DataFrame") -> dict[str, Any]:
    """The table as the arrays of a ranking."""
    ids = table["question_id"].to_numpy()
    starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1])) if len(ids) else np.empty(0, np.int64)
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
    """The lists with the main questions that have none, in the order in which they were asked."""
    lengths = asked["neighbours"].to_numpy().astype(np.int64)
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


def _joined(a: Ranking, b: Ranking) -> Ranking:
    def both(name: str) -> Any:
        return np.concatenate([getattr(a, name), getattr(b, name)])

    return Ranking(
        both("image_ids"),
        both("question_ids"),
        [*a.questions, *b.questions],
        np.concatenate([a.first, b.first[1:] + a.first[-1]]),
        both("pool_indices"),
        np.concatenate([a.texts, b.texts + len(a.basic)]),
        both("scores"),
        [*a.basic, *b.basic],
        a.asked + b.asked,
        a.signature,
        f"{a.name}, {b.name}",
        a.warnings + b.warnings,
    )
