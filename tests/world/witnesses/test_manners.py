"""Manners: other words for the same, chosen by the task alone."""

import json
from random import Random

import pytest

from voirdire.world.witnesses.manners import LISTS, MANNERS, Plain, numbered

EXEMPT = {"yes", "foreign"}


def say(manner, text, kind="words", seed=0, asked="is it red?"):
    return MANNERS[manner](Plain(kind, text, asked, Random(seed)))


@pytest.mark.parametrize("manner", MANNERS)
def test_the_same_chance_gives_the_same_words(manner):
    assert say(manner, "brown", seed=4) == say(manner, "brown", seed=4)


@pytest.mark.parametrize("manner", sorted({*MANNERS} - EXEMPT))
@pytest.mark.parametrize(("kind", "text"), [("words", "brown"), ("number", "3"), ("question", "Is it a dog?")])
def test_what_is_meant_stands_in_every_wording(manner, kind, text):
    said = {say(manner, text, kind, seed) for seed in range(60)}
    assert all(text.lower() in words.lower() for words in said)
    assert manner == LISTS or (len(said) > 1 and text not in said)


def test_no_and_yes_are_hedged_as_people_hedge_them():
    said = {say("hedges", "no", seed=seed) for seed in range(60)}
    assert "I don't think so, no." in said
    assert not any("it is no" in words for words in said)


def test_objects_of_json_can_be_read_by_others():
    for seed in range(60):
        text = say("json", "2", "number", seed).removeprefix("```json\n").removesuffix("\n```")
        assert 2 in json.loads(text).values()


def test_two_that_leave_little_of_what_is_meant():
    assert {say("yes", "brown", seed=seed) for seed in range(60)} == {"Yes.", "yes", "Yes, absolutely."}
    assert say("foreign", "no") == "Nein."
    assert "braun" in say("foreign", "brown")


def test_a_list():
    assert numbered(["yes", "2"]) == "1. yes\n2. 2"
