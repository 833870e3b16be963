"""A game as a picture: its panels, its labels, its files."""

import itertools
import xml.etree.ElementTree as ElementTree

import pytest
from msgspec import structs
from question_games import FIGURE, FIGURE_ANSWERS, game, twenty

from voirdire.errors import OutputError, UsageError
from voirdire.formats.guesswhat import Qa
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.questions.game_drawing import HEIGHT, LETTER, draw_story, spots, svg
from voirdire.questions.show import tell_story

STORY = tell_story(FIGURE, [ObjectAnswers(7, FIGURE_ANSWERS)])

# A picture of one pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100c9fe92"
    "ef0000000049454e44ae426082"
)


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
    only_game, answers = game(["ayn"], recorded="n")
    only_game = structs.replace(only_game, qas=(Qa("is it " + "one of those " * 20 + "there?", "no"),))
    tree = ElementTree.fromstring(svg(tell_story(only_game, [answers])))
    texts = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    (cut,) = [text for text in texts if "…" in text]
    assert cut.endswith("… n/a (recorded: no)")
    assert len(cut) <= 50
    assert texts[0] == "before"


def test_words_of_a_question_cannot_break_the_page(tmp_path):
    only_game, answers = game(["yn"])
    only_game = type(only_game)(
        only_game.id,
        only_game.image,
        only_game.objects,
        only_game.target_id,
        (type(only_game.qas[0])('<b> & "it"\x01?', "yes"),),
        only_game.status,
    )
    story = tell_story(only_game, [answers])
    picture = svg(story)
    ElementTree.fromstring(picture)
    assert "<b>" not in draw_story(story, tmp_path / "game.html").read_text()
    assert "&lt;b&gt; &amp; &quot;it&quot;\ufffd?" in picture


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


SIZE = (320.0, 240.0)


def on_each_other(found, names):
    """Pairs of names of which one covers a part of the other."""
    return [
        (one, other)
        for (one, (x, y)), (other, (u, v)) in itertools.combinations(zip(names, found, strict=True), 2)
        if x < u + LETTER * len(other) and u < x + LETTER * len(one) and abs(y - v) < HEIGHT
    ]


def test_a_name_stands_in_the_upper_left_corner_of_its_box():
    assert spots([(10.0, 20.0, 100.0, 80.0)], ["cup 1"], SIZE, 0) == [(13.0, 31.0)]


def test_names_of_boxes_that_overlap_are_apart():
    boxes = [(50.0 + 3 * number, 60.0, 60.0, 90.0) for number in range(6)]
    names = [f"cup {number}" for number in range(6)]
    corner = [(x + 3, y + 11) for x, y, _, _ in boxes]
    assert on_each_other(corner, names)
    places = spots(boxes, names, SIZE, 4)
    assert on_each_other(places, names) == []
    assert places[4] == corner[4]


def test_a_name_stays_in_the_drawing():
    boxes = [(300.0, 0.0, 20.0, 5.0), (310.0, 230.0, 10.0, 10.0)]
    names = ["dining table 1", "potted plant 2"]
    for name, (x, y) in zip(names, spots(boxes, names, SIZE, 0), strict=True):
        assert 0 <= x <= SIZE[0] - LETTER * len(name)
        assert 0 < y < SIZE[1]
