"""Replies in manners of speaking that the made-up world's witnesses do not have in these words."""

import pytest

from voirdire.live.chat import read_reply
from voirdire.live.model import AskTask, BoxedObject, GuessTask, PointTask, VisualInput
from voirdire.live.reading import read_question, read_stop

SEEN = VisualInput(3)
THINGS = tuple(BoxedObject(name, (0, 0, 0.5, 0.5)) for name in ("dog", "cup", "cat"))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("What should I ask next? Is it an animal?", "Is it an animal?"),
        (
            "Is that all? No. I want to know about its place.\n\n**My next question:** Is it on the left?",
            "Is it on the left?",
        ),
        ("Hmm, this is not easy, but is it larger than a cup?", "is it larger than a cup?"),
        ("Perhaps I could ask this: does it have legs?", "does it have legs?"),
        ("1. Is it red?\n2. Is it blue?", "Is it red?"),
        ("If it is an animal, is it a dog?", "If it is an animal, is it a dog?"),
        ("Which room is it in?", "Which room is it in?"),
        ("What is my next question? A backpack?", "A backpack?"),
        ('My next question is "Is it red?" since colours differ. Shall I go on?', "Is it red?"),
        ("Is it a person? I hope this helps. Do you have another one?", "Is it a person?"),
    ],
)
def test_a_question_with_words_around_it(text, question):
    assert read_question(text) == question


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("READY", True),
        ("ready.", True),
        ("I know which one it is, so: **READY**", True),
        ("What is my next question?\nREADY!", True),
        ("Is it READY?", False),
        ("Are you ready", False),
        ("READY means that I stop. Is it red?", False),
    ],
)
def test_the_end_of_the_questions(text, stops):
    assert read_stop(text) is stops


@pytest.mark.parametrize(
    ("task", "text", "value"),
    [
        (PointTask(SEEN, "red?", THINGS[0]), '{"reason": "yes and no", "final_answer": "No"}', "no"),
        (PointTask(SEEN, "red?", THINGS[0]), '```\n{"answer": true}\n```', "yes"),
        (PointTask(SEEN, "red?", THINGS[0]), '{"answer": "n/a"}', "n/a"),
        (GuessTask(SEEN, (), THINGS), '{"guess": 2, "others": [1, 3]}', 1),
        (GuessTask(SEEN, (), THINGS), '{"object_number": "3"}', 2),
        (AskTask(SEEN, (), 3), '{"thought": "Is it big? Maybe.", "question": "Is it a cup?"}', "Is it a cup?"),
        (AskTask(SEEN, (), 3, may_stop=True), '{"question": "READY"}', ""),
    ],
)
def test_objects_of_json(task, text, value):
    assert read_reply(task, text).value == value
