"""What a caption says is there."""

from dataclasses import replace

import pytest

from voirdire.scorekeeping.propositions.existence import caption_pairs
from voirdire.text.tagging import HanTa


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


def test_a_caption(hanta: HanTa) -> None:
    pairs = caption_pairs(hanta.tag("a black goat stands on a park bench near tall trees and bushes"))
    assert [(pair.entailment, pair.contradiction) for pair in pairs] == [
        ("one can see a black goat.", "one cannot see a black goat."),
        ("there is a goat.", "there is no goat."),
        ("there is a bench.", "there is no bench."),
        ("one can see tall trees.", "one cannot see tall trees."),
        ("there are trees.", "there are no trees."),
    ]
    assert all(pair.qa_fact is None for pair in pairs)


def test_what_the_caption_is_all_about_is_not_said_to_be_there(hanta: HanTa) -> None:
    assert [pair.entailment for pair in caption_pairs(hanta.tag("a goat on a roof beside a goat"))] == [
        *("there is a roof.", "there is a goat.")
    ]
    assert caption_pairs(hanta.tag("two goats")) == []
    assert caption_pairs([]) == []


def test_a_taggers_own_heads_are_taken(hanta: HanTa) -> None:
    goat, on, roof = hanta.tag("goat on roof")
    tokens = [replace(goat, head=1), replace(on, head=1), replace(roof, head=0)]
    assert [pair.entailment for pair in caption_pairs(tokens)] == ["there is a goat."]
