"""What a caption says is there."""

import pytest

from voirdire.scorekeeping.propositions.caption import caption_pairs
from voirdire.text.tagging import HanTa


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


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
