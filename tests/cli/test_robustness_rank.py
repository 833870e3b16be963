"""`voirdire robustness rank`, `perturb`, `helpful`, `show` as they are called: good calls, and every bad input."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import InputError, UsageError, VoirDireError
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.runs import read_run

pytestmark = pytest.mark.slow

THINGS = ("dog", "cat", "bus", "tree", "boat", "cup", "lamp", "kite", "horse", "chair")
COLOURS = ("red", "green", "blue", "white", "black")


def write_questions(path: Path, texts: list[str], first: int = 1) -> str:
    rows = [{"question_id": first + at, "image_id": 5 + at // 2, "question": text} for at, text in enumerate(texts)]
    path.write_text(json.dumps({"questions": rows}))
    return str(path)


def write_annotations(path: Path, kinds: list[str], first: int = 1) -> str:
    answers = [{"answer": "yes", "answer_confidence": "yes", "answer_id": number} for number in range(1, 11)]
    rows = [
        {
            "question_id": first + at,
            "image_id": 5 + at // 2,
            "question_type": "is",
            "answer_type": kind,
            "multiple_choice_answer": "yes",
            "answers": answers,
        }
        for at, kind in enumerate(kinds)
    ]
    path.write_text(json.dumps({"annotations": rows}))
    return str(path)


class Files:
    """A pool of 100 questions, half of them yes/no, and twelve main questions, two of which are in the pool."""

    def __init__(self, folder: Path) -> None:
        texts = [f"{verb} the {thing} {colour}?" for verb in ("Is", "Why is") for thing in THINGS for colour in COLOURS]
        kinds = ["yes/no"] * 50 + ["other"] * 50
        self.folder = folder
        self.texts = texts
        self.pool = [
            write_questions(folder / "pool1.json", texts[:60]),
            write_questions(folder / "pool2.json", texts[60:], 101),
        ]
        self.annotations = [
            write_annotations(folder / "ann1.json", kinds[:60]),
            write_annotations(folder / "ann2.json", kinds[60:], 101),
        ]
        asked = [f"Is the {thing} big and red?" for thing in THINGS] + ["is the dog  red", "Why is the bus blue?"]
        self.main = write_questions(folder / "main.json", asked, 1001)
        self.base = ("--main", self.main, "--pool", self.pool[0], "--pool", self.pool[1])

    def out(self, name: str) -> str:
        return str(self.folder / name)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    made = Files(tmp_path_factory.mktemp("rank"))
    call("rank", *made.base, "--ranker", "bleu1", "-o", made.out("r.parquet"))
    return made


def call(*words: str) -> str:
    """Run a verb; what it printed, on both streams."""
    done = CliRunner().invoke(app, ["robustness", *words])
    if done.exception is not None:
        raise done.exception
    return done.output


def parsed(*words: str) -> Any:
    done = CliRunner().invoke(app, ["robustness", *words, "--json"])
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_rank_says_what_it_did(files: Files, tmp_path: Path) -> None:
    printed = call("rank", *files.base, "--ranker", "bleu1", "-o", str(tmp_path / "r.parquet"), "--workers", "2")
    assert "main questions: 12, 12 of them distinct; pool: 100 questions" in printed
    assert "neighbours: 252; 0 main questions have fewer than 21, 0 have none" in printed
    assert "in the pool themselves and left out of it: 2 main questions" in printed
    assert "rate: " in printed
    assert (tmp_path / "r.parquet").read_bytes() == Path(files.out("r.parquet")).read_bytes()


def test_rank_for_programs(files: Files, tmp_path: Path) -> None:
    shown = parsed("rank", *files.base, "--ranker", "bleu4", "--top", "5", "-o", str(tmp_path / "r.parquet"))
    measures = {name: figure["value"] for name, figure in shown["measures"].items()}
    assert (shown["exam"], measures["main_questions"], measures["pool"]) == ("robustness", 12, 100)
    assert measures["short_lists"] >= measures["empty_lists"] >= 1
    assert measures["certified"] is None
    assert shown["signature"]["options"]["ranker"] == "bleu4"
    assert shown["signature"]["data"].keys() == {"main", "pool"}


def test_a_ranking_that_is_there_is_neither_made_again_nor_replaced(files: Files, tmp_path: Path) -> None:
    out = tmp_path / "r.parquet"
    words = ("rank", *files.base, "--ranker", "bleu1", "-o", str(out))
    first, made = call(*words), out.stat().st_mtime_ns
    assert first.splitlines()[-1] == f"written: {out}"
    again = call(*words)
    assert again.splitlines()[-1] == f"there already, with the same options from the same questions: {out}"
    assert again.splitlines()[:3] == first.splitlines()[:3]
    assert "rate:" not in again
    assert out.stat().st_mtime_ns == made
    shown = parsed(*words)
    assert shown["measures"]["rate"]["value"] is None
    assert shown["signature"]["tokeniser"] == "treebank, lower case, without punctuation"
    other = ("rank", *files.base, "--ranker", "bleu2", "-o", str(out))
    fails(UsageError, r"another ranking is there already \(ranker: bleu1 against bleu2\)\. Name another file", *other)
    fails(UsageError, "top: 21 against 5", *words, "--top", "5")
    assert out.stat().st_mtime_ns == made
    assert call(*words, "--overwrite").splitlines()[-1] == f"written: {out}"
    call(*other, "--overwrite")
    assert pl.read_parquet_metadata(out)["voirdire.ranking"].count("bleu2") == 1


def test_a_ranking_that_is_not_whole_is_made_again(files: Files, tmp_path: Path) -> None:
    out = tmp_path / "r.parquet"
    words = ("rank", *files.base, "--ranker", "bleu1", "-o", str(out))
    call(*words)
    (tmp_path / "r.pool.parquet").unlink()
    assert call(*words).splitlines()[-1] == f"written: {out}"
    assert (tmp_path / "r.pool.parquet").exists()
    out.write_bytes(out.read_bytes()[:-20])
    fails(UsageError, r"is there already and is no whole ranking \(found a Parquet file that cannot be read", *words)
    out.write_text("my notes")
    fails(UsageError, r"no whole ranking \(found a file that is no Parquet", *words)
    call(*words, "--overwrite")
    assert out.read_bytes() == Path(files.out("r.parquet")).read_bytes()


def test_the_yes_no_pool(files: Files, tmp_path: Path) -> None:
    words = ("--pool-annotations", files.annotations[0], "--pool-annotations", files.annotations[1], "--yes-no")
    printed = call("rank", *files.base, *words, "--ranker", "bleu1", "-o", str(tmp_path / "yn.parquet"))
    assert "pool: 50 questions" in printed
    assert "in the pool themselves and left out of it: 1 main questions" in printed
    table = pl.read_parquet(tmp_path / "yn.parquet")
    assert table["basic_question"].str.starts_with("Is").all()


def test_keep_main_shows_the_collapse(files: Files, tmp_path: Path) -> None:
    out = str(tmp_path / "kept.parquet")
    printed = call("rank", *files.base, "--ranker", "bleu1", "--keep-main", "-o", out)
    assert "main questions that are in the pool are kept in it" in printed
    shown = parsed("show", "--ranking", out, "--question", "Why is the bus blue")
    assert shown["question"]["basic_questions"][0] == {
        "rank": 1,
        "basic_question": "Why is the bus blue?",
        "score": 1.0,
    }
    left_out = parsed("show", "--ranking", files.out("r.parquet"), "--question", "1012")
    assert left_out["question"]["basic_questions"][0]["basic_question"] != "Why is the bus blue?"


def test_perturb_one_partition(files: Files, tmp_path: Path) -> None:
    out = tmp_path / "n.json.gz"
    printed = call("perturb", "--ranking", files.out("r.parquet"), "--partition", "2", "-o", str(out))
    assert "partition 2: 12 questions: " in printed
    made = read_vqa_questions(out)
    table = pl.read_parquet(files.out("r.parquet")).filter(pl.col("question_id") == 1001)
    assert made.questions[0] == " ".join(["Is the dog big and red?", *table["basic_question"].to_list()[3:6]])
    assert made.question_ids.tolist() == list(range(1001, 1013))
    assert made.meta["info"]["partition"] == "2"
    printed = call(
        "perturb", "--ranking", files.out("r.parquet"), "--partition", "1", "--max-words", "9", "-o", str(out)
    )
    assert "12 cut, by " in printed
    assert {len(text.split()) for text in read_vqa_questions(out).questions} == {9}


def test_perturb_all_at_once(files: Files, tmp_path: Path) -> None:
    printed = call("perturb", "--ranking", files.out("r.parquet"), "--all", str(tmp_path / "noisy"))
    names = sorted(path.name for path in (tmp_path / "noisy").iterdir())
    assert names == ["clean.json", "control1.json", *(f"partition{number}.json" for number in range(1, 8))]
    assert read_vqa_questions(tmp_path / "noisy" / "clean.json").questions == read_vqa_questions(files.main).questions
    assert "warning" not in printed
    call("rank", *files.base, "--ranker", "bleu1", "--top", "7", "-o", str(tmp_path / "short.parquet"))
    printed = call("perturb", "--ranking", str(tmp_path / "short.parquet"), "--all", str(tmp_path / "short"))
    assert "warning: 3 is not written: no main question has neighbours for it" in printed
    assert len(list((tmp_path / "short").iterdir())) == 4


def test_perturb_to_standard_output(files: Files) -> None:
    words = ["robustness", "perturb", "--ranking", files.out("r.parquet"), "--partition", "1", "-o", "-"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0
    assert len(json.loads(done.stdout)["questions"]) == 12
    assert "partition 1: 12 questions: -" in done.stderr


def test_perturb_parts_of_a_ranking(files: Files, tmp_path: Path) -> None:
    rows = json.loads(Path(files.main).read_text())["questions"]
    words: tuple[str, ...] = ()
    for name, part in (("a", rows[:5]), ("b", rows[5:])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"questions": part}))
        out = str(tmp_path / f"{name}.parquet")
        base = ("--main", str(tmp_path / f"{name}.json"), *files.base[2:])
        call("rank", *base, "--ranker", "bleu1", "-o", out)
        words += ("--ranking", out)
    for partition in ("3", "control2"):
        call("perturb", *words, "--partition", partition, "-o", str(tmp_path / "parts.json"))
        whole = tmp_path / "whole.json"
        call("perturb", "--ranking", files.out("r.parquet"), "--partition", partition, "-o", str(whole))
        assert read_vqa_questions(tmp_path / "parts.json").questions == read_vqa_questions(whole).questions


def test_helpful_prints_both_tables(files: Files, tmp_path: Path) -> None:
    out = tmp_path / "h.json"
    words = ("--ranking", files.out("r.parquet"), "--questions", str(out))
    printed = call("helpful", *words, "--s1", "0.5", "--s2", "0", "--s3", "0")
    assert "score2/score1" in printed
    assert "of 12 main questions: 0 BQ: " in printed
    shown = parsed("helpful", *words)
    assert set(shown["measures"]) >= {"score1", "score1:std", "score3/score2", "added[0]", "added[3]"}
    assert len(read_vqa_questions(out)) == 12
    call("helpful", *words, "-o", str(tmp_path / "run"))
    assert read_run(tmp_path / "run").title == "robustness helpful"


def test_show_compares_two_rankings(files: Files, tmp_path: Path) -> None:
    out = str(tmp_path / "b2.parquet")
    call("rank", *files.base, "--ranker", "bleu2", "-o", out)
    shown = parsed("show", "--ranking", files.out("r.parquet"), "--overlap", out)
    assert 0 < shown["measures"]["overlap"]["value"] < 1
    printed = call("show", "--ranking", out)
    assert "bleu2, top 21: 12 main questions\n" in printed
    assert "MQ: Is the dog big and red?" in printed


def fails(kind: type[VoirDireError], message: str, *words: str) -> None:
    """The call fails so; the command says what was raised in its own words."""
    with pytest.raises(VoirDireError, match=message) as caught:
        call(*words)
    assert isinstance(caught.value.__cause__ or caught.value, kind)


def test_calls_that_cannot_be(files: Files, tmp_path: Path) -> None:
    out = ("-o", str(tmp_path / "o.parquet"))
    r = ("--ranking", files.out("r.parquet"))
    fails(
        UsageError,
        "are for lasso; bleu1 has none of them",
        "rank",
        *files.base,
        "--ranker",
        "bleu1",
        "--lambda",
        "1",
        *out,
    )
    fails(
        UsageError,
        "are for lasso; cider has none of them",
        "rank",
        *files.base,
        "--ranker",
        "cider",
        "--encoder",
        "static",
        *out,
    )
    fails(UsageError, "go together", "rank", *files.base, "--yes-no", *out)
    fails(UsageError, "go together", "rank", *files.base, "--pool-annotations", files.annotations[0], *out)
    for lam, came, why in (
        ("0", "0.0", "without a penalty"),
        ("-1", "-1.0", "a negative penalty"),
        ("inf", "inf", "with an infinite penalty no question has a part"),
        ("nan", "nan", "this is no number"),
    ):
        message = rf"--lambda must be a finite number above 0, got {came}: {why}"
        fails(UsageError, message, "rank", *files.base, "--lambda", lam, *out)
    unread = ("--main", "nowhere.json", "--pool", "nowhere.json")
    fails(UsageError, "there is no ranker 'tfidf'", "rank", *unread, "--ranker", "tfidf", *out)
    fails(UsageError, r"--output must end in \.parquet", "rank", *unread, "-o", str(tmp_path / "o.json"))
    fails(
        UsageError,
        "--partition must be .* got '9'",
        "perturb",
        *r,
        "--partition",
        "9",
        "-o",
        str(tmp_path / "q.json"),
    )
    fails(UsageError, "give --partition and --output, or --all", "perturb", *r, "--partition", "1")
    fails(UsageError, "leave --partition and --output out", "perturb", *r, "--all", "x", "--partition", "1")
    fails(
        UsageError,
        "--output must end in .json or .json.gz",
        "perturb",
        *r,
        "--partition",
        "1",
        "-o",
        str(tmp_path / "q.csv"),
    )
    fails(
        UsageError, "--questions must end in .json or .json.gz", "helpful", *r, "--questions", str(tmp_path / "q.csv")
    )
    fails(
        UsageError, "--questions must be a file, since standard output has the table", "helpful", *r, "--questions", "-"
    )
    both = ("--json", "--latex")
    fails(UsageError, "exclude each other", "helpful", *r, "--questions", str(tmp_path / "q.json"), *both)
    fails(UsageError, "exclude each other", "show", *r, "--question", "1", "--overlap", files.out("r.parquet"))
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be(files: Files, tmp_path: Path) -> None:
    out, plain = ("-o", str(tmp_path / "o.parquet")), ("--ranker", "bleu1")
    empty = write_questions(tmp_path / "empty.json", [])
    fails(
        InputError,
        r"empty\.json: field `questions`: found no question",
        "rank",
        "--main",
        files.main,
        "--pool",
        empty,
        *plain,
        *out,
    )
    fails(
        InputError,
        r"empty\.json: field `questions`: found no question",
        "rank",
        "--main",
        empty,
        *files.base[2:],
        *plain,
        *out,
    )
    fails(
        InputError,
        r"VQA annotations \(vqa_annotations\)",
        "rank",
        "--main",
        files.annotations[0],
        *files.base[2:],
        *out,
    )
    part = ("--pool-annotations", files.annotations[0], "--yes-no")
    lacking = r"ann1\.json: found no question of .*pool2\.json, expected its questions"
    fails(InputError, lacking, "rank", *files.base, *part, *plain, *out)
    other = write_annotations(tmp_path / "ann.json", ["other"] * 60)
    none = ("--main", files.main, "--pool", files.pool[0], "--pool-annotations", other, "--yes-no")
    found = r"ann\.json: field `answer_type`: found no yes/no question of the pool"
    fails(InputError, found, "rank", *none, *plain, *out)
    (tmp_path / "alone.parquet").write_bytes(Path(files.out("r.parquet")).read_bytes())
    alone = ("--ranking", str(tmp_path / "alone.parquet"), "--all", str(tmp_path / "noisy"))
    fails(InputError, r"alone\.pool\.parquet: found no such file, expected the pool", "perturb", *alone)
    (tmp_path / "cut.parquet").write_bytes(Path(files.out("r.parquet")).read_bytes()[:-50])
    for verb in (("perturb", "--partition", "1", "-o"), ("helpful", "--questions")):
        words = (str(tmp_path / "q.json"), "--ranking", str(tmp_path / "cut.parquet"))
        fails(InputError, r"cut\.parquet: found a Parquet file that cannot be read", *verb, *words)
    fails(
        InputError,
        r"cut\.parquet: found a Parquet file that cannot be read",
        "show",
        "--ranking",
        str(tmp_path / "cut.parquet"),
    )
    for text in ("Who", "²", "9" * 40):
        found = rf"r\.parquet: found no main question '{text}'"
        fails(InputError, found, "show", "--ranking", files.out("r.parquet"), "--question", text)
    fails(InputError, r"none\.parquet: found no such file", "show", "--ranking", str(tmp_path / "none.parquet"))


def test_ctrl_c_is_said_and_what_is_finished_can_be_looked_at(files: Files, tmp_path: Path) -> None:
    """Many main questions, so that there is time to stop; the same call then goes on to the same bytes."""
    texts = [f"Is the {thing} {number} {colour}?" for number in range(240) for thing in THINGS for colour in COLOURS]
    main = write_questions(tmp_path / "many.json", texts)
    out = tmp_path / "r.parquet"
    words = ["robustness", "rank", "--main", main, *files.base[2:], "--ranker", "cider", "-o", str(out)]
    command = [sys.executable, "-c", "from voirdire.cli.main import run; run()", *words]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The first call on a machine compiles, which takes minutes where much else is at work.
    for _ in range(30_000):
        if list(Path(f"{out}.work").glob("robustness.rank-*/[!.]*.shard")) or running.poll() is not None:
            break
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=300)
    assert running.returncode == 130
    assert "voirdire: stopped; files that were finished are kept" in said
    assert "Traceback" not in said
    assert not out.exists()
    head = call("show", "--ranking", str(out)).splitlines()[0]
    assert "of 12,000 main questions so far" in head
    call(*words[1:])
    assert not Path(f"{out}.work").exists()
    words[-1] = str(tmp_path / "again.parquet")
    call(*words[1:])
    assert out.read_bytes() == (tmp_path / "again.parquet").read_bytes()


def all_said(files: Files, folder: Path, *options: str) -> dict[str, str]:
    """Rank, perturb, answer every file with yes, and the files of the score."""
    call("rank", *files.base, *options, "-o", str(folder / "r.parquet"))
    printed = call("perturb", "--ranking", str(folder / "r.parquet"), "--all", str(folder / "noisy"))
    assert "not written" not in printed
    for path in (folder / "noisy").glob("*.json"):
        asked = json.loads(path.read_text())["questions"]
        answers = [{"question_id": question["question_id"], "answer": "yes"} for question in asked]
        (folder / path.name).write_text(json.dumps(answers))
    truth = write_annotations(folder / "truth.json", ["yes/no"] * 12, 1001)
    noisy = str(folder / "partition{}.json")
    given = {"--annotations": truth, "--clean": str(folder / "clean.json"), "--noisy": noisy}
    return given | {"--questions": str(folder / "noisy" / "partition{}.json")}


def score(given: dict[str, str], *words: str) -> str:
    return call("score", *(word for pair in given.items() for word in pair), *words)


def test_a_kept_main_question_can_be_scored_end_to_end(files: Files, tmp_path: Path) -> None:
    """Without neighbours `perturb` wrote no partition; filled up, all seven reach all questions."""
    given = all_said(files, tmp_path, "--ranker", "bleu4", "--keep-main")
    shown = json.loads(score(given, "--json", "-o", str(tmp_path / "run")))
    assert {shown["measures"][f"accuracy:partition{number}"]["n"] for number in range(1, 8)} == {12}
    run = read_run(tmp_path / "run")
    noise = run.signature.options["noise"]
    assert any("only fill a short list up" in warning and "of partition7" in warning for warning in run.warnings)
    assert (noise["fill_up"], noise["own_question"], noise["smoothing"]) == (True, "kept", "none")
    first = json.loads((tmp_path / "noisy" / "partition1.json").read_text())["questions"]
    assert first[10]["question"].startswith("is the dog  red Is the dog red?")


def test_noise_of_two_rankers_is_not_compared(files: Files, tmp_path: Path) -> None:
    for name in ("bleu1", "rouge_l"):
        (tmp_path / name).mkdir()
        score(all_said(files, tmp_path / name, "--ranker", name), "-o", str(tmp_path / name / "run"))
    runs = [f"{name}={tmp_path / name / 'run'}" for name in ("bleu1", "rouge_l")]
    done = CliRunner().invoke(app, ["compare", *runs])
    assert isinstance(done.exception, UsageError)
    assert "options.noise.ranker: bleu1 against rouge_l" in str(done.exception)


def test_smoothing_leaves_no_list_short(files: Files, tmp_path: Path) -> None:
    short = call("rank", *files.base, "--ranker", "bleu4", "--no-fill-up", "-o", str(tmp_path / "short.parquet"))
    assert "short lists do not reach all partitions; fill_up would fill them" in short
    smooth = ("--ranker", "bleu4", "--smoothing", "add-one")
    printed = call("rank", *files.base, *smooth, "-o", str(tmp_path / "smooth.parquet"))
    assert "neighbours: 252; 0 main questions have fewer than 21" in printed
    assert "there already" in call("rank", *files.base, *smooth, "-o", str(tmp_path / "smooth.parquet"))
    with pytest.raises(UsageError, match="smoothing: add-one against coco"):
        call("rank", *files.base, "--ranker", "bleu4", "--smoothing", "coco", "-o", str(tmp_path / "smooth.parquet"))
    with pytest.raises(UsageError, match="--smoothing is for bleu1"):
        call("rank", *files.base, "--ranker", "cider", "--smoothing", "coco", "-o", str(tmp_path / "x.parquet"))


def test_a_dataset_that_contradicts_the_files_is_refused(files: Files, tmp_path: Path) -> None:
    annotations = [word for path in files.annotations for word in ("--pool-annotations", path)]
    given = all_said(files, tmp_path, "--ranker", "bleu1", "--yes-no", *annotations)
    assert json.loads(score(given, "--json"))["signature"]["options"]["dataset"] == "yesno"
    with pytest.raises(UsageError, match=r"partition1\.json.*basic questions of yesno.*general, as --dataset says"):
        score(given, "--dataset", "general")
