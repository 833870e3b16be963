"""Reading a ranking back: all that can be wrong with it is named; parts must belong together."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from word_ranker import make, questions

from voirdire.errors import InputError
from voirdire.formats.question_ranking import Ranking, read_ranking
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.pool import make_pool, read_pool
from voirdire.robustness.ranking.files import join_rankings
from voirdire.robustness.ranking.rank import rank_questions

pytestmark = pytest.mark.slow

POOL = make_pool([questions(0, 120)])


def made(path: Path, main: VqaQuestions, **options: Any) -> Path:
    rank_questions(main, POOL, path, RankQuestionsOptions("words", top=6, **options), make=make)
    return path


def joined(paths: list[Path]) -> Ranking:
    return join_rankings([read_ranking(path) for path in paths])


@pytest.fixture
def ranked(tmp_path: Path) -> Path:
    return made(tmp_path / "r.parquet", questions(90, 60))


def changed(path: Path, out: Path, *columns: pl.Expr, drop: tuple[str, ...] = ()) -> Path:
    """The ranking with other columns, noting of itself what it said before."""
    table = pl.read_parquet(path).with_row_index("i").with_columns(*columns).drop("i", *drop)
    metadata = {"voirdire.ranking": pl.read_parquet_metadata(path)["voirdire.ranking"]}
    table.write_parquet(out, metadata=metadata)
    return out


def at(row: int, name: str, value: Any) -> pl.Expr:
    """A column with another value in one row."""
    return pl.when(pl.col("i") == row).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)


def test_a_ranking_comes_back_with_the_questions_that_have_no_neighbour(tmp_path: Path) -> None:
    main = VqaQuestions.from_rows([*questions(90, 10).rows(), *questions(199, 1, first_id=77).rows()])
    path = made(tmp_path / "r.parquet", main)
    ranking, table = read_ranking(path), pl.read_parquet(path)
    assert ranking.question_ids.tolist() == main.question_ids.tolist()
    assert ranking.image_ids.tolist() == main.image_ids.tolist()
    assert list(ranking.questions) == list(main.questions)
    assert ranking.missing == 0
    assert ranking.lengths.min() == 0
    for row, id_ in enumerate(main.question_ids.tolist()):
        rows = table.filter(pl.col("question_id") == id_)
        assert ranking.of(row) == rows["basic_question"].to_list()
        assert ranking.scores_of(row) == rows["score"].to_list()
    assert ranking.pool_indices.tolist() == table["pool_index"].to_list()
    assert [POOL.texts[place] for place in ranking.pool_indices.tolist()] == table["basic_question"].to_list()
    top = ranking.top_scores(3)
    assert top.shape == (11, 3)
    assert np.isnan(top[ranking.lengths == 0]).all()
    assert top[0].tolist() == ranking.scores_of(0)[:3]
    assert read_pool(path) == POOL or read_pool(path).texts == POOL.texts
    (tmp_path / "r.certificates.parquet").unlink()
    alone = read_ranking(path)
    assert alone.missing == int((ranking.lengths == 0).sum()) > 0
    assert f"{alone.missing} of 11 main questions have no neighbour and are not here" in alone.warnings[0]
    assert ranking.warnings == ()
    assert len(alone) == 11 - alone.missing


def test_a_table_from_elsewhere_needs_no_word_of_itself(ranked: Path, tmp_path: Path) -> None:
    pl.read_parquet(ranked).write_parquet(tmp_path / "other.parquet")
    ranking = read_ranking(tmp_path / "other.parquet")
    assert ranking.signature == {}
    assert ranking.missing == 0
    assert "other.parquet: it does not say how many rows it has" in ranking.warnings[0]
    assert "whether it is whole cannot be checked" in ranking.warnings[0]
    made(tmp_path / "p.parquet", questions(0, 3, first_id=900))
    pl.read_parquet(tmp_path / "p.parquet").write_parquet(tmp_path / "more.parquet")
    parts = joined([tmp_path / "other.parquet", tmp_path / "more.parquet"])
    assert [warning.count("cannot be checked") for warning in parts.warnings] == [1, 1]


def test_a_table_without_word_of_itself_is_held_against_the_certificates(ranked: Path) -> None:
    table = pl.read_parquet(ranked)
    table.write_parquet(ranked)
    assert read_ranking(ranked).warnings == ()
    table.head(100).write_parquet(ranked)
    with pytest.raises(InputError, match=r"other main questions or other lists, expected those of .* cut short"):
        read_ranking(ranked)


@pytest.mark.parametrize("cut", [5, 300, -1, -9])
def test_a_file_cut_short(ranked: Path, tmp_path: Path, cut: int) -> None:
    (tmp_path / "cut.parquet").write_bytes(ranked.read_bytes()[:cut])
    with pytest.raises(
        InputError, match=r"cut\.parquet: found a Parquet file that cannot be read .* expected a whole one.*cut short"
    ):
        read_ranking(tmp_path / "cut.parquet")


def test_a_table_cut_short(ranked: Path, tmp_path: Path) -> None:
    out = tmp_path / "cut.parquet"
    metadata = {"voirdire.ranking": pl.read_parquet_metadata(ranked)["voirdire.ranking"]}
    pl.read_parquet(ranked).head(100).write_parquet(out, metadata=metadata)
    with pytest.raises(InputError, match=r"found 100 rows, though the file says of itself that it has \d+.*cut short"):
        read_ranking(out)


def test_what_is_no_ranking(ranked: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no such file, expected a readable file"):
        read_ranking(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="found a folder"):
        read_ranking(tmp_path)
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InputError, match="found a file that is no Parquet"):
        read_ranking(tmp_path / "x.json")
    (tmp_path / "y.parquet.work").mkdir()
    with pytest.raises(InputError, match="not finished yet: `voirdire robustness show"):
        read_ranking(tmp_path / "y.parquet")


def test_missing_columns_and_other_kinds(ranked: Path, tmp_path: Path) -> None:
    out = tmp_path / "o.parquet"
    with pytest.raises(InputError, match=r"2 problems\n  field `rank`: found no such column; there are image_id"):
        read_ranking(changed(ranked, out, drop=("rank", "score")))
    with pytest.raises(InputError, match="field `score`: found a column of String, expected numbers"):
        read_ranking(changed(ranked, out, pl.col("score").cast(pl.String)))
    with pytest.raises(InputError, match="field `image_id`: found a column of Float64, expected whole numbers"):
        read_ranking(changed(ranked, out, pl.col("image_id").cast(pl.Float64)))
    with pytest.raises(InputError, match="field `basic_question`: found 1 empty cell, expected none"):
        read_ranking(changed(ranked, out, at(4, "basic_question", None)))


@pytest.mark.parametrize(
    ("column", "row", "value", "message"),
    [
        ("rank", 1, 3, "question 1, row 2, field `rank`: found 3, expected 1, 2, … from row to row"),
        ("rank", 0, 0, "question 1, row 1, field `rank`: found 0"),
        ("score", 1, 0.9, "question 1, row 2, field `score`: found 0.9, expected no more than the score of the rank"),
        ("score", 5, 0.0, "question 1, row 6, field `score`: found 0.0, expected a number above 0"),
        ("score", 5, -0.25, "found -0.25, expected a number above 0"),
        ("score", 5, float("nan"), "found nan, expected a number above 0"),
        ("main_question", 2, "Else?", "row 3, field `main_question`: found 'Else\\?', expected the same in all rows"),
        ("image_id", 2, 5, "row 3, field `image_id`: found 5, expected the same in all rows"),
        ("basic_question", 2, "Else?", "field `basic_question`: found several texts, expected one text per place"),
    ],
)
def test_rows_that_cannot_be(ranked: Path, tmp_path: Path, column: str, row: int, value: Any, message: str) -> None:
    dtype = pl.read_parquet_schema(ranked)[column]
    expression = at(row, column, value).cast(dtype)
    with pytest.raises(InputError, match=message):
        read_ranking(changed(ranked, tmp_path / "o.parquet", expression))


def test_a_basic_question_twice_and_rows_apart(ranked: Path, tmp_path: Path) -> None:
    table = pl.read_parquet(ranked)
    first = table.row(0, named=True)
    twice = changed(
        ranked,
        tmp_path / "o.parquet",
        at(1, "pool_index", first["pool_index"]).cast(pl.Int32),
        at(1, "basic_question", first["basic_question"]),
    )
    with pytest.raises(InputError, match=r"question 1, row 2, field `pool_index`: found .* each basic question once"):
        read_ranking(twice)
    pl.concat([table[6:], table[:6]]).write_parquet(tmp_path / "moved.parquet")
    assert len(read_ranking(tmp_path / "moved.parquet")) == table["question_id"].n_unique()
    pl.concat([table[:3], table[6:], table[3:6]]).write_parquet(tmp_path / "apart.parquet")
    with pytest.raises(InputError, match="question 1, field `question_id`: found rows in several places"):
        read_ranking(tmp_path / "apart.parquet")


def test_certificates_of_another_ranking(ranked: Path, tmp_path: Path) -> None:
    other = made(tmp_path / "other" / "r.parquet", questions(0, 20))
    (other.parent / "r.certificates.parquet").rename(tmp_path / "r.certificates.parquet")
    with pytest.raises(InputError, match=r"r\.certificates\.parquet: found certificates of another ranking"):
        read_ranking(ranked)


def test_parts_are_one_ranking(tmp_path: Path) -> None:
    whole = read_ranking(made(tmp_path / "whole.parquet", questions(90, 60)))
    rows = questions(90, 60).rows()
    paths = [
        made(tmp_path / f"{name}.parquet", VqaQuestions.from_rows(part))
        for name, part in (("a", rows[:25]), ("b", rows[25:26]), ("c", rows[26:]))
    ]
    parts = joined(paths)
    assert parts.question_ids.tolist() == whole.question_ids.tolist()
    assert list(parts.questions) == list(whole.questions)
    assert parts.asked == 60
    for row in range(60):
        assert parts.of(row) == whole.of(row)
        assert parts.scores_of(row) == whole.scores_of(row)


def test_parts_that_differ_are_not_mixed(ranked: Path, tmp_path: Path) -> None:
    main = questions(0, 9, first_id=1000)
    other = made(tmp_path / "o.parquet", main, keep_main=True)
    with pytest.raises(
        InputError, match=r"o\.parquet: found a part that differs from .*own_question: left out against"
    ):
        joined([ranked, other])
    with pytest.raises(InputError, match=r"question 1, field `question_id`: found a question that an earlier part has"):
        joined([ranked, made(tmp_path / "again.parquet", questions(30, 5))])


@pytest.mark.parametrize(
    ("name", "value"), [("encoder_hash", "0" * 64), ("encoder", "bert"), ("ranker", "bleu1"), ("lambda", 0.1)]
)
def test_another_encoder_ranker_or_lambda_in_a_part(ranked: Path, tmp_path: Path, name: str, value: Any) -> None:
    part = made(tmp_path / "part.parquet", questions(0, 9, first_id=1000))
    for file in (part, tmp_path / "part.certificates.parquet"):
        printed = json.loads(pl.read_parquet_metadata(file)["voirdire.ranking"])
        printed["signature"][name] = value
        pl.read_parquet(file).write_parquet(file, metadata={"voirdire.ranking": json.dumps(printed)})
    with pytest.raises(InputError, match=rf"a part that differs from .* \({name}: .* against .*parts of one ranking"):
        joined([ranked, part])


def test_a_pool_that_was_altered(ranked: Path, tmp_path: Path) -> None:
    beside = tmp_path / "r.pool.parquet"
    metadata = {"voirdire.ranking": pl.read_parquet_metadata(beside)["voirdire.ranking"]}
    pl.read_parquet(beside).reverse().write_parquet(beside, metadata=metadata)
    with pytest.raises(InputError, match="a pool that is not the one that it says it is"):
        read_pool(ranked)
    beside.unlink()
    with pytest.raises(InputError, match=r"r\.pool\.parquet: found no such file"):
        read_pool(ranked)
