"""Numbers in sentences."""

import pytest

from voirdire.figures import counted


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0, "image"), "0 images"),
        ((1, "image"), "1 image"),
        ((2000, "image"), "2,000 images"),
        ((1, "box", "boxes"), "1 box"),
        ((2, "box", "boxes"), "2 boxes"),
    ],
)
def test_a_noun_follows_its_number(arguments, text):
    assert counted(*arguments) == text
