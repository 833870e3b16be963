"""Replies that are no answers are counted by kind, each by a stated rule, and told above one in fifty."""

import pytest

from voirdire.live.replies import odd_replies

PEOPLE = ["white", "a dog", "yes"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (" ", "empty"),
        ("I'm sorry, I can't help with that.", "refusals"),
        ("白色", "in another script"),
        ("красный автобус", "in another script"),
        ("La respuesta es blanco.", "in another language"),
        ("Das Auto ist rot", "in another language"),
        ("oui", "in another language"),
        ("The picture shows a man who stands in front of a house and holds a", "cut"),
    ],
)
def test_each_kind(text, kind):
    assert odd_replies("model", [text, "white"], PEOPLE) == [f"Of 2 replies of model: 1 (50.0 %) {kind}."]


@pytest.mark.parametrize(
    "text",
    [
        "white",
        "Yes, it is.",
        "The bus is red.",
        "no",
        "la la land",
        "el camino",
        "5",
        "die cast car",
        "café",
        "no idea",
    ],
)
def test_answers_are_of_no_kind(text):
    assert odd_replies("model", [text], PEOPLE) == []


def test_one_in_fifty_is_not_told():
    assert odd_replies("model", ["white"] * 98 + [""] * 2, PEOPLE) == []
    assert odd_replies("model", ["white"] * 97 + [""] * 3, PEOPLE) == ["Of 100 replies of model: 3 (3.0 %) empty."]


def test_people_may_write_another_script():
    assert odd_replies("model", ["白色"], ["白色", "黑色"]) == []
    assert odd_replies("model", ["white"], ["白色"]) == ["Of 1 reply of model: 1 (100.0 %) in another script."]


def test_people_may_write_another_language():
    assert odd_replies("model", ["el perro es blanco"], ["el gato es negro"]) == []
