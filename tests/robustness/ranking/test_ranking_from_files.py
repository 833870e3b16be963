"""A ranking from files: what is read, how often, and which calls are refused before anything is read."""

import json
from pathlib import Path

import polars as pl
import pytest
from word_ranker import questions

from voirdire.errors import UsageError
from voirdire.formats.vqa_questions import VqaQuestions, write_vqa_questions
from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking import rank as module
from voirdire.robustness.ranking.options import RankOptions
from voirdire.robustness.ranking.rank import rank_files, rank_questions

BLEU = RankOptions("bleu1", top=6)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    made = {"main": questions(90, 30), "pool": questions(0, 100, first_id=1001)}
    for name, records in made.items():
        write_vqa_questions(records, tmp_path / f"{name}.json")
    return {name: str(tmp_path / f"{name}.json") for name in made}


def annotations(path: Path, records: VqaQuestions) -> Path:
    """The questions that begin with "Is" are yes/no."""
    answers = [{"answer": "yes", "answer_confidence": "yes", "answer_id": number} for number in range(1, 11)]
    rows = [
        {
            "question_id": row.question_id,
            "image_id": row.image_id,
            "question_type": "is",
            "answer_type": "yes/no" if row.question.startswith("Is") else "other",
            "multiple_choice_answer": "yes",
            "answers": answers,
        }
        for row in records.rows()
    ]
    path.write_text(json.dumps({"annotations": rows}))
    return path


def test_a_file_is_read_once_in_whatever_part_it_is(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, told = [], []
    reader = module.read_vqa_questions

    def counted(path: str) -> VqaQuestions:
        read.append(path)
        return reader(path)

    monkeypatch.setattr(module, "read_vqa_questions", counted)
    main, pool = files["main"], [files["pool"], files["main"], files["pool"]]
    ranked = rank_files(main, pool, tmp_path / "f.parquet", BLEU, reading=lambda *at: told.append(at))
    assert read == [files["main"], files["pool"]]
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert ranked.own == 30
    records = [reader(path) for path in pool]
    rank_questions(reader(main), make_pool(records), tmp_path / "r.parquet", BLEU)
    assert (tmp_path / "f.parquet").read_bytes() == (tmp_path / "r.parquet").read_bytes()


def test_the_yes_no_questions_of_the_pool(files: dict[str, str], tmp_path: Path) -> None:
    options = RankOptions("bleu1", top=6, yes_no=True)
    said = annotations(tmp_path / "annotations.json", questions(0, 100, first_id=1001))
    ranked = rank_files(files["main"], [files["pool"]], tmp_path / "r.parquet", options, [said])
    assert ranked.pool == 50
    assert pl.read_parquet(tmp_path / "r.pool.parquet")["basic_question"].str.starts_with("Is").all()


def test_calls_that_cannot_be(tmp_path: Path) -> None:
    out, unread = tmp_path / "r.parquet", ("nowhere.json", ["nowhere.json"])
    for options, given, message in (
        (RankOptions("bleu1", lam=1.0), [], "`lam` and `encoder` are for lasso; bleu1 has neither"),
        (RankOptions("cider", encoder="static"), [], "are for lasso; cider has neither"),
        (RankOptions(yes_no=True), [], "`yes_no` and `pool_annotations` go together"),
        (RankOptions(), ["nowhere.json"], "`yes_no` and `pool_annotations` go together"),
        (RankOptions("tfidf"), [], "there is no ranker 'tfidf'"),
    ):
        with pytest.raises(UsageError, match=message):
            rank_files(*unread, out, options, given)
    with pytest.raises(UsageError, match=r"ends in \.parquet"):
        rank_files(*unread, tmp_path / "r.json")
    assert list(tmp_path.iterdir()) == []
