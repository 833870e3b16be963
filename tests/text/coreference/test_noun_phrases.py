"""Noun phrases and the lexicon that the shipped resolver reads."""

import pytest

from voirdire.text.coreference.noun_phrases import Kind, Number, kind, number, phrases, singular, whole
from voirdire.text.tagging import Tagger, tagger


@pytest.fixture(scope="module")
def hanta() -> Tagger:
    return tagger()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a man is sitting at a dining table", ["a man", "a dining table"]),
        ("a group of people near two dogs", ["a group of people", "two dogs"]),
        ("a bowl of soup", ["a bowl of soup", "soup"]),
        ("a white and blue bus", ["a white and blue bus"]),
        ("a dog runs past some boys", ["a dog", "some boys"]),
        ("is the table wood", ["the table", "wood"]),
        ("is the bus green", ["the bus", "green"]),
        ("are the walls brick or wood", ["the walls", "brick", "wood"]),
        ("what color bird is it", ["bird"]),
        ("how many people are there", ["people"]),
        ("is that a horse", ["a horse"]),
        ("does her dog look old", ["her dog"]),
        ("is there any other food", ["any other food"]),
        ("yes", []),
        ("", []),
    ],
)
def test_the_phrases_of_a_piece(text: str, expected: list[str], hanta: Tagger) -> None:
    words = text.split()
    assert [" ".join(words[p.span.start : p.span.end]) for p in phrases(3, hanta.tag(words))] == expected
    assert all(phrase.span.piece == 3 for phrase in phrases(3, hanta.tag(words)))


@pytest.mark.parametrize(
    ("text", "head", "sort", "many"),
    [
        ("a group of surfers", "surfer", "person", "many"),
        ("three men", "man", "man", "many"),
        ("a sheep", "sheep", "animal", "one"),
        ("some sheep", "sheep", "animal", "either"),
        ("two sheep", "sheep", "animal", "many"),
        ("a plate of grapes", "plate", "thing", "one"),
        ("the photo", "photo", "picture", "one"),
        ("a family", "family", "person", "either"),
    ],
)
def test_what_a_phrase_can_be(text: str, head: str, sort: Kind, many: Number, hanta: Tagger) -> None:
    phrase = phrases(0, hanta.tag(text.split()))[0]
    assert (phrase.head, phrase.kind, phrase.number) == (head, sort, many)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a man riding a wave on a board", "a man riding a wave on a board"),
        ("a woman in the boat is smiling", "a woman in the boat"),
        ("a goat that sleeps", "a goat that sleeps"),
        ("a pizza covered in cheese sits there", "a pizza covered in cheese"),
        ("is the goat on the roof", "the goat"),
        ("is the goat eating grass", "the goat"),
        ("is there a goat eating grass", "a goat eating grass"),
        ("he sees the roof on the barn", "the roof"),
        ("he sees the roof of the barn", "the roof of the barn"),
        ("a goat with his owner", "a goat"),
    ],
)
def test_a_whole_phrase_has_what_modifies_it(text: str, expected: str, hanta: Tagger) -> None:
    tokens = hanta.tag(text)
    span = whole(tokens, phrases(0, tokens)[0].span)
    assert " ".join(token.text for token in tokens[span.start : span.end]) == expected


def test_definite_and_other_phrases(hanta: Tagger) -> None:
    found = {text: phrases(0, hanta.tag(text.split()))[0] for text in ("the cat", "his cat", "a cat", "another cat")}
    assert [phrase.definite for phrase in found.values()] == [True, True, False, False]
    assert [phrase.other for phrase in found.values()] == [False, False, False, True]


@pytest.mark.parametrize(
    ("noun", "one", "many"),
    [
        ("dogs", "dog", "many"), ("women", "woman", "many"), ("people", "person", "many"), ("boxes", "box", "many"),
        ("puppies", "puppy", "many"), ("horses", "horse", "many"), ("benches", "bench", "many"), ("bus", "bus", "one"),
        ("grass", "grass", "one"), ("tennis", "tennis", "one"), ("pants", "pants", "many"), ("deer", "deer", "either"),
        ("gas", "gas", "one"), ("knives", "knife", "many"), ("buses", "bus", "many"), ("potatoes", "potato", "many"),
    ],
)  # fmt: skip
def test_singular_and_number(noun: str, one: str, many: Number) -> None:
    assert singular(noun) == one
    assert number(noun) == many


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("gentlemen", "man"), ("spokesman", "man"), ("woman", "woman"), ("ladies", "woman"), ("toddler", "person"),
        ("crowd", "person"), ("kittens", "animal"), ("picture", "picture"), ("color", "nothing"), ("orange", "nothing"),
        ("lamp", "thing"), ("zzxqj", "thing"),
    ],
)  # fmt: skip
def test_kinds(noun: str, expected: Kind) -> None:
    assert kind(noun) == expected
