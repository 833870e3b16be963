"""Types of real questions: people's and two models', by our lexicon and by the published word list."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from voirdire.questions.exam import KindsOptions
from voirdire.questions.games import read_games_file
from voirdire.questions.kinds import KINDS, read_lexicon, score_kinds
from voirdire.runs import Run

pytestmark = pytest.mark.slow

PEOPLE, RL, VDST = "human_100_games.jsonl", "rl_qgen_100_games.jsonl", "vdst_1606_games.jsonl"
QUESTIONS = {PEOPLE: 407, RL: 500, VDST: 8030}
HELD_OUT = {"GWHist.csv": 204, "oracle_qa_101.jsonl": 101}
"""Questions of people on which no word of our lexicon was weighed."""

# Table 2 of the paper, VDST's column, in per cent. It is of all test games, and not only of the 1,606 of our file.
VDST_PRINTED = dict(zip(KINDS, (36.44, 0.01, 0.00, 0.01, 0.00, 64.80, 0.30, 0.03), strict=True))


@cache
def kinds(folder: Path, name: str, exclusive: bool = False) -> Run:
    words = read_lexicon(str(folder / "shekhar2019_word_annotation.tsv"))
    return score_kinds(read_games_file(str(folder / name)), against=words, options=KindsOptions(exclusive))


@pytest.fixture
def folder(real_data: Path) -> Path:
    return real_data / "guesswhat"


def value(run: Run, name: str) -> float:
    found = run.measures[name].value
    assert found is not None
    return found


@pytest.mark.parametrize("name", [*QUESTIONS, *HELD_OUT])
def test_nine_of_ten_questions_have_the_types_of_the_published_list(folder: Path, name: str) -> None:
    run = kinds(folder, name)
    assert run.measures["agreement"].n == (QUESTIONS | HELD_OUT)[name]
    assert value(run, "agreement") >= 0.9
    for kind in KINDS:
        assert value(run, f"agreement[{kind}]") >= 0.93


def test_people_ask_about_colour_and_models_about_place(folder: Path) -> None:
    people, rl, vdst = (kinds(folder, name) for name in (PEOPLE, RL, VDST))
    for model in (rl, vdst):
        for suffix in ("", ":against"):
            ours, theirs = (
                np.array([run.items[f"{kind}{suffix}"].mean() for kind in KINDS]) for run in (people, model)
            )
            difference = dict(zip(KINDS, ours - theirs, strict=True))
            assert difference["color"] > 0.1
            assert difference["location"] < -0.3
            assert all(difference[kind] > 0 for kind in ("shape", "size", "texture", "action", "other"))
        assert (people.measures["color"].low or 0) > (model.measures["color"].high or 0)
        assert (people.measures["location"].high or 1) < (model.measures["location"].low or 0)


def test_the_tables(folder: Path) -> None:
    """The shares that docs/evidence/questions.md prints."""
    printed = {
        PEOPLE: (0.6167, 0.1523, 0.0074, 0.0098, 0.0344, 0.2359, 0.0786, 0.0860, 0.0049),
        RL: (0.3440, 0.0, 0.0, 0.0, 0.0, 0.6700, 0.0, 0.0060, 0.0),
        VDST: (0.3374, 0.0, 0.0, 0.0, 0.0, 0.6626, 0.0, 0.0, 0.0),
    }
    for name, shares in printed.items():
        run = kinds(folder, name)
        assert tuple(round(value(run, kind), 4) for kind in (*KINDS, "order")) == shares


def test_vdst_is_near_the_printed_column(folder: Path) -> None:
    run = kinds(folder, VDST)
    for kind, percent in VDST_PRINTED.items():
        assert value(run, kind) == pytest.approx(percent / 100, abs=0.03)


def test_exclusive_objects_are_those_without_an_attribute(folder: Path) -> None:
    plain, exclusive = kinds(folder, PEOPLE), kinds(folder, PEOPLE, True)
    assert value(exclusive, "object") == pytest.approx(0.4668, abs=5e-5)
    assert value(plain, "object") > value(exclusive, "object")
    assert value(plain, "color") == value(exclusive, "color")


def test_models_ask_no_question_of_order_and_people_do(folder: Path) -> None:
    assert value(kinds(folder, RL), "order") == value(kinds(folder, VDST), "order") == 0
    assert value(kinds(folder, PEOPLE), "order") > 0
    assert value(kinds(folder, "GWHist.csv"), "order") > 0.1
