"""Texts far longer than any that is said: twice the words are twice the work, counted in lines of code that are run."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from voirdire.scorekeeping.propositions.deriving import derive, read_exchange
from voirdire.scorekeeping.propositions.rewriting import rewrite
from voirdire.text.coreference import TokenSpan, resolver, rules
from voirdire.text.tagging import HanTa

pytestmark = pytest.mark.slow

LONG = (
    "is",
    "he",
    "is it",
    "what is it",
    "have",
    "running",
    "2",
    "a dog",
    "the man is wearing",
    "red and blue",
    "that",
)


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


def lines_run(work: Callable[[], Any]) -> int:
    """How many lines of our code, and of the tagger's, are run by `work`; each round of a loop counts."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(("voirdire.", "HanTa.")):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("words", LONG)
def test_a_long_sentence_is_tagged_in_time_that_grows_as_it_does(words, hanta):
    once, twice = (lines_run(lambda size=size: hanta.tag([*words.split(), "."] * size)) for size in (100, 200))
    assert twice < 2.2 * once


@pytest.mark.parametrize("words", LONG)
def test_a_long_question_becomes_propositions_in_time_that_grows_as_it_does(words, hanta, monkeypatch):
    # Below its limit the resolver's time grows with the square; the limit is small here for the test's own time.
    monkeypatch.setattr(rules, "LONGEST", 100)

    def work(size):
        question = " ".join([words] * size)
        after = rewrite("a dog and a man", [(question, "yes")], hanta, resolver("rules"))
        derive(read_exchange(question, "yes", hanta, after.rounds[0][0], "and"))

    once, twice = (lines_run(lambda size=size: work(size)) for size in (150, 300))
    assert twice < 2.2 * once


class AllOfOne:
    """Finds that every `it` of the question stands for the caption's first two words."""

    name = signature = "all of one"

    def resolve(self, pieces, _):
        places = [place for place, word in enumerate(pieces[1]) if word == "it"]
        return [(TokenSpan(0, 0, 2), *(TokenSpan(1, place, place + 1) for place in places))]


def test_many_pronouns_of_one_text_are_replaced_in_time_that_grows_as_they_do(hanta):
    def work(size):
        made = rewrite("a dog", [("is it " * size, "yes")], hanta, AllOfOne())
        assert made.replaced == size
        assert made.rounds[0][0] == "is the dog " * size

    once, twice = (lines_run(lambda size=size: work(size)) for size in (200, 400))
    assert twice < 2.2 * once


def test_pronouns_of_a_dialogue_without_end_are_left_alone(hanta, monkeypatch):
    monkeypatch.setattr(rules, "LONGEST", 100)

    def replaced(size):
        return rewrite("a man", [("is he old", "yes")] * size, hanta, resolver("rules")).replaced

    # A question and its mark have four words, an answer two; the caption has three.
    most = (rules.LONGEST - 3) // 6
    assert replaced(most) == most
    assert replaced(most + 1) == 0
