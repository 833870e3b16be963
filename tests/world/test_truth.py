"""Truth on a scene made by hand: every kind of question, presuppositions that fail, and answers about one thing."""

import pytest

from voirdire.formats.scenes import Garment, Scene, Thing
from voirdire.world.answer_wordings import near_misses, phrasings, short, valid_texts
from voirdire.world.meaning import IT, Meaning, Ref
from voirdire.world.truth import Answer, about, answers, denotes
from voirdire.world.understand import understand

TABLE = Thing(1, "dining table", 67, (200.0, 250.0, 250.0, 150.0), "large", "brown", "wood")
CUP = Thing(2, "cup", 47, (250.0, 225.0, 20.0, 30.0), "small", "red", "plastic", on=1)
BOWL = Thing(3, "bowl", 51, (350.0, 225.0, 40.0, 30.0), "small", "red", "glass", on=1)
MAN = Thing(
    4, "person", 1, (40.0, 120.0, 90.0, 330.0), "large", action="reading", gender="male", age="young",
    wears=(Garment("shirt", "blue"), Garment("pants", "black"), Garment("glasses", "")), holds=6,
)  # fmt: skip
GIRL = Thing(
    5, "person", 1, (520.0, 200.0, 80.0, 240.0), "large", action="standing", gender="female", age="child",
    wears=(Garment("dress", "pink"),),
)  # fmt: skip
BOOK = Thing(6, "book", 84, (110.0, 250.0, 30.0, 30.0), "small", "green", "paper")
SCENE = Scene(7, "x.png", 640, 480, "kitchen", True, "", "day", True, (TABLE, CUP, BOWL, MAN, GIRL, BOOK))

YES, NO = Answer("yes"), Answer("no")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("is there a cup", YES),
        ("is there a blue cup", NO),
        ("are there any animals", NO),
        ("how many people are there", Answer("number", "2")),
        ("how many cups are there on the table", Answer("number", "1")),
        ("how many dogs do you see", Answer("number", "0")),
        ("what color is the cup", Answer("word", "red")),
        ("what is the man doing", Answer("word", "reading")),
        ("what is the bowl made of", Answer("word", "glass")),
        ("is the cup red", YES),
        ("is the cup the same color as the bowl", YES),
        ("is the table bigger than the man", YES),
        ("is the bowl bigger than the table", NO),
        ("where is the cup", Answer("place", "on/dining table")),
        ("is the cup on the table", YES),
        ("is the man to the left of the table", YES),
        ("is the girl to the left of the table", NO),
        ("is the man on the left", YES),
        ("is the girl on the left or on the right", Answer("word", "right")),
        ("is the man wearing glasses", YES),
        ("is the man wearing a red shirt", NO),
        ("what color is the shirt of the man", Answer("word", "blue")),
        ("what color is the hat of the man", Answer("none")),
        ("who is wearing a pink dress", Answer("things", "girl")),
        ("what is the man holding", Answer("things", "book")),
        ("what is the girl holding", Answer("things", "")),
        ("is the man holding a book", YES),
        ("what is on the table", Answer("things", "bowl+cup")),
        ("is the man alone", NO),
        ("are there more people than tables", YES),
        ("what room is this", Answer("word", "kitchen")),
        ("is this a kitchen", YES),
        ("is it sunny", Answer("unknown")),
        ("is it daytime", YES),
        ("is this outside", NO),
        ("is the photo in color", YES),
        ("what color is the dog", Answer("none")),
        ("what is the person doing", Answer("unknown")),
        ("are the people sitting", NO),
        ("what color is the man", Answer("unknown")),
        ("how old is the girl", Answer("word", "child")),
        ("is the child a boy or a girl", Answer("word", "girl")),
    ],
)
def test_truth(question, answer):
    meaning = understand(question)
    assert meaning is not None
    assert answers(meaning, SCENE)[0] == answer


def test_pronouns_refer_to_what_is_in_focus():
    assert answers(Meaning("colour", IT), SCENE, {"it": [BOOK]}) == (Answer("word", "green"),)
    assert answers(Meaning("colour", IT), SCENE) == (Answer("none"),)
    assert denotes(Ref(pronoun="they"), SCENE, {"they": [MAN, GIRL]}) == [MAN, GIRL]


@pytest.mark.parametrize(
    ("question", "verdicts"),
    [
        ("is it a person?", "nnnyyn"),
        ("is it red?", "nyy--n"),
        ("is it on the left?", "nnnyny"),
        ("is it furniture?", "ynnnnn"),
        ("is it wearing a dress?", "nnnnyn"),
        ("is it made of wood?", "ynn--n"),
        ("is it the first person from the left?", "nnnynn"),
        ("is it the second from the right?", "nnynnn"),
        ("is it the cup on the table?", "nynnnn"),
        ("is the person a boy?", "---nn-"),
        ("is there a dog?", "nnnnnn"),
        ("how many cups are there?", "------"),
    ],
)
def test_answers_about_each_thing(question, verdicts):
    meaning = understand(question)
    found = [about(meaning, SCENE, thing) for thing in SCENE.things]
    assert found == [{"y": "yes", "n": "no", "-": "n/a"}[letter] for letter in verdicts]


def test_all_wordings_of_a_true_answer_are_valid_and_no_near_miss_is():
    meaning = understand("what color is the cup")
    valid = valid_texts(meaning, SCENE)
    assert {"red", "it is red", "it's red", "the cup is red"} <= set(valid)
    for miss in near_misses(meaning, answers(meaning, SCENE)[0]):
        assert not set(phrasings(meaning, miss)) & set(valid)


def test_a_no_may_say_what_is_the_case():
    valid = valid_texts(understand("is the cup blue"), SCENE)
    assert {"no", "no, it isn't", "it is red", "no, it is red", "the cup is not blue"} <= set(valid)
    assert "yes" not in valid


def test_every_place_of_a_thing_is_a_valid_answer():
    valid = valid_texts(understand("where is the cup"), SCENE)
    assert {"on the table", "it is on top of the table", "to the left of the bowl", "in the middle"} <= set(valid)
    assert "on the left" not in valid


def test_short_answers_are_an_annotators():
    meaning = understand("how many people are there")
    assert short(meaning, answers(meaning, SCENE)[0]) == ("2", "two")
    meaning = understand("where is the cup")
    assert short(meaning, answers(meaning, SCENE)[0])[0] == "on table"
