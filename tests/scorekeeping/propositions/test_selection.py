"""Filters and draws of propositions."""

from pathlib import Path

import pytest

from voirdire.errors import InputError, UsageError
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.scorekeeping.exam import PropositionOptions
from voirdire.scorekeeping.probe.sample import check_balanced
from voirdire.scorekeeping.propositions.making import MadePropositions, make_propositions
from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.scorekeeping.propositions.selection import (
    LeftOutWords,
    balance,
    caption_draws,
    profane_words,
    read_left_out_words,
    why_dropped,
)
from voirdire.text.coreference import resolver
from voirdire.text.tagging import HanTa


def test_long_sentences_and_pronouns_are_dropped() -> None:
    def why(text: str) -> str:
        return why_dropped(Pair("there is an owl.", text))

    assert why("there is no owl.") == ""
    assert why("it is not an owl.") == ""
    assert why("he is an owl.") == "the pronoun he"
    assert why("this owl is old.") == "the pronoun this"
    assert why("there is something.") == ""
    assert why(" ".join(["owl"] * 15) + ".") == ""
    assert why(" ".join(["owl"] * 16) + ".") == "more than 15 words"


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


ALL = PropositionOptions(captions=1.0)


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


def dialogues(*rounds: tuple[tuple[str, str], ...], caption: str = "a goat stands on a roof") -> Dialogues:
    return Dialogues(tuple(Dialogue(number, caption, one) for number, one in enumerate(rounds)), "val")


def make(found: Dialogues, hanta: HanTa, options: PropositionOptions = ALL) -> MadePropositions:
    return make_propositions(found, hanta, resolver("rules"), options, "here.json")


TWO = (("is there a ladder", "no"), ("how old is it", "very"), ("what color is the ladder", "i can't tell"))


def test_draws_of_captions() -> None:
    assert caption_draws(0.0, 1, 100) == [False] * 100
    assert caption_draws(1.0, 1, 100) == [True] * 100
    assert caption_draws(0.5, 1, 0) == []
    with pytest.raises(ValueError, match=r"`share` must be from 0 to 1, got 1\.5"):
        caption_draws(1.5, 1, 2)


def test_a_share_outside_its_range_is_refused(hanta: HanTa) -> None:
    with pytest.raises(UsageError, match="`captions` must be at most 1, got 2"):
        make(dialogues(TWO), hanta, PropositionOptions(captions=2))


def records(*truths: tuple[str, int]) -> tuple[Proposition, ...]:
    return tuple(Proposition(text, truth, 1, "there", "positive") for text, truth in truths)


class TestBalance:
    def test_every_sentence_is_left_as_often_true_as_false(self) -> None:
        many = {number: records(("a.", 1), ("b.", 0)) for number in range(50)}
        many |= {number: records(("b.", 1), ("a.", 0)) for number in range(50, 70)}
        many[70] = records(("c.", 1), ("d.", 0))
        balanced = balance(PropositionSet("train", "x", many), 3)
        check_balanced(balanced, "made")
        assert len(balanced) == 80
        assert 70 not in balanced.dialogues
        assert balanced == balance(PropositionSet("train", "x", many), 3)
        assert balanced != balance(PropositionSet("train", "x", many), 4)

    def test_no_sentence_is_left_more_often_than_the_limit(self) -> None:
        many = {number: records(("a.", number % 2), ("b.", 1 - number % 2)) for number in range(40)}
        balanced = balance(PropositionSet("train", "x", many), 0, limit=7)
        assert len(balanced) == 4 * 7
        check_balanced(balanced, "made")

    def test_what_is_balanced_stays(self) -> None:
        both = PropositionSet("train", "x", {0: records(("a.", 1), ("b.", 0)), 1: records(("b.", 1), ("a.", 0))})
        assert balance(both, 5) == both

    def test_nothing_may_be_left(self) -> None:
        assert balance(PropositionSet("train", "x", {0: records(("a.", 1), ("b.", 0))}), 5).dialogues == {}
