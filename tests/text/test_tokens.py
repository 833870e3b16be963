"""Tokenisers by hand-made tables, and digits as words."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import UsageError
from voirdire.text.tokens import (
    digits_in_words,
    mteval_13a,
    number_words,
    tokeniser,
    treebank,
    untreebank,
    whitespace,
    words,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("is it sunny?", "is it sunny ?"),
        ("no, it isn't.", "no , it is n't ."),
        ("i can't tell", "i ca n't tell"),
        ("the man's hat", "the man 's hat"),
        ('he said "yes" (twice)', "he said `` yes '' ( twice )"),
        ("2,000 dogs cost $3.50", "2,000 dogs cost $ 3.50"),
        ("gonna go... now", "gon na go ... now"),
        ("a well-lit room", "a well-lit room"),
        ("", ""),
    ],
)
def test_penn_treebank(text: str, tokens: str) -> None:
    assert treebank(text) == tokens.split()


@pytest.mark.parametrize(
    "text",
    [
        "is it sunny?",
        "no, it isn't",
        "i can't tell",
        "the man's hat",
        "they're (maybe) brothers",
        "2,000 dogs",
        "yes",
        "",
    ],
)
def test_untreebank_undoes_treebank(text: str) -> None:
    assert untreebank(treebank(text)) == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("is it sunny?", "is it sunny ?"),
        ("no, it isn't.", "no , it isn't ."),
        ("costs 2,000.50 or 3", "costs 2,000.50 or 3"),
        ("a well-lit room, 1990-1995", "a well-lit room , 1990 - 1995"),
        ("&quot;yes&quot;", '" yes "'),
        ("", ""),
    ],
)
def test_mteval_13a(text: str, tokens: str) -> None:
    assert mteval_13a(text) == tokens.split()


def test_whitespace() -> None:
    assert whitespace("  is it\tsunny?\n") == ["is", "it", "sunny?"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Is it sunny?", "is it sunny"),
        ("Isn't  it the man's hat?!", "is n't it the man 's hat"),
        ("No, it is NOT.", "no it is not"),
        ('Does it say "Stop - now" (twice)?', "does it say stop now twice"),
        ("CANNOT I?", "can not i"),
        ("What's 2 + 2, a well-lit room?", "what 's 2 2 a well-lit room"),
        ("Où est l'été ?", "où est l'été"),
        (" ?", ""),
        ("", ""),
    ],
)
def test_words(text: str, tokens: str) -> None:
    assert words(text) == tokens.split()


PIECES = (
    "is",
    "CANNOT",
    "gonna",
    "wanna",
    "Dog",
    "7",
    " ",
    "  ",
    "?",
    "!",
    ".",
    ",",
    "'s",
    '"',
    "-",
    "\n",
    "é",
    "(",
    "…",
)


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_words_are_those_of_the_treebank(text: str) -> None:
    assert words(text) == [token for token in treebank(text.lower()) if any(map(str.isalnum, token))]
    assert words(text.swapcase()) == words(text)


def test_tokenisers_have_names() -> None:
    assert tokeniser("13a")("a.") == ["a", "."]
    assert tokeniser("treebank") is treebank
    assert tokeniser("whitespace") is whitespace
    with pytest.raises(UsageError, match="13a, treebank, whitespace, words"):
        tokeniser("bpe")


def test_importing_text_is_light() -> None:
    heavy = ["torch", "transformers", "sentence_transformers", "nltk", "sacrebleu", "HanTa", "scipy", "model2vec"]
    code = (
        "import sys; from voirdire.text import cache, coreference, encoders, tagging, tokens;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


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
