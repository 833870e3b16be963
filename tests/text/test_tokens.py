"""Tokenisers by hand-made tables; respelling is the treebank's way and back, whatever is recognised as plain."""

import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import UsageError
from voirdire.text.tokens import (
    JOINED,
    PLAIN_ANSWER,
    digits_in_words,
    mteval_13a,
    number_words,
    respell,
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


TEXT = """can not cannot gimme gim me gonna gon na got ta gotta lem lemme wan wanna more n d ye t is was it's don't
can't won't i'm we'd they're you've she'll isn't no yes, yes a the dog dogs' 1 20 1st Mr. etc. i ain't cat's, don't, n't
s Can NOT WAN NA o'clock d's , . ? "quoted" (so) :d -- ... $5 5% a/b e.g. é cant tis 'tis"""
WORDS = TEXT.split()


def test_respelling_known_cases() -> None:
    texts = ["yes , it is", "can not", "it's  big ", "no, it isn't", "", "i think so"]
    assert respell(texts) == ["yes, it is", "cannot", "it's big", "no, it isn't", "", "i think so"]


def test_plain_texts_are_those_that_respelling_gives_back() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(1500)]
    plain = [text for text in texts if PLAIN_ANSWER.fullmatch(text) and not JOINED.search(text)]
    assert len(plain) > 200
    assert [untreebank(treebank(text)) for text in plain] == plain
    some = texts[:300]
    assert respell(some) == [untreebank(treebank(text)) for text in some]


def test_respelling_of_real_answers(real_data: Path) -> None:
    rows = msgspec.json.decode((real_data / "visdial/dense/refs_H_human_val.json").read_bytes())
    texts = sorted({text for row in rows for text in row["refs"]})[::4]
    assert respell(texts) == [untreebank(treebank(text)) for text in texts]


@pytest.mark.parametrize("text", ["can not", "Wan na go", "i cannot", "a , b", "a  b", " a", "yes.", "é"])
def test_what_respelling_does_not_take_for_plain(text: str) -> None:
    assert not PLAIN_ANSWER.fullmatch(text) or JOINED.search(text)


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
