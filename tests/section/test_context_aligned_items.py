"""Of which models something is true, in a word."""

import pytest

from voirdire.section.context import by_whom


@pytest.mark.parametrize(
    ("labels", "done", "told"),
    [
        (["a"], [True], "yes"),
        (["a"], [False], "no"),
        (["a", "b"], [True, True], "every model"),
        (["a", "b"], [False, False], "no model"),
        (["a", "b", "c"], [True, False, True], "a, c"),
    ],
)
def test_by_whom(labels, done, told):
    assert by_whom(labels, done) == told
