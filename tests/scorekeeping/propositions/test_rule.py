"""Polarity of answers, and texts as the rules read them."""

import pytest

from voirdire.scorekeeping.propositions.rule import is_unknown, normal, polarity


@pytest.mark.parametrize(
    "answer",
    ["yes", "yes it is", "yeah, 2", "yep no", "yup", "i think so", "looks like it", "it is", "right", "it is not"],
)
def test_positive(answer: str) -> None:
    assert (polarity(answer) == "positive") == (answer != "yep no")
    assert not is_unknown(answer)


@pytest.mark.parametrize(
    "answer",
    [
        *("no", "no owls", "nope", "not at all", "not really", "none", "nothing", "0", "0 owls"),
        *("i don't think so", "not in the barn", "not that i can see", "i do not see any", "i don't see owls", "north"),
    ],
)
def test_negative(answer: str) -> None:
    assert polarity(answer) == "negative"
    assert not is_unknown(answer)


@pytest.mark.parametrize("answer", ["a little", "an owl", "i see a hill", "there are no owls", "it's not", "y", ""])
def test_neither(answer: str) -> None:
    assert polarity(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        *("i can't tell", "can't tell, sorry", "cannot tell", "not sure", "i'm not sure", "i don't know", "no way"),
        *("not visible", "hard to tell", "maybe", "unknown"),
    ],
)
def test_not_knowing(answer: str) -> None:
    assert is_unknown(answer)


def test_texts_are_read_without_case_curly_quotes_and_marks_at_their_ends() -> None:
    assert normal("  Is  the Gate OPEN ?") == "is the gate open"
    assert normal("no, it’s not.") == "no, it's not"
