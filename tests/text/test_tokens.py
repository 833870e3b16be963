"""Tokenisers by hand-made tables."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import UsageError
from voirdire.text.tokens import mteval_13a, tokeniser, treebank, untreebank, whitespace, words


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
        "import sys; from voirdire.text import cache, coreference, encoders, tagging, tokens, vqa_answer;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
