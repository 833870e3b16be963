"""The part that ranks: what is read, how often, what it says, and which calls are refused before anything is read."""

import json
from pathlib import Path

import polars as pl
import pytest
from word_ranker import At, questions

from voirdire.call import Call
from voirdire.errors import UsageError
from voirdire.exam import Outcome, measures_of, part_named
from voirdire.formats import files as format_files
from voirdire.formats.vqa_questions import VqaQuestions, read_vqa_questions, write_vqa_questions
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking.rank import rank_questions

BLEU = RankQuestionsOptions("bleu1", top=6)


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


def rank(
    files: dict[str, str], out: Path, options: RankQuestionsOptions = BLEU, stages: Stages = UNSEEN, **given: object
) -> Outcome:
    part = part_named("robustness rank")
    outcome = Call(part, {"main": files["main"], "pool": [files["pool"]], **given}, options, {"output": str(out)}).run(
        stages
    )
    assert isinstance(outcome, Outcome)
    return outcome


def test_a_file_is_read_once_in_whatever_part_it_is(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    results: list[tuple[int, int]] = []
    reader = read_vqa_questions
    monkeypatch.setattr(format_files, "_read", lambda name, own=format_files._read: read.append(name) or own(name))
    pool = [files["pool"], files["main"], files["pool"]]
    outcome = rank(files, tmp_path / "f.parquet", stages=At(read=lambda *at: results.append(at)), pool=pool)
    assert read == [files["main"], files["pool"]]
    monkeypatch.undo()
    assert results == [*((done, 4) for done in range(4)), (4, 4)]
    assert outcome.run is not None
    assert outcome.run.measures["in_pool"].value == 30
    records = [reader(path) for path in pool]
    rank_questions(reader(files["main"]), make_pool(records), tmp_path / "r.parquet", BLEU)
    assert (tmp_path / "f.parquet").read_bytes() == (tmp_path / "r.parquet").read_bytes()


def test_the_yes_no_questions_of_the_pool(files: dict[str, str], tmp_path: Path) -> None:
    options = RankQuestionsOptions("bleu1", top=6, yes_no=True)
    said = annotations(tmp_path / "annotations.json", questions(0, 100, first_id=1001))
    outcome = rank(files, tmp_path / "r.parquet", options, pool_annotations=[str(said)])
    assert outcome.lines[0].endswith("pool: 50 questions")
    assert pl.read_parquet(tmp_path / "r.pool.parquet")["basic_question"].str.starts_with("Is").all()


@pytest.mark.slow
def test_it_says_what_it_did_and_whether_it_was_there_already(files: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "r.parquet"
    first, again = rank(files, out), rank(files, out)
    assert first.lines[-1] == f"written: {out}"
    assert again.lines[-1] == f"there already, with the same options from the same questions: {out}"
    assert first.run is not None
    assert list(first.run.measures) == [measure.key for measure in measures_of(first.run).values()]
    assert first.run.options == BLEU.plain()


def test_calls_that_cannot_be(files: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "r.parquet"
    message = [str(annotations(tmp_path / "annotations.json", questions(0, 100, first_id=1001)))]
    for options, given in (
        (RankQuestionsOptions(yes_no=True), {}),
        (RankQuestionsOptions(), {"pool_annotations": message}),
    ):
        with pytest.raises(UsageError, match="`yes_no` and `pool_annotations` go together"):
            rank(files, out, options, **given)
    for options in (
        RankQuestionsOptions("bleu1", lam=1.0),
        RankQuestionsOptions("cider", encoder="static"),
        RankQuestionsOptions("meteor", objective="scikit-learn"),
    ):
        message = f"`lambda`, `encoder` and `objective` are for lasso; {options.ranker} has none of them"
        with pytest.raises(UsageError, match=message):
            rank(files, out, options)
    unread = {"main": "nowhere.json", "pool": "nowhere.json"}
    with pytest.raises(UsageError, match="there is no ranker 'tfidf'"):
        rank(unread, out, RankQuestionsOptions("tfidf"))
    assert not out.exists()
    assert not Path(f"{out}.work").exists()
