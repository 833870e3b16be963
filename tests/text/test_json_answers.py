"""The answer in an object of JSON: whole, in a fence, with other fields, cut off, and what is no object."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.text.json_answers import json_answer
from voirdire.text.short_answers import short_answer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"answer": "red bus"}', "red bus"),
        ('{"final_answer":"red","explanation":"it is painted red"}', "red"),
        ('{"reasoning": "the answer may be blue", "my answer": "red"}', "red"),
        ('```json\n{\n  "Answer": "red"\n}\n```', "red"),
        ('Here is the answer:\n\n```json\n{"answer": 2}\n```\nLet me know!', "2"),
        ("{'answer': 'red',}", "red"),
        ('{"answer": "say \\"hi\\"\\u0021"}', 'say "hi"!'),
        ('{"answer": ["red", "blue"], "confidence": 1}', "red, blue"),
        ('{"answer": true}', "true"),
        ('{"colour": "red"}', "red"),
        ('{"answer": "red", "explanation": "the bus is pai', "red"),
        ('{"answer": "red', "red"),
        ('{"answer": null}', ""),
        ('{"colour": "red", "size": "large"}', None),
        ("{red}", None),
        ("a {curly} thing", None),
        ("red", None),
        ("", None),
    ],
)
def test_the_field_that_is_the_answer(text, expected):
    assert json_answer(text) == expected


def test_a_caller_prefers_fields():
    text = '{"object": "dog", "question": "Is it red?"}'
    assert json_answer(text, ("question",)) == "Is it red?"
    assert json_answer(text) == "dog"


@pytest.mark.parametrize(
    ("text", "expected"),
    [('{"answer": true}', "yes"), ('{"answer": false}', "no"), ('{"answer": "It is a red bus."}', "red bus")],
)
def test_short_answers_are_looked_for_inside(text, expected):
    assert short_answer(text) == expected


def test_an_empty_field_leaves_the_text():
    assert short_answer('{"answer": ""}').strip()


@given(st.text(st.sampled_from('{}[]":,\\ answer1`\n'), max_size=60))
def test_any_text_is_read_or_not(text):
    found = json_answer(text)
    assert found is None or isinstance(found, str)
