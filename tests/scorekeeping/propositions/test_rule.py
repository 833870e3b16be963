"""Polarity of answers."""

import pytest

from voirdire.scorekeeping.propositions.rule import denies, is_unknown, polarity


@pytest.mark.parametrize(
    "answer", ["yes", "yes it is", "yeah, 2", "yep", "y", "i think so", "i believe so, yes", "looks like it", "it is"]
)
def test_positive(answer: str) -> None:
    assert polarity(answer) == "positive"
    assert not is_unknown(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "no",
        "no owls",
        "nope",
        "not at all",
        "not really",
        "0",
        "0 owls",
        "none",
        "there are no owls",
        "i don't think so",
        "it is not in the barn",
        "not in the barn",
        "not that i can see",
        "i do not see any",
        "i don't really see one",
    ],
)
def test_negative(answer: str) -> None:
    assert polarity(answer) == "negative"
    assert not is_unknown(answer)


@pytest.mark.parametrize(
    "answer",
    [
        *("a little", "an owl", "maybe", "i see a hill", "now and then", "north", "yesterday", "0.5"),
        *("not visible", "not in the picture", "the sky is not visible", "it isn't in view", "not bad", "not too bad"),
    ],
)
def test_neither(answer: str) -> None:
    assert polarity(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "i can't tell",
            "can't tell, sorry",
            "cannot see the roof",
            "not sure",
            "i'm not sure",
            "no idea",
            "i don't know",
        ),
        *("it's hard to tell", "hard to say", "unclear", "impossible to know", "well, i don't know", "unable to tell"),
    ],
)
def test_not_knowing(answer: str) -> None:
    assert is_unknown(answer)


@pytest.mark.parametrize(
    ("answer", "noun"),
    [
        ("no goat in picture", "goat"),
        ("no goats", "goat"),
        ("there is no goat", "goat"),
        ("i don't see any goats here", "goat"),
        ("0 goats", "goats"),
    ],
)
def test_an_answer_that_denies_the_thing_itself(answer: str, noun: str) -> None:
    assert denies(answer, noun)


@pytest.mark.parametrize("answer", ["no", "no, the goat is white", "no bell on the goat", "no in the picture", "yes"])
def test_an_answer_that_does_not(answer: str) -> None:
    assert not denies(answer, "goat")
