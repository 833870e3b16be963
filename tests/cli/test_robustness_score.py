"""`voirdire robustness score`, `accuracy`, `r-score`, `rankers` and `plot` as they are called, and bad input."""

import json

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import VoirDireError
from voirdire.runs import read_run


def annotation(number, people=10):
    said = [{"answer": "yes", "answer_confidence": "yes", "answer_id": at} for at in range(1, people + 1)]
    return {
        "question_id": number,
        "image_id": number // 2,
        "question_type": "is",
        "answer_type": "yes/no",
        "multiple_choice_answer": "yes",
        "answers": said,
    }


def result(number, right=True):
    return {"question_id": number, "answer": "yes" if right else "no"}


COUNT = 12


@pytest.fixture
def files(tmp_path):
    write(tmp_path / "a.json", {"annotations": [annotation(number) for number in range(COUNT)]})
    write(tmp_path / "clean.json", [result(number, number < 10) for number in range(COUNT)])
    for partition in range(1, 8):
        write(tmp_path / f"n{partition}.json", [result(number, number < 10 - partition) for number in range(COUNT)])
    return tmp_path


def write(path, rows):
    path.write_text(json.dumps(rows))
    return path


def call(*words):
    """Exit code, stdout and stderr (with the message that `run` would print)."""
    done = CliRunner().invoke(app, ["robustness", *map(str, words)])
    if isinstance(done.exception, VoirDireError):
        return 2, done.stdout, done.stderr + str(done.exception)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def score(files, *words, annotations="a.json", clean="clean.json", noisy="n{}.json"):
    given = ("--annotations", files / annotations, "--clean", files / clean, "--noisy", files / noisy)
    return call("score", *given, *words)


def warnings_of(err):
    return [line for line in err.splitlines() if line.startswith("warning: ")]


def test_a_table_for_people(files):
    code, out, err = score(files)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].split() == ["measure", "value", "95", "%", "interval", "n"]
    rows = {line.split()[0]: line.split()[1:] for line in lines[2 : lines.index("")]}
    assert rows["accuracy"][0] == "83.33"
    assert rows["accuracy:partition1"][0] == "75.00"
    assert rows["accuracy:partition1"][-1] == "12"
    assert rows["drop:partition7"][0] == "58.33"
    assert "e-" in rows["trend_p"][0]
    assert lines[-1].startswith("robustness score|version:")


def test_json_and_a_run(files):
    code, out, err = score(files, "--json", "--control", files / "n7.json", "-o", files / "run")
    assert code == 0, err
    made = json.loads(out)
    assert made["exam"] == "robustness"
    assert set(made["measures"]["drop:control"]) == {"value", "low", "high", "n"}
    assert made["signature"]["options"] == {
        "accuracy": "official",
        "normalised": "short-answer-3",
        "dataset": "general",
        "noise": "unknown",
        "t": 0.05,
        "m": 20.0,
    }
    assert read_run(files / "run").items.height == COUNT


def test_seven_files_one_by_one_are_the_same_as_a_pattern(files):
    one_by_one = [word for partition in range(2, 8) for word in ("--noisy", files / f"n{partition}.json")]
    assert score(files, *one_by_one, noisy="n1.json")[1] == score(files)[1]


def test_options_reach_the_score(files):
    base = json.loads(score(files, "--json")[1])["measures"]["r_score"]["value"]
    other = json.loads(score(files, "--json", "--t", 1, "--m", 50, "--dataset", "yesno")[1])
    assert other["measures"]["r_score"]["value"] > base
    assert other["signature"]["options"]["dataset"] == "yesno"


def test_accuracy(files):
    code, out, err = call("accuracy", "--annotations", files / "a.json", "--results", files / "n1.json")
    assert code == 0, err
    head, _, row, *_ = out.splitlines()
    assert head.split() == ["measure", "value", "95", "%", "interval", "eq6", "n"]
    assert row.split()[:2] == ["accuracy", "75.00"]
    assert "accuracy[is]" in out


def test_r_score():
    code, out, _ = call("r-score", "--clean", 60.48, "--noisy", 54.63, "--json")
    assert code == 0
    assert round(json.loads(out)["measures"]["r_score"]["value"], 2) == 0.48
    assert "0.4833" in call("r-score", "--clean", 60.48, "--noisy", 54.63)[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--clean", "-1", "--noisy", "5"), "--clean must be at least 0, got -1.0"),
        (("--clean", "50", "--noisy", "5", "--t", "20"), "--t must be below --m, got 20 and 20"),
        (("--clean", "nan", "--noisy", "5"), "--clean must be a finite number, got nan"),
    ],
)
def test_r_score_refuses(words, message):
    code, out, err = call("r-score", *words)
    assert (code, out) == (2, "")
    assert message in err


def test_rankers_and_their_drawing(files):
    both = (
        "--ranking",
        f"lasso={files}/n{{}}.json",
        "--ranking",
        f"same={files}/n1.json,{files}/n1.json,{files}/n1.json",
    )
    code, out, err = call("rankers", "--annotations", files / "a.json", *both, "-o", files / "run")
    assert code == 0, err
    assert out.splitlines()[0].split() == ["measure", "value", "95", "%", "interval", "holm", "n"]
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[2:-2]}
    values = [rows[f"accuracy[lasso]:partition{number}"][0] for number in range(1, 8)]
    assert values == ["75.00", "66.67", "58.33", "50.00", "41.67", "33.33", "25.00"]
    low, _, high = rows["accuracy[same]:partition3"][1:4]
    assert float(low) <= 75 <= float(high)
    assert rows["accuracy[same]:partition3"][-1] == "12"
    code, out, err = call("plot", "--run", files / "run", "-o", files / "out" / "figure.svg")
    assert code == 0, err
    assert (files / "out" / "figure.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        (["lasso"], "--ranking must be a name and files, as in lasso=said/lasso_{}.json, got 'lasso'"),
        (["=x.json"], "--ranking must be a name and files, as in lasso=said/lasso_{}.json, got '=x.json'"),
        (["lasso=n{}.json", "lasso=n{}.json"], "--ranking must name each ranker once, got 'lasso' twice"),
        (["lasso=nowhere{}.json"], "nowhere1.json"),
    ],
)
def test_rankings_that_cannot_be_read(files, rankings, message):
    words = [word for ranking in rankings for word in ("--ranking", ranking)]
    code, _, err = call("rankers", "--annotations", files / "a.json", *words)
    assert code == 2
    assert message in err


def test_several_runs_and_the_curve_are_drawn(files):
    for name in ("run", "other"):
        assert score(files, "-o", files / name)[0] == 0
    words = ("--run", files / "run", "--run", files / "other", "-o", files / "figure.svg")
    code, _, err = call("plot", *words)
    assert code == 0, err
    assert "other" in (files / "figure.svg").read_text()
    assert call("plot", "--figure", "r-score", "-o", files / "curve.svg")[0] == 0
    code, out, err = call("plot", "-o", files / "none.svg")
    assert (code, out) == (2, "")
    assert "--run must be given" in err


GOOD = [result(number) for number in range(COUNT)]
BAD_RESULTS = {
    "a missing question": (GOOD[1:], "question 0: found nothing, expected what the annotations ask"),
    "an extra question": (
        [*GOOD, result(99)],
        "question 99: found this question, expected a question that the annotations ask",
    ),
    "a duplicated question": ([*GOOD, result(3, False)], "question 3, field `question_id`: found 2 records"),
    "an answer that is no string": (
        [*GOOD[1:], {"question_id": 0, "answer": 2}],
        "question 0, field `answer`: found 2",
    ),
    "no answer": ([*GOOD[1:], {"question_id": 0}], "question 0, field `answer`"),
    "another split": ([result(1000 + number) for number in range(COUNT)], "may be of another split"),
    "questions": ({"questions": [{"question_id": 0, "image_id": 0, "question": "what"}]}, "VQA questions"),
    "nothing": ([], "none of the 12 questions of the annotations"),
}


@pytest.mark.parametrize("fault", BAD_RESULTS)
@pytest.mark.parametrize("role", ["clean", "noisy"])
def test_bad_results(files, fault, role):
    rows, message = BAD_RESULTS[fault]
    write(files / "bad.json", rows)
    code, out, err = score(files, "--strict", **{role: "bad.json"})
    assert (code, out) == (2, "")
    assert message in err


BAD_ANNOTATIONS = {
    "fewer than ten answers": ([annotation(0, people=9)], "question 0, field `answers`: found 9 answers, expected 10"),
    "a duplicated question": ([annotation(0), annotation(0)], "question 0, field `question_id`: found 2 records"),
    "another split": ([annotation(1000 + number) for number in range(COUNT)], "may be of another split"),
    "none": ([], "bad.json: field `annotations`: found no question"),
}


@pytest.mark.parametrize("fault", BAD_ANNOTATIONS)
def test_bad_annotations(files, fault):
    rows, message = BAD_ANNOTATIONS[fault]
    write(files / "bad.json", {"annotations": rows})
    for code, out, err in (
        score(files, annotations="bad.json"),
        call("accuracy", "--annotations", files / "bad.json", "--results", files / "clean.json"),
    ):
        assert (code, out) == (2, "")
        assert message in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--dataset", "both"), "--dataset must be one of general, yesno, got 'both'"),
        (("--t", "-1"), "--t must be at least 0, got -1.0"),
        (("--noisy", "n8.json"), "n8.json"),
        (("--json", "--latex"), "exclude each other"),
    ],
)
def test_bad_calls(files, words, message):
    code, out, err = score(files, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_what_cannot_be_given_is_refused_before_files_are_read(files):
    assert score(files, "-o", files / "run")[0] == 0
    for words, message in (
        (("--json", "--latex"), "exclude each other"),
        (("-o", files / "run"), "there is a run already"),
        (("-o", files / "clean.json", "--overwrite"), "something that is not a run"),
    ):
        code, out, err = score(files, *words, annotations="none.json")
        assert (code, out) == (2, "")
        assert message in err


def test_common_leaves_out_and_says_so(files):
    write(files / "n4.json", GOOD[2:])
    code, out, err = score(files, "--common")
    assert code == 0
    again = score(files)
    assert again[:2] == (code, out)
    # On a busy machine one of the two calls may take long enough to report its progress.
    assert warnings_of(again[2]) == warnings_of(err)
    message = (
        "10 questions of 12 are scored. The results of partition4 lack 2 of the annotations (question 0; question 1)."
    )
    assert message in err
    row = next(line for line in out.splitlines() if line.startswith("accuracy:partition4"))
    assert row.split()[-1] == "10"
