"""`voirdire scorekeeping` board, humans and states: what they print, write and refuse."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.formats.propositions import Proposition, PropositionSet, write_propositions
from voirdire.runs import read_run, write_run

sys.path.insert(0, str(Path(__file__).parents[1] / "scorekeeping"))
from board_runs import FACTS, items, probe_run

JUDGED = """username,timestamp,split,dlg_idx,turn_idx,prop_idx,content,content_gold,shared,shared_gold,turn_shared,\
rule,type,qa_fact,question,answer,prop
ann,,test,7,1,2,1,1,0,0,2,what_color,direct entailment,none,what color is the dog?,Brown.,The dog is brown.
ann,,test,7,3,5,1,0,1,1,3,sunny,direct contradiction,negative,is it sunny?,No.,It is sunny.
"""


def call(*words):
    done = CliRunner().invoke(app, ["scorekeeping", *map(str, words)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def run(tmp_path):
    return write_run(probe_run(items(wrong=[(2, 1, "false private")]), items("PS")), tmp_path / "run")


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text(JUDGED)
    return path


@pytest.fixture
def files(tmp_path):
    """Dialogues as text, and propositions of them."""
    dialogues, propositions = tmp_path / "dialogues.json", tmp_path / "propositions.json"
    said = ["a dog", "is it big? no", "what color is it? brown", "is it sunny? no"]
    dialogues.write_text(json.dumps([{"img": f"x_{number:04}.jpg", "dialog": said} for number in range(6)]))
    facts = tuple(Proposition(text, true, turn, rule, None) for text, true, turn, rule in FACTS)
    write_propositions(PropositionSet("val", "x", dict.fromkeys(range(6), facts)), propositions)
    return dialogues, propositions


class TestBoard:
    def test_terminal_and_picture(self, run, tmp_path):
        out = tmp_path / "figures" / "board.svg"
        shown = call("board", run, "--dialogue", 7, "-o", out)
        assert "dialogue 7, TFxPS, seed 0: 29 of 30 right (96.7 %)" in shown
        assert f"drawn: {out}" in shown
        assert out.read_text().startswith("<svg")

    def test_task_dialogue_and_json(self, run, files):
        shown = json.loads(call("board", run, "--dialogue", 7, "--task", "PS", "--json"))
        assert shown["task"] == "PS"
        with pytest.raises(UsageError, match="has 6 dialogues"):
            call("board", run, "--dialogue", 7, "--dialogues", files[0])

    def test_a_place_that_cannot_be_drawn_to(self, run, tmp_path):
        with pytest.raises(UsageError, match=r"--output must end in \.svg or \.png or \.html, got"):
            call("board", run, "--dialogue", 7, "-o", tmp_path / "board.pdf")


class TestHumans:
    def test_table_and_json(self, judged, run):
        assert "fleiss_kappa" in call("humans", "--judgements", judged)
        shown = json.loads(call("humans", "--judgements", judged, "--run", run, "--json"))
        assert shown["exam"] == "scorekeeping"
        assert list(shown["measures"]) == [
            *("tfxps", "tf", "ps", "pxtsfs", "fleiss_kappa"),
            *(f"tfxps[{run}]", f"ps[{run}]"),
        ]
        assert shown["measures"]["tfxps"]["value"] == 0.5
        assert shown["measures"][f"tfxps[{run}]"]["value"] == 0.5
        assert shown["measures"][f"ps[{run}]"] == {"value": 1.0, "low": None, "high": None, "n": 2}

    def test_excluded_dialogues(self, judged, tmp_path):
        with pytest.raises(UsageError, match="no judgement is left"):
            call("humans", "--judgements", judged, "--exclude", "7")
        with pytest.raises(UsageError, match=r"--exclude must hold numbers of dialogues .*; 'x' is no number"):
            call("humans", "--judgements", judged, "--exclude", "7,x")
        call("humans", "--judgements", judged, "-o", tmp_path / "people")
        assert read_run(tmp_path / "people").items.height == 2


@pytest.mark.slow
def test_states(files, tmp_path):
    shown = call("states", "--dialogues", files[0], "--encoder", "static", "--role", "Q", "-o", tmp_path / "s.h5")
    assert "6 dialogues, 11 turns, 256 dimensions" in shown
