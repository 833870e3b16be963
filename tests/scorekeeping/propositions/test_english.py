"""Number and articles of nouns, forms of verbs, shapes of sentences, phrases that name a thing."""

import pytest

from voirdire.scorekeeping.propositions.english import (
    NP,
    article,
    codes,
    find,
    is_plural,
    join,
    noun_phrase,
    sentence,
    third_person,
    with_article,
)
from voirdire.text.tagging import HanTa


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


@pytest.mark.parametrize("noun", ["owls", "people", "women", "glasses", "leaves", "skis", "t-shirts"])
def test_plural(noun: str) -> None:
    assert is_plural(noun)


@pytest.mark.parametrize("noun", ["owl", "grass", "bus", "tennis", "gas", "dress", "s", "christmas", "goat's"])
def test_singular(noun: str) -> None:
    assert not is_plural(noun)


def test_articles() -> None:
    assert [article(word) for word in ("owl", "barn", "hour", "uniform", "umbrella", "old barn")] == [
        *("an", "a", "an", "a", "an", "an")
    ]
    assert with_article("old barn", "barn") == "an old barn"
    assert with_article("tall grass", "grass") == "tall grass"
    assert with_article("barns", "barns") == "barns"


def test_verbs() -> None:
    verbs = ("have", "wear", "watch", "fly", "play", "go", "fix")
    assert [third_person(verb) for verb in verbs] == ["has", "wears", "watches", "flies", "plays", "goes", "fixes"]


def test_words_are_put_together_again() -> None:
    assert join(["the", "goat", "'s", "bell", ",", "is", "n't"]) == "the goat's bell, isn't"
    assert sentence(" the  owl , ") == "the owl."


def test_a_sentence_is_read_by_its_shape(hanta: HanTa) -> None:
    tokens = hanta.tag("is the small goat asleep")
    assert codes(tokens) == "BDJNJ"
    found = find(rf"(?P<b>B)(?P<s>{NP})(?P<p>A*J)(?P<none>X)?", tokens)
    assert found is not None
    assert (found["s"], found["p"], found.words("none")) == ("the small goat", "asleep", ())
    assert find(rf"B{NP}", tokens) is None


@pytest.mark.parametrize(
    ("text", "seen", "unseen", "absent"),
    [
        ("the ladder", "a ladder", "any ladder", "no ladder"),
        ("any owls outside", "owls outside", "any owls outside", "no owls outside"),
        ("the goat's bell", "the goat's bell", "the goat's bell", "not the goat's bell"),
        ("a lot of boats", "a lot of boats", "a lot of boats", "not a lot of boats"),
        ("the top of the hill", "the top of the hill", "the top of the hill", "not the top of the hill"),
        ("sheep anywhere", "sheep", "any sheep", "no sheep"),
    ],
)
def test_things(text: str, seen: str, unseen: str, absent: str, hanta: HanTa) -> None:
    found = noun_phrase(hanta.tag(text))
    assert found is not None
    assert (found.seen(), found.unseen(), found.absent()) == (seen, unseen, absent)


@pytest.mark.parametrize(
    "text", ["", "any", "it", "what the goat eats", "of the owls", "anyone", "owls or bats", "outside"]
)
def test_no_things(text: str, hanta: HanTa) -> None:
    assert noun_phrase(hanta.tag(text)) is None
