"""The ways in which replies are read, as they are counted."""

import pytest

from voirdire.live.chat import read_reply
from voirdire.live.model import (
    LABELS,
    AnswerTask,
    AskTask,
    BoxedObject,
    GuessTask,
    JudgeTask,
    PointTask,
    RankTask,
    Reply,
    VisualInput,
)
from voirdire.live.ways import way_of

SEEN = VisualInput(1)
TRUTH, SCORE = (
    JudgeTask(SEEN, "c", (), "it is red.", about, labels) for about, labels in (("truth", ()), ("score", LABELS))
)
POINT = PointTask(SEEN, "is it red?", "cup")
GUESS = GuessTask(SEEN, (), (BoxedObject("cup", (0, 0, 1, 1)), BoxedObject("dog", (0, 0, 1, 1))))
ASK = AskTask(SEEN, (), 3)


@pytest.mark.parametrize(
    ("task", "text", "way"),
    [
        (TRUTH, "Yes.", "a word"),
        (TRUTH, "The answer is: no", "a label"),
        (TRUTH, "There is none to be seen.\nNo", "a label"),
        (TRUTH, "It is not true.", "a sentence"),
        (TRUTH, "Perhaps.", ""),
        (SCORE, "open", "a word"),
        (SCORE, '{"answer": "false"}', "a label"),
        (SCORE, "It is established as true.", "a sentence"),
        (SCORE, "yes", ""),
        (POINT, "n/a", "a word"),
        (GUESS, "2", "a word"),
        (GUESS, "I think it is the dog.", "a sentence"),
        (ASK, "Is it a dog?", "the text as it is"),
        (ASK, "Okay, my question: is it a dog?", "a sentence"),
        (ASK, "I cannot see it.", ""),
        (AnswerTask(SEEN, "what is it?"), "A cup, I think.", "the text as it is"),
        (AnswerTask(SEEN, "what is it?"), "", ""),
    ],
)
def test_a_reply_in_words(task, text, way):
    assert way_of(task, read_reply(task, text)) == way


def test_likelihoods_and_types():
    assert way_of(TRUTH, read_reply(TRUTH, "Yes", {"Yes": -0.1, "No": -3.0})) == "likelihoods"
    low = read_reply(TRUTH, "The answer is no", {"The": -0.01, "Yes": -6.0})
    assert way_of(TRUTH, low) == "a label, likelihoods too low"
    assert way_of(POINT, Reply("yes", "yes", how="typed")) == "a typed answer"
    assert way_of(RankTask(SEEN, "what?", ("a",)), Reply(scores=(0.1,))) == "likelihoods"
    assert way_of(TRUTH, Reply(fault="refusal")) == ""
