"""Statements are read as the yes/no questions that they answer."""

import pytest

from voirdire.world.meaning import Meaning, Ref
from voirdire.world.understand import read_statement, understand


@pytest.mark.parametrize(
    ("statement", "question", "positive"),
    [
        ("the dog is brown.", "is the dog brown", True),
        ("the dog is not brown.", "is the dog brown", False),
        ("there is a dog.", "is there a dog", True),
        ("there is no dog.", "is there a dog", False),
        ("there are no people.", "are there people", False),
        ("one can see a bench.", "can you see a bench", True),
        ("one cannot see any bench.", "can you see a bench", False),
        ("one cannot see any women.", "can you see any women", False),
        ("there is not a beach.", "is this a beach", False),
        ("the image is outdoors.", "is the picture outdoors", True),
        ("it is not daytime.", "is it daytime", False),
        ("the weather is sunny.", "is the weather sunny", True),
        ("the photo does not show a beach.", "does the picture show a beach", False),
        ("the photo shows a beach.", "does the picture show a beach", True),
        ("the two boys are wearing gray pants.", "are the boys wearing gray pants", True),
        ("the girl is not holding a cup.", "is the girl holding a cup", False),
        ("there are more clocks than chairs.", "are there more clocks than chairs", True),
        ("the zebra is not on the left of the photo.", "is the zebra on the left of the picture", False),
        ("it looks like night time.", "does it look like night time", True),
    ],
)
def test_a_statement_is_a_question_with_its_answer(statement, question, positive):
    meaning = read_statement(statement)
    assert meaning is not None
    assert meaning == (understand(question), positive)


def test_the_meaning_itself():
    assert read_statement("The dog is not brown.").meaning == Meaning("is_colour", Ref(noun="dog"), value="brown")


@pytest.mark.parametrize("text", ["", ".", "there is wood.", "a dog and a cat", "what color is it", "the dog", "is"])
def test_what_is_no_statement_of_the_world(text):
    assert read_statement(text) is None
