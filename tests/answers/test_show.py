"""One round with its sets, answers and scores."""

import json

import numpy as np
import pytest
from score_records import generations, references
from typer.testing import CliRunner

from voirdire.answers.exam import BoundOptions, ScoreAnswersOptions, ShowRoundOptions
from voirdire.answers.score import score_answers, score_bounds
from voirdire.answers.show import show_round
from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.formats.references import write_references
from voirdire.runs import write_run

SETS = references([["a b", "a cab"], ["bad", "a bad dab"], ["d"]])
SMALLER = references([["a b"], ["bad"], ["d"]])
RUN = score_answers(
    generations([["a b", "c"], ["bad", ""], ["", ""]]), SETS, ScoreAnswersOptions(measures=("cider", "rouge"))
)


def test_a_round_with_its_sets_answers_and_scores():
    outcome = show_round([("m", RUN)], [("H", SETS), ("S", SMALLER)])
    image, round_ = (RUN.items[name][0] for name in ("image_id", "round"))
    score = RUN.items["rouge_l"][0]
    assert outcome.lines[:3] == (
        f"image {image}, round {round_} (counted from 0)",
        "question: what is it",
        "true answer: a b",
    )
    assert outcome.lines[3:10] == ("", "H: 2 answers", "  a b", "  a cab", "", "S: 1 answer", "  a b")
    assert f"rouge_l {score:.4f}" in outcome.lines[11]
    assert outcome.lines[12:] == ("  a b", "  c")
    assert outcome.value["sets"] == {"H": ["a b", "a cab"], "S": ["a b"]}
    assert outcome.value["runs"]["m"]["scores"]["rouge_l"] == score


def test_without_files_of_sets_it_is_the_run_s():
    outcome = show_round([("m", RUN)])
    assert outcome.value["sets"] == {"valid answers": ["a b", "a cab"]}


def test_a_round_is_named_by_image_and_number():
    last = int(RUN.items["image_id"][2])
    outcome = show_round([("m", RUN)], options=ShowRoundOptions(image=last))
    assert outcome.value["image_id"] == last
    assert outcome.lines[-1] == "  (no text)"
    assert outcome.value["runs"]["m"] == {"answers": [], "scores": {}}


def test_what_cannot_be_shown():
    lonely = SETS.only(np.array([2]))
    for given, options, says in (
        ((None, None), ShowRoundOptions(), "`run` or `references` must be given"),
        (([("m", RUN)],), ShowRoundOptions(image=99), "m has no round of image 99"),
        (([("m", RUN)],), ShowRoundOptions(round=7), r"m has no round 7 \(counted from 0\)"),
        (
            ([("m", RUN)], [("H", lonely)]),
            ShowRoundOptions(image=int(RUN.items["image_id"][0])),
            "H has no round of image",
        ),
        (
            ([("b", score_bounds(SETS, BoundOptions(measures=("rouge",))))],),
            ShowRoundOptions(),
            "b: a run of `answers bounds`",
        ),
    ):
        with pytest.raises(UsageError, match=says):
            show_round(*given, options=options)


def test_the_command_prints_lines_or_json(tmp_path):
    write_run(RUN, tmp_path / "run")
    for name, record in (("h.json", SETS), ("s.json", SMALLER)):
        write_references(record, tmp_path / name)
    files = [word for name in ("h.json", "s.json") for word in ("--references", str(tmp_path / name))]
    words = ["answers", "show", "--run", str(tmp_path / "run"), *files, "--round", "0"]
    printed = CliRunner().invoke(app, words)
    assert printed.exit_code == 0, printed.output
    assert "s.json: 1 answer" in printed.stdout
    value = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert list(value["sets"].values()) == [["a b", "a cab"], ["a b"]]
