"""A scoreboard by hand: its letters, its marks, the three kinds of errors, and its drawings."""

import json
import xml.etree.ElementTree as ET

import polars as pl
import pytest
from board_runs import items, probe_run
from PIL import Image

from voirdire.errors import UsageError
from voirdire.formats.dialogues import Dialogue
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.board import letter, make_board
from voirdire.scorekeeping.board_drawing import draw_board, svg
from voirdire.scorekeeping.points import TASKS

WRONG = (
    (0, 2, "true private"),  # back to private
    (2, 1, "false private"),  # another truth value, and its opposite's
    (5, 2, "false shared"),  # shared one turn too early
)


@pytest.fixture
def board():
    return make_board(probe_run(items(wrong=WRONG)), 7)


def test_letters_of_every_task():
    assert ["".join(letter(task, place) for place in range(len(task.classes))) for task in TASKS.values()] == [
        "TFtf",
        "TF",
        "Sp",
        "TFp",
    ]


def test_gold_follows_from_the_turn_of_sharing(board):
    letters = ["".join(letter(board.task, place) for place in row.gold) for row in board.rows]
    assert letters == ["TTTTT", "FFFFF", "ttTTT", "ffFFF", "tttTT", "fffFF"]


def test_wrong_cells_and_errors_of_rows(board):
    assert [[turn for turn, wrong in enumerate(row.wrong) if wrong] for row in board.rows] == [
        [2],
        [],
        [1],
        [],
        [],
        [2],
    ]
    assert [row.errors for row in board.rows] == [(2,), (), (1, 3), (1,), (), ()]
    assert board.head() == "dialogue 7, TFxPS, seed 0: 27 of 30 right (90.0 %)"


def test_other_tasks_have_the_errors_that_they_can_have():
    shared = make_board(probe_run(items("PS", wrong=[(0, 2, "private")])), 7)
    assert [row.errors for row in shared.rows][:2] == [(2,), ()]
    three = make_board(probe_run(items("PxTSFS", wrong=[(2, 1, "false shared"), (2, 2, "private")])), 7)
    # Shared and false, then private, then shared and true: back, and another truth value; never beside its opposite's.
    assert [row.errors for row in three.rows][2:4] == [(2, 3), ()]


def test_terminal(board):
    lines = board.lines(80)
    at = next(place for place, line in enumerate(lines) if line.startswith("the dog is brown."))
    assert lines[at].split() == ["the", "dog", "is", "brown.", "ttTTT", "tfTTT", "1", "3"]
    assert lines[at + 1].index("^") == lines[at].rindex("tfTTT") + 1
    assert "3  its truth value changes" in lines
    assert all(line == line.rstrip() for line in lines)
    narrow = make_board(probe_run(items(facts=[("there is " + "very " * 20 + "much.", 1, 1, "there")])), 7).lines(40)
    assert max(map(len, narrow[3:])) <= 24 + 30


def test_what_was_said_is_shown_up_to_the_last_turn():
    dialogue = Dialogue(1, "a dog", tuple((f"question {number}", "yes") for number in range(1, 11)))
    board = make_board(probe_run(items()), 7, spoken=dialogue)
    assert board.spoken == ("a dog", *(f"question {number}? yes" for number in range(1, 5)))
    with pytest.raises(UsageError, match="dialogue 7 has 1 rounds there, and 4 in run; are they the same"):
        make_board(probe_run(items()), 7, spoken=Dialogue(1, "a dog", (("is it big?", "no"),)))
    assert " 4  question 4? yes" in board.lines()


def test_json(board):
    shown = json.loads(json.dumps(board.plain()))
    assert shown["propositions"][2]["predicted"][1] == "false private"
    assert shown["propositions"][2]["errors"] == ["the same truth value as its opposite", "its truth value changes"]


def test_drawings(board, tmp_path):
    made = ET.fromstring(svg(board))
    frames = list(made.iter("{http://www.w3.org/2000/svg}path"))
    assert len(frames) == 3
    for name in ("b.svg", "b.png", "b.html"):
        draw_board(board, tmp_path / name)
    assert Image.open(tmp_path / "b.png").size[0] > 400
    page = (tmp_path / "b.html").read_text()
    assert page.count('class="wrong"') == 3
    assert "the dog is not brown." in page
    with pytest.raises(UsageError, match=r"\.svg, \.png, \.html"):
        draw_board(board, tmp_path / "b.pdf")


def test_a_sentence_with_marks_is_drawn_as_text():
    board = make_board(probe_run(items(facts=[("a <b> & \x01 c", 1, 1, "there")])), 7)
    texts = [one.text for one in ET.fromstring(svg(board)).iter("{http://www.w3.org/2000/svg}text")]
    assert "a <b> & \ufffd c" in texts


def test_of_several_the_first_seed_and_the_task_asked_for():
    run = probe_run(
        items(seed=3, wrong=WRONG), items(seed=4), items(control="null"), items("PS", wrong=[(0, 0, "private")])
    )
    assert make_board(run, 7).seed == 3
    assert make_board(run, 7).control == ""
    assert make_board(run, 7, "PS").rows[0].wrong[0]
    assert make_board(probe_run(items(control="null")), 7).control == "null"
    with pytest.raises(UsageError, match="TFxPS, PS"):
        make_board(run, 7, "TF")


def test_bad_calls():
    with pytest.raises(UsageError, match="predicts nothing of it; it has 7"):
        make_board(probe_run(items()), 8)
    other = Run("scorekeeping", {}, pl.DataFrame({"x": [1]}), Measures(), Signature("0"), part="humans")
    with pytest.raises(UsageError, match="scorekeeping humans"):
        make_board(other, 7)
