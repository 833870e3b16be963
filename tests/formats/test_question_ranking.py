"""Rankings of basic questions are recognised and checked as any other file."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from voirdire.formats.question_ranking import METADATA
from voirdire.validation import examine, validate

ROWS = [(7, 71, "Is it red?", rank, pool, f"Is it {pool}?", 1 / rank) for rank, pool in ((1, 4), (2, 0), (3, 2))] + [
    (8, 81, "Why?", 1, 2, "Is it 2?", 0.5)
]
NAMES = ("image_id", "question_id", "main_question", "rank", "pool_index", "basic_question", "score")


def written(path: Path, rows: list[tuple[Any, ...]] = ROWS, count: int | None = len(ROWS)) -> Path:
    about = {"signature": {"ranker": "cider"}, "main_questions": 2, "rows": count}
    table = pl.DataFrame(rows, schema=NAMES, orient="row")
    table.write_parquet(path, metadata=None if count is None else {METADATA: json.dumps(about)})
    return path


def test_it_is_recognised_and_described(tmp_path: Path) -> None:
    examined = examine(written(tmp_path / "r.parquet"))
    assert (examined.format, examined.exams, examined.problem_count) == ("question_ranking", ("robustness",), 0)
    assert examined.holds == "2 main questions, 4 neighbours, ranked by cider"
    assert examined.notes == ()
    assert examined.ids["question"].tolist() == [71, 81]
    assert examined.ids["image"].tolist() == [7, 8]


def test_one_of_another_tool_may_be_cut_short_without_a_trace(tmp_path: Path) -> None:
    examined = examine(written(tmp_path / "r.parquet", count=None))
    assert examined.ok
    assert examined.holds == "2 main questions, 4 neighbours"
    assert "whether it is whole cannot be checked" in examined.notes[0]


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    short = examine(written(tmp_path / "r.parquet", ROWS[:2]))
    assert "2 rows, though the file says of itself that it has 4" in str(short.problems[0])
    rising = examine(written(tmp_path / "r.parquet", [*ROWS[:3], (8, 81, "Why?", 2, 2, "Is it 2?", 0.5)]))
    assert "question 81, row 4, field `rank`: found 2" in str(rising.problems[0])


@pytest.mark.parametrize("cut", [60, -1, -9])
def test_a_file_cut_short(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path / "r.parquet")
    path.write_bytes(path.read_bytes()[:cut])
    examined = examine(path)
    assert not examined.ok
    assert "cut short" in str(examined.problems[0])


@pytest.mark.slow
def test_what_is_written_with_it_is_known_too(tmp_path: Path) -> None:
    about = {METADATA: json.dumps({"signature": {}, "main_questions": 2, "rows": 4})}
    pool = pl.DataFrame({"pool_index": [0, 1], "basic_question": ["Why?", "Is it?"]})
    pool.write_parquet(tmp_path / "r.pool.parquet", metadata=about)
    assert examine(tmp_path / "r.pool.parquet").holds == "the pool of a ranking, 2 questions"
    each = pl.DataFrame(
        {"image_id": [7, 8], "question_id": [71, 81], "main_question": ["a", "b"], "neighbours": [3, 1]}
    )
    each.write_parquet(tmp_path / "r.certificates.parquet", metadata=about)
    examined = examine(tmp_path / "r.certificates.parquet")
    assert (examined.holds, examined.ok) == ("the certificates of a ranking, 2 main questions", True)
    each.head(1).write_parquet(tmp_path / "r.certificates.parquet", metadata=about)
    examined = examine(tmp_path / "r.certificates.parquet")
    assert "1 main questions, though the file says of itself that there are 2" in str(examined.problems[0])


def test_other_parquet_is_not_a_ranking(tmp_path: Path) -> None:
    pl.DataFrame({"pool_index": [0], "basic_question": ["Why?"]}).write_parquet(tmp_path / "x.parquet")
    examined = examine(tmp_path / "x.parquet")
    assert examined.format is None
    assert "none of those that are known: rankings of basic questions" in str(examined.problems[0])


@pytest.mark.slow
def test_it_is_compared_with_its_questions(tmp_path: Path) -> None:
    """A main question without neighbours has no row, so that a ranking may lack questions; it may have no others."""
    asked = [{"question_id": id_, "image_id": id_ // 10, "question": "?"} for id_ in (71, 81, 91)]
    (tmp_path / "q.json").write_text(json.dumps({"questions": asked}))
    path = written(tmp_path / "r.parquet")
    assert validate(path, against=tmp_path / "q.json").ok
    (tmp_path / "q.json").write_text(json.dumps({"questions": asked[1:]}))
    assert validate(path, against=tmp_path / "q.json").ok
    assert not validate(path, against=tmp_path / "q.json", strict=True).ok
