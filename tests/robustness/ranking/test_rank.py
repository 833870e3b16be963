"""The ranking map: what it writes, the same bytes for any number of workers, and what a kill -9 leaves is used."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import word_ranker
from word_ranker import At, WordRanker, make, questions

from voirdire.engine import Here, Processes
from voirdire.errors import InputError, OutputError, UsageError
from voirdire.formats.question_ranking import COLUMNS, read_ranking
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.pool import Pool, make_pool
from voirdire.robustness.ranking import files
from voirdire.robustness.ranking import rank as module
from voirdire.robustness.ranking.files import read_any_ranking, read_unfinished
from voirdire.robustness.ranking.rank import rank_questions
from voirdire.robustness.ranking.summary import Ranked, as_run, read_summary

pytestmark = pytest.mark.slow

SHARD = 16
OPTIONS = RankQuestionsOptions("words", top=6)


@pytest.fixture
def pool() -> Pool:
    return make_pool([questions(0, 120)])


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHARD", SHARD)
    monkeypatch.setattr(files, "SHARD", SHARD)
    monkeypatch.setattr(files, "GROUP", 64)


def rank(
    main: VqaQuestions, pool: Pool, out: Path, options: RankQuestionsOptions = OPTIONS, workers: int = 1
) -> Ranked:
    engine = Here() if workers == 1 else Processes(workers)
    return rank_questions(main, pool, out, options, engine=engine, make=make)


def with_odd_ones() -> VqaQuestions:
    """Main questions of which some come twice, one has no text, one is like no other, and one is spelt differently."""
    rows = [*questions(90, 80).rows(), *questions(92, 5, first_id=500).rows()]
    rows += [VqaQuestion(900, 1, " ?"), VqaQuestion(901, 1, "Why?"), VqaQuestion(902, 2, "is the DOG  red")]
    return VqaQuestions.from_rows(rows)


def test_the_table_holds_each_main_questions_list(pool: Pool, tmp_path: Path) -> None:
    main, out = with_odd_ones(), tmp_path / "deep" / "r.parquet"
    ranked = rank(main, pool, out)
    table = pl.read_parquet(out)
    assert table.columns == list(COLUMNS)
    expected = []
    for row in main.rows():
        own = pool.find(row.question)
        left_out = np.array([] if own is None else [own], np.int64)
        found = WordRanker(pool.texts).rank([row.question], [left_out], 6)
        for at, place in enumerate(found.places[0].tolist()):
            if place >= 0 and row.question != " ?":
                score = found.scores[0, at]
                line = (row.image_id, row.question_id, row.question, at + 1, place, pool.texts[place], score)
                expected.append(line)
    assert table.rows() == expected
    assert ranked.rows == len(expected)
    assert sorted(path.name for path in out.parent.iterdir()) == [
        "r.certificates.parquet",
        "r.parquet",
        "r.pool.parquet",
    ]


def test_a_second_table_holds_the_certificates(pool: Pool, tmp_path: Path) -> None:
    main, out = with_odd_ones(), tmp_path / "r.parquet"
    ranked = rank(main, pool, out)
    table = pl.read_parquet(tmp_path / "r.certificates.parquet")
    names = ["image_id", "question_id", "main_question", "neighbours", "filled", "left_out", "gap", "status", "reason"]
    assert table.columns == names
    assert table["main_question"].to_list() == list(main.questions)
    assert table["left_out"].to_list() == [pool.find(text) for text in main.questions]
    blank, like_none, spelt = table.rows(named=True)[-3:]
    assert (blank["neighbours"], blank["gap"], blank["status"]) == (0, None, None)
    assert (like_none["neighbours"], like_none["left_out"], like_none["status"]) == (0, None, "certified")
    assert (spelt["neighbours"], spelt["left_out"]) == (6, 0)
    lengths = pl.read_parquet(out).group_by("question_id").len()
    joined = table.join(lengths, "question_id", "left").with_columns(pl.col("len").fill_null(0))
    assert (joined["len"] == joined["neighbours"]).all()
    horses = {text for text in main.questions if "horse" in text}
    distinct = len(set(main.questions)) - 1
    assert ranked == Ranked(
        questions=88,
        texts=distinct,
        own=36,
        pool=120,
        rows=len(pl.read_parquet(out)),
        lists=0,
        filled=0,
        short=int((table["neighbours"] < 6).sum()),
        empty=int((table["neighbours"] == 0).sum()),
        certified=distinct - len(horses),
        reasons={"the gap is open": len(horses)},
        kept=0,
        finished=False,
        signature=ranked.signature,
    )
    run = as_run(replace(ranked, seconds=2.0))
    assert run.measures["rate"].value == distinct / 2
    assert json.loads(run.to_json())["measures"]["certified"] == {
        "value": distinct - len(horses),
        "low": None,
        "high": None,
        "n": distinct,
    }
    assert run.warnings == (f"{len(horses)} lists are not proved: the gap is open.",)


def test_every_file_says_what_it_depends_on(pool: Pool, tmp_path: Path) -> None:
    rank(questions(0, 40), pool, tmp_path / "r.parquet", RankQuestionsOptions("lasso", 1e-4, 3))
    printed = [
        json.loads(pl.read_parquet_metadata(tmp_path / name)["voirdire.ranking"])
        for name in ("r.parquet", "r.certificates.parquet", "r.pool.parquet")
    ]
    assert printed[0] == printed[1] == printed[2]
    signature = printed[0]["signature"]
    assert signature["pool"] == pool.fingerprint
    assert (signature["ranker"], signature["lambda"], signature["top"]) == ("lasso", 1e-4, 3)
    assert signature["objective"] == "1/2 |Ax - b|^2 + lambda |x|_1"
    assert signature["own_question"] == "left out"
    assert signature["reading"] == "words in common"
    assert printed[0]["main_questions"] == 40


def test_the_same_bytes_for_any_number_of_workers(pool: Pool, tmp_path: Path) -> None:
    results = []
    for workers in (1, 2, 3):
        rank(with_odd_ones(), pool, tmp_path / str(workers) / "r.parquet", workers=workers)
        results.append([path.read_bytes() for path in sorted((tmp_path / str(workers)).iterdir())])
    assert results[0] == results[1] == results[2]
    assert len(results[0]) == 3


def test_a_main_question_that_is_kept_in_the_pool_is_its_own_first(pool: Pool, tmp_path: Path) -> None:
    main = questions(0, 40)
    rank(main, pool, tmp_path / "out.parquet")
    ranked = rank(main, pool, tmp_path / "kept.parquet", RankQuestionsOptions("words", top=6, keep_main=True))
    out, kept = (read_ranking(tmp_path / name) for name in ("out.parquet", "kept.parquet"))
    for row, text in enumerate(main.questions):
        assert text not in out.of(row)
        assert (kept.of(row)[0], kept.scores_of(row)[0]) == (text, 1.0)
    assert ranked.own == 0
    assert kept.signature["own_question"] == "kept"


CALL = """
import sys
sys.path.insert(0, sys.argv[1])
from word_ranker import make_stuck, questions
from voirdire.robustness.ranking import rank as module
from voirdire.robustness.pool import make_pool
from voirdire.engine import Here, Processes
if __name__ == "__main__":
    module.SHARD = 16
    engine = Processes(2) if sys.argv[3] == "2" else Here()
    module.rank_questions(questions(90, 200), make_pool([questions(0, 120)]), sys.argv[2],
                          module.RankQuestionsOptions("words", top=6), engine=engine, make=make_stuck)
"""


def started(tmp_path: Path, out: Path, workers: int) -> "subprocess.Popen[str]":
    """A run in a process of its own, which has finished two shards and is still at work."""
    script = tmp_path / "call.py"
    script.write_text(CALL)
    words = [sys.executable, str(script), str(Path(word_ranker.__file__).parent), str(out), str(workers)]
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(2400):
        if len(list(Path(f"{out}.work").glob("robustness.rank-*/[!.]*.shard"))) >= 2 or running.poll() is not None:
            break
        time.sleep(0.05)
    return running


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_killed_run_finished_is_shown_and_not_done_again(pool: Pool, tmp_path: Path, workers: int) -> None:
    main, out = questions(90, 200), tmp_path / "r.parquet"
    running = started(tmp_path, out, workers)
    while_it_runs = read_unfinished(out)
    assert running.poll() is None
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    assert running.returncode == -signal.SIGKILL
    assert not out.exists()
    shown = read_any_ranking(out)
    assert while_it_runs is not None
    assert 32 <= len(while_it_runs) <= len(shown) < 200
    assert shown.asked == 200
    results: list[tuple[int, int]] = []
    ranked = rank_questions(main, pool, out, OPTIONS, make=make, stages=At(rank=lambda *at: results.append(at)))
    assert results[0][0] == ranked.kept >= 32
    assert results[-1] == (200, 200)
    assert not Path(f"{out}.work").exists()
    rank(main, pool, tmp_path / "whole" / "r.parquet")
    for name in ("r.parquet", "r.certificates.parquet", "r.pool.parquet"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    whole = read_ranking(out)
    rows = {id_: row for row, id_ in enumerate(whole.question_ids.tolist())}
    for row, one in enumerate(shown.question_ids.tolist()):
        assert shown.of(row) == whole.of(rows[one])
        assert shown.scores_of(row) == whole.scores_of(rows[one])


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_stops_and_keeps_what_is_finished(pool: Pool, tmp_path: Path, workers: int) -> None:
    out = tmp_path / "r.parquet"
    running = started(tmp_path, out, workers)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert running.returncode not in (0, -signal.SIGKILL)
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert not out.exists()
    assert rank(questions(90, 200), pool, out).kept >= 32


def test_a_stopped_run_is_not_gone_on_with_by_another(pool: Pool, tmp_path: Path) -> None:
    main, out = questions(0, 40), tmp_path / "r.parquet"

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rank_questions(main, pool, out, OPTIONS, make=make, stages=At(rank=stop))
    with pytest.raises(
        UsageError, match=r"r\.parquet\.work: holds the unfinished work of another run \(top: 6 against 7"
    ):
        rank(main, pool, out, RankQuestionsOptions("words", top=7))
    with pytest.raises(UsageError, match=r"another run \(main: [0-9a-f]{12} against [0-9a-f]{12}\)"):
        rank(questions(1, 40), pool, out)
    with pytest.raises(UsageError, match=r"another run \(pool: "):
        rank(main, make_pool([questions(0, 119)]), out)
    assert rank(main, pool, out).kept == SHARD


def test_a_damaged_shard_is_made_again(pool: Pool, tmp_path: Path) -> None:
    main, out = questions(0, 40), tmp_path / "r.parquet"

    def stop(done: int, total: int) -> None:
        if done == 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rank_questions(main, pool, out, OPTIONS, make=make, stages=At(rank=stop))
    shard = sorted(Path(f"{out}.work").glob("robustness.rank-*/[!.]*.shard"))[0]
    shard.write_bytes(shard.read_bytes()[:-5])
    assert rank(main, pool, out).kept == SHARD
    rank(main, pool, tmp_path / "whole.parquet")
    assert out.read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_what_cannot_be_asked_for(pool: Pool, tmp_path: Path) -> None:
    main, out = questions(0, 3), tmp_path / "r.parquet"
    with pytest.raises(UsageError, match=r"r\.json: a ranking is written to a file whose name ends in \.parquet"):
        rank(main, pool, tmp_path / "r.json")
    (tmp_path / "f.parquet").mkdir()
    with pytest.raises(OutputError, match="it is a folder"):
        rank(main, pool, tmp_path / "f.parquet")
    with pytest.raises(InputError, match="main questions: field `questions`: found no question"):
        rank(questions(0, 0), pool, out)
    for lam in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="`lambda` must be a finite number above 0, got"):
            RankQuestionsOptions(lam=lam)
    with pytest.raises(UsageError, match="`top` must be at least 1, got 0"):
        RankQuestionsOptions(top=0)
    with pytest.raises(UsageError, match=r"there is no ranker 'bleu9'; there are: .*bleu1"):
        rank_questions(main, pool, out, RankQuestionsOptions("bleu9"))
    assert not Path(f"{out}.work").exists()


def test_a_run_that_finished_nothing_stands_in_nobodys_way(pool: Pool, tmp_path: Path) -> None:
    main, out = questions(0, 40), tmp_path / "r.parquet"

    def fail(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rank_questions(questions(7, 30), pool, out, OPTIONS, make=make, stages=At(rank=fail))
    assert read_unfinished(out) is not None
    rank(main, pool, out)
    assert read_ranking(out).question_ids.tolist() == main.question_ids.tolist()


def test_two_runs_at_once_do_not_write_to_one_file(pool: Pool, tmp_path: Path) -> None:
    main, out = questions(0, 40), tmp_path / "r.parquet"

    def again(done: int, total: int) -> None:
        with pytest.raises(UsageError, match="another run is at work here"):
            rank(main, pool, out)

    rank_questions(main, pool, out, OPTIONS, make=make, stages=At(rank=again))
    assert len(read_ranking(out)) == 40


def test_a_ranking_of_blank_questions_alone_is_empty_but_whole(pool: Pool, tmp_path: Path) -> None:
    out = tmp_path / "r.parquet"
    ranked = rank(VqaQuestions.from_rows([VqaQuestion(1, 1, "?")]), pool, out)
    assert (ranked.texts, ranked.empty, ranked.rows) == (0, 1, 0)
    assert read_ranking(out).questions == ["?"]
    assert read_ranking(out).of(0) == []


def test_a_list_is_no_longer_than_the_pool(tmp_path: Path) -> None:
    main, small, out = questions(0, 40), make_pool([questions(0, 12)]), tmp_path / "r.parquet"
    many = RankQuestionsOptions("words", top=10_000)
    ranked = rank(main, small, out, many)
    rank(main, small, tmp_path / "s.parquet", RankQuestionsOptions("words", top=12))
    assert pl.read_parquet(out).equals(pl.read_parquet(tmp_path / "s.parquet"))
    message = "10,000 neighbours were asked for, and the pool has 12 questions: no list is longer."
    # Also where it is there already.
    for one in (ranked, rank(main, small, out, many)):
        assert as_run(one).warnings[0] == message
    assert not any("asked for" in warning for warning in as_run(read_summary(tmp_path / "s.parquet")).warnings)


def test_what_is_finished_of_longer_lists_than_the_pool_can_be_looked_at(tmp_path: Path) -> None:
    main, small, out = questions(0, 40), make_pool([questions(0, 12)]), tmp_path / "r.parquet"
    with pytest.raises(KeyboardInterrupt):
        rank_questions(
            main, small, out, RankQuestionsOptions("words", top=10_000), make=make, stages=At(rank=_stop_after_one)
        )
    unfinished = read_unfinished(out)
    assert unfinished is not None
    assert len(unfinished) == SHARD


def _stop_after_one(done: int, total: int) -> None:
    if done:
        raise KeyboardInterrupt


def test_a_call_that_finds_all_finished_sweeps_what_the_killed_one_kept(pool: Pool, tmp_path: Path) -> None:
    main, out = questions(0, 40), tmp_path / "r.parquet"
    with pytest.raises(KeyboardInterrupt):
        rank_questions(main, pool, out, OPTIONS, make=make, stages=At(rank=_stop_after_one))
    work = Path(f"{out}.work")
    work.rename(tmp_path / "kept")
    rank(main, pool, out)
    (tmp_path / "kept").rename(work)
    assert rank(main, pool, tmp_path / "r.parquet").finished
    assert not work.exists()


def test_a_record_of_the_run_that_nobody_can_read_does_not_stop_it(pool: Pool, tmp_path: Path) -> None:
    main, out = questions(0, 40), tmp_path / "r.parquet"
    with pytest.raises(KeyboardInterrupt):
        rank_questions(main, pool, out, OPTIONS, make=make, stages=At(rank=_stop_after_one))
    for name in ("signature.json", "questions.msgpack"):
        (Path(f"{out}.work") / name).write_bytes(b"{")
    assert read_unfinished(out) is None
    assert rank(main, pool, out).kept == SHARD
    assert not Path(f"{out}.work").exists()
