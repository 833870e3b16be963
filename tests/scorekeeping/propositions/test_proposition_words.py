"""Polarity of answers, number and articles of nouns, shapes of sentences, captions, filters."""

from pathlib import Path

import pytest

from voirdire.errors import InputError
from voirdire.scorekeeping.propositions.caption import caption_pairs
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
from voirdire.scorekeeping.propositions.rule import Pair, denies, is_unknown, polarity
from voirdire.scorekeeping.propositions.selection import LeftOutWords, profane_words, read_left_out_words, why_dropped
from voirdire.text.tagging import HanTa


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


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


def test_a_caption(hanta: HanTa) -> None:
    pairs = caption_pairs(hanta.tag("a black goat stands on top of a park bench near tall trees and bushes"))
    assert [(pair.entailment, pair.contradiction) for pair in pairs] == [
        ("there is a goat.", "there is no goat."),
        ("there is a bench.", "there is no bench."),
        ("there are trees.", "there are no trees."),
        ("one can see a black goat.", "one cannot see a black goat."),
        ("one can see tall trees.", "one cannot see tall trees."),
    ]
    assert all(pair.qa_fact is None for pair in pairs)


def test_a_caption_says_each_thing_once_and_may_say_nothing(hanta: HanTa) -> None:
    assert len(caption_pairs(hanta.tag("a goat and a boy beside a goat"))) == 1
    assert caption_pairs(hanta.tag("the goat's the one on the left")) == []
    assert caption_pairs([]) == []


def test_long_sentences_and_pronouns_are_dropped() -> None:
    def why(text: str) -> str:
        return why_dropped(Pair("there is an owl.", text))

    assert why("there is no owl.") == ""
    assert why("it is not an owl.") == ""
    assert why("he is an owl.") == "the pronoun he"
    assert why("this owl is old.") == "the pronoun this"
    assert why("there is something.") == "the pronoun something"
    assert why(" ".join(["owl"] * 15) + ".") == ""
    assert why(" ".join(["owl"] * 16) + ".") == "more than 15 tokens"


def test_profane_words_are_found_as_words() -> None:
    found = profane_words()
    assert found.first(["a goat in the grass", "is it a class", "yes"]) is None
    assert found.first(["a goat", "is it damn old", "yes"]) == "damn"
    assert found.first([]) is None


def test_everyday_words_are_not_profane() -> None:
    assert profane_words().first(["a skier on a slope", "is there a pot", "a strip of land"]) is None


def test_the_words_may_be_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("Owl\n\ngrey goat\n", encoding="utf-8")
    found = read_left_out_words(file)
    assert (found.singles, found.phrases) == ({"owl"}, ("grey goat",))
    assert found.fingerprint
    assert found.first(["a damn barn", "is it an OWL"]) == "owl"
    assert found.first(["a goat that is grey", "the GREY goat, alone"]) == "grey goat"
    assert found.first(["owls"]) is None
    file.write_bytes(b"")
    assert read_left_out_words(file) == LeftOutWords(frozenset(), (), read_left_out_words(file).fingerprint)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(
        InputError, match=r"words\.txt: found bytes that are no text, expected one word or phrase per line"
    ):
        read_left_out_words(file)


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
