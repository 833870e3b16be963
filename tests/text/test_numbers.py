"""Digits in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.text.tokens import digits_in_words, number_words


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("0", "zero"),
        ("007", "seven"),
        ("12", "twelve"),
        ("21", "twenty one"),
        ("30", "thirty"),
        ("100", "one hundred"),
        ("110", "one hundred and ten"),
        ("1000", "one thousand"),
        ("1001", "one thousand and one"),
        ("1100", "one thousand, one hundred"),
        ("1999", "one thousand, nine hundred and ninety nine"),
        ("100000", "one hundred thousand"),
        ("1000001", "one million and one"),
        ("123456", "one hundred and twenty three thousand, four hundred and fifty six"),
        ("1" + "0" * 33, "one decillion"),
        ("9" * 37, " ".join(["nine"] * 37)),
        ("٣", "three"),
    ],
)
def test_numbers_in_words(digits: str, words: str) -> None:
    assert number_words(digits) == words


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_different_numbers_have_different_words(a: int, b: int) -> None:
    assert (number_words(str(a)) == number_words(str(b))) == (a == b)
    assert "-" not in number_words(str(a))


def test_only_digits_are_replaced() -> None:
    assert digits_in_words("It's 21, or 3pm") == "It's twenty one, or threepm"
