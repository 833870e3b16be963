"""Number and articles of nouns, forms of verbs, lists."""

import pytest

from voirdire.scorekeeping.propositions.english import is_plural, listed, sentence, third_person, with_article


@pytest.mark.parametrize("noun", ["owls", "people", "women", "glasses", "leaves", "tennis"])
def test_plural(noun: str) -> None:
    assert is_plural(noun)


@pytest.mark.parametrize("noun", ["owl", "grass", "dress", "snow", "other"])
def test_singular(noun: str) -> None:
    assert not is_plural(noun)


def test_articles() -> None:
    phrases = ("owl", "barn", "hour", "uniform", "umbrella", "old barn", "snow")
    assert [with_article(phrase).split()[0] for phrase in phrases] == ["an", "a", "an", "a", "an", "an", "a"]


def test_verbs() -> None:
    verbs = ("have", "wear", "watch", "fly", "play", "go", "fix")
    assert [third_person(verb) for verb in verbs] == ["has", "wears", "watches", "flies", "plays", "goes", "fixes"]


def test_lists_and_sentences() -> None:
    assert [listed(words) for words in (["red"], ["red", "tan"], ["red", "tan", "blue"])] == [
        *("red", "red and tan", "red, tan and blue")
    ]
    assert listed(["red", "tan"], "or") == "red or tan"
    assert sentence(" the  owl , ") == "the owl."
