"""A game shown: the table and the JSON."""

import json
import re

import pytest
from msgspec import structs
from question_games import FIGURE, FIGURE_ANSWERS, game

from voirdire.errors import InputError
from voirdire.formats.guesswhat import Qa
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.questions.game_drawing import svg
from voirdire.questions.show import find_game, tell_story

STORY = tell_story(FIGURE, [ObjectAnswers(7, FIGURE_ANSWERS)])


def test_figure_1_as_a_table():
    lines = STORY.lines()
    assert lines[0] == "game 7, image 70, herd.png, 8 objects"
    assert lines[1] == "target: cow 20, guess: cow 20, success"
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines if re.match(r"\s*\d", line)]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    assert [row[2:] for row in rows] == [
        ["yes", "6", "yes", "–"],
        ["no", "5", "yes", "cow 21"],
        ["no", "3", "yes", "–"],
        ["yes", "0", "yes", "–"],
        ["yes", "0", "no", "the target"],
    ]
    left = [line.strip() for line in lines if line.strip().startswith("left:")]
    assert left[2] == "left: cow 20*, cow 24, cow 25, cow 26"
    assert left[4] == "left: cow 20*"


@pytest.mark.parametrize("width", [30, 60, 200])
def test_a_label_is_never_torn_apart(width):
    lines = STORY.lines(width)
    text = " ".join(lines)
    for label in STORY.labels:
        assert label in text
    listed = [line for line in lines if "left:" in line or "candidates:" in line]
    assert all(len(line) <= width for line in listed)


def test_the_table_fits_a_usual_terminal_also_with_two_answers():
    only_game, answers = game(["ayn"], recorded="n")
    only_game = structs.replace(only_game, qas=(Qa("does it interview behind the brown table on the far left?", "no"),))
    lines = tell_story(only_game, [answers]).lines(80)
    assert "n/a (recorded: no)" in "\n".join(lines)
    assert max(map(len, lines)) <= 80


def test_json():
    printed = json.loads(json.dumps(STORY.plain()))
    assert (printed["game_id"], printed["image_id"], printed["target"], printed["status"]) == (7, 70, 20, "success")
    assert printed["guess"] == 20
    assert [turn["distractors"] for turn in printed["turns"]] == [6, 5, 3, 0, 0]
    assert [turn["refers_to"] for turn in printed["turns"]] == [None, 21, None, None, 20]
    assert printed["turns"][2]["left"] == [20, 24, 25, 26]
    assert printed["turns"][1]["oracle_answer"] == "no"


def test_answers_that_differ_are_both_said():
    only_game, answers = game(["yyn"], recorded="n")
    assert tell_story(only_game, [answers]).answer(0) == "yes (recorded: no)"
    story = tell_story(only_game, [answers], recorded=True)
    assert story.answer(0) == "no (oracle: yes)"
    assert story.left(0) == ["cup 102"]
    assert "the target is out" in svg(story)


def test_nobody_is_left():
    only_game, answers = game(["yyn", "yyn"], recorded="ny")
    story = tell_story(only_game, [answers], recorded=True)
    assert "left: nobody" in "\n".join(story.lines())


def test_a_game_without_a_question():
    only_game, answers = game([])
    story = tell_story(only_game, [answers])
    assert story.lines()[-1] == "It has no question."
    assert svg(story).count("<g transform") == 2
    assert story.plain()["guess"] is None


def test_a_game_is_found_by_its_id():
    assert find_game([FIGURE], " 7 ") is FIGURE
    with pytest.raises(
        InputError, match=r"g\.jsonl: field `id`: found no game '8', expected one of its games, such as 7"
    ):
        find_game([FIGURE], "8", "g.jsonl")
