"""A game shown: the table, the JSON, the drawing in its three endings."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from msgspec import structs
from question_games import FIGURE, FIGURE_ANSWERS, game, twenty

from voirdire.errors import InputError, OutputError, UsageError
from voirdire.formats.guesswhat import Qa
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.questions.game_drawing import draw_story, svg
from voirdire.questions.show import find_game, tell_story

STORY = tell_story(FIGURE, [ObjectAnswers(7, FIGURE_ANSWERS)])
# A picture of one pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92"
    "ef0000000049454e44ae426082"
)


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
    one, answers = game(["ayn"], recorded="n")
    one = structs.replace(one, qas=(Qa("does it stand behind the brown table on the far left?", "no"),))
    lines = tell_story(one, [answers]).lines(80)
    assert "n/a (recorded: no)" in "\n".join(lines)
    assert max(map(len, lines)) <= 80


def test_json():
    told = json.loads(json.dumps(STORY.plain()))
    assert (told["game_id"], told["image_id"], told["target"], told["status"]) == (7, 70, 20, "success")
    assert told["guess"] == 20
    assert [turn["distractors"] for turn in told["turns"]] == [6, 5, 3, 0, 0]
    assert [turn["refers_to"] for turn in told["turns"]] == [None, 21, None, None, 20]
    assert told["turns"][2]["left"] == [20, 24, 25, 26]
    assert told["turns"][1]["oracle_answer"] == "no"


def test_answers_that_differ_are_both_said():
    one, answers = game(["yyn"], recorded="n")
    assert tell_story(one, [answers]).answer(0) == "yes (recorded: no)"
    story = tell_story(one, [answers], recorded=True)
    assert story.answer(0) == "no (oracle: yes)"
    assert story.left(0) == ["cup 102"]
    assert "the target is out" in svg(story)


def test_nobody_is_left():
    one, answers = game(["yyn", "yyn"], recorded="ny")
    story = tell_story(one, [answers], recorded=True)
    assert "left: nobody" in "\n".join(story.lines())


def test_a_game_without_a_question():
    one, answers = game([])
    story = tell_story(one, [answers])
    assert story.lines()[-1] == "It has no question."
    assert svg(story).count("<g transform") == 2
    assert story.plain()["guess"] is None


def test_twenty_questions_are_laid_out_without_boxes():
    story = tell_story(twenty(["yyn", "ynn"]), None)
    assert story.lines()[:2] == ["game 1, 3 candidates", "target: elk"]
    drawn = svg(story)
    assert drawn.count(">elk</text>") == 3
    assert drawn.count(">fox</text>") == 1


def test_a_drawing_has_a_panel_for_every_turn_and_marks_who_is_left():
    tree = ElementTree.fromstring(svg(STORY))
    texts = [one.text for one in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("cow 20") == 6  # The target is named in every panel,
    assert texts.count("stick 27") == 1  # what is out only before it is,
    assert texts.count("cow 21") == 3  # and once more where a question refers to it.
    assert "3 distractors left, effective" in texts
    assert "5 distractors left, effective, refers to cow 21" in texts
    assert "0 distractors left, not effective, refers to the target" in texts


def test_a_question_that_is_cut_keeps_its_answer():
    one, answers = game(["ayn"], recorded="n")
    one = structs.replace(one, qas=(Qa("is it " + "one of those " * 20 + "there?", "no"),))
    tree = ElementTree.fromstring(svg(tell_story(one, [answers])))
    texts = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    (cut,) = [text for text in texts if "…" in text]
    assert cut.endswith("… n/a (recorded: no)")
    assert len(cut) <= 50
    assert texts[0] == "before"


def test_words_of_a_question_cannot_break_the_page(tmp_path):
    one, answers = game(["yn"])
    one = type(one)(
        one.id, one.image, one.objects, one.target_id, (type(one.qas[0])('<b> & "it"\x01?', "yes"),), one.status
    )
    story = tell_story(one, [answers])
    made = svg(story)
    ElementTree.fromstring(made)
    assert "<b>" not in draw_story(story, tmp_path / "game.html").read_text()
    assert "&lt;b&gt; &amp; &quot;it&quot;\ufffd?" in made


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html")])
def test_files(tmp_path, ending, start):
    path = draw_story(STORY, tmp_path / f"game{ending}")
    data = path.read_bytes()
    assert data.startswith(start)
    draw_story(STORY, path)
    assert path.read_bytes() == data
    if ending == ".html":
        assert b"<script" not in data
        assert b"<td>cow 20*, cow 24, cow 25, cow 26</td>" in data


def test_the_picture_lies_below_the_boxes(tmp_path):
    (tmp_path / "herd.png").write_bytes(PIXEL)
    text = draw_story(STORY, tmp_path / "game.svg", tmp_path).read_text()
    assert text.count("data:image/png;base64,") == 1
    assert text.count('<use href="#picture"/>') == 6


def test_what_cannot_be_drawn(tmp_path):
    with pytest.raises(UsageError, match=r"may be \.svg, \.png, \.html"):
        draw_story(STORY, tmp_path / "game.pdf")
    with pytest.raises(UsageError, match=r"there is no file .*herd\.png"):
        draw_story(STORY, tmp_path / "game.svg", tmp_path)
    with pytest.raises(UsageError, match="does not say the name"):
        draw_story(tell_story(twenty(["yn"]), None), tmp_path / "game.svg", tmp_path)
    (tmp_path / "x.svg").mkdir()
    with pytest.raises(OutputError, match="folder"):
        draw_story(STORY, tmp_path / "x.svg")


def test_a_game_is_found_by_its_id():
    assert find_game([FIGURE], " 7 ") is FIGURE
    with pytest.raises(
        InputError, match=r"g\.jsonl: field `id`: found no game '8', expected one of its games, such as 7"
    ):
        find_game([FIGURE], "8", "g.jsonl")
