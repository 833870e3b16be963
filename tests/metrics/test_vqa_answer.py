"""The official answer processing: a table by hand, and a second reading of the rules that shares no code."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.metrics.vqa_accuracy import process_answer, process_answers, tidy_answer


@pytest.mark.parametrize(
    ("answer", "processed"),
    [
        ("Yes", "yes"),
        ("  a dog\n", "dog"),
        ("the\tred car", "red car"),
        ("an apple a day", "apple day"),
        ("None", "0"),
        ("ten one-two", "10 1 2"),
        ("eleven", "eleven"),
        ("dont know", "don't know"),
        ("it's", "it's"),
        ("he'dve", "he'd've"),
        ("couldnt've", "couldn't've"),
        ("somebody'd", "somebodyd"),
        ("Im", "im"),
        ("yall'd've", "y'all'd've"),
        ("ow's'at", "'ow's'at"),
        # A mark inside words becomes a space; the same mark next to a space anywhere vanishes everywhere.
        ("black/white", "black white"),
        ("black/white / grey", "blackwhite grey"),
        ("red, blue", "red blue"),
        ("red,blue", "red blue"),
        ("t-shirt", "t shirt"),
        ("t-shirt -", "tshirt"),
        # A digit, a comma and a digit make every mark vanish.
        ("1,000", "1000"),
        ("1,000 t-shirts", "1000 tshirts"),
        ("1, 000", "1 000"),
        # Full stops go unless a digit follows; what stands before makes no difference.
        ("3.5", "3.5"),
        ("3.", "3"),
        ("a.m.", "am"),
        (".5", ".5"),
        ("u.s.a", "usa"),
        ("." * 33, "."),
        ("7:30", "7:30"),
        ("what?!", "what"),
        ("(a) [b] {c}", "b c"),
        ("", ""),
        ("the", ""),
    ],
)
def test_table(answer: str, processed: str) -> None:
    assert process_answer(answer) == processed


def test_parentheses_next_to_a_space_vanish() -> None:
    # `(a)` has its second mark next to a space and its first not: the first leaves a space, and `a` is an article.
    assert process_answer("x(a) b") == "x b"


def test_processing_runs_only_where_annotators_differ() -> None:
    assert process_answers(" The Dog. ", ["the dog", "the dog\n"]) == ("The Dog.", ["the dog", "the dog"])
    assert process_answers("The Dog.", ["the dog", "a cat"]) == ("dog", ["dog", "cat"])
    assert process_answers("The Dog.", []) == ("The Dog.", [])


def test_tidying_keeps_other_white_space() -> None:
    assert tidy_answer("\ta\nb  c\r") == "a b  c"


APOSTROPHES = {
    "arent": "aren't",
    "hes": "he's",
    "theyll": "they'll",
    "wouldn'tve": "wouldn't've",
    "twas": "'twas",
    "y'allll": "y'all'll",
    "oclock": "o'clock",
}


def second_reading(text: str) -> str:
    """The rules letter by letter: no regular expressions, one pass a step."""
    text = "".join(" " if letter in "\n\t" else letter for letter in text).strip()
    big_number = any(
        text[i] == "," and text[i - 1].isdecimal() and text[i + 1].isdecimal() for i in range(1, len(text) - 1)
    )
    neighbours = {text[i] for i in range(len(text)) if " " in (text[i - 1 : i], text[i + 1 : i + 2])}
    kept = []
    for letter in text:
        if letter not in set(string.punctuation) - set("'.:#$%&*^|~"):
            kept.append(letter)
        elif not (big_number or letter in neighbours):
            kept.append(" ")
    out, removed = [], 0
    for i, letter in enumerate(kept):
        if letter == "." and removed < 32 and not (i + 1 < len(kept) and kept[i + 1].isdecimal()):
            removed += 1
        else:
            out.append(letter)
    words = "".join(out).lower().split()
    digits = {"none": "0", "one": "1", "ten": "10"}
    words = [digits.get(word, word) for word in words]
    return " ".join(APOSTROPHES.get(word, word) for word in words if word not in ("a", "an", "the"))


PARTS = st.sampled_from([*string.punctuation, *" \n\t.,,'019", "1,2", "." * 17, "x", "A", "an", "the", "none", "Ten"])
WORDS = st.sampled_from(list(APOSTROPHES)).map(lambda word: f" {word} ")


@settings(max_examples=500)
@given(st.lists(PARTS | WORDS, max_size=14).map("".join))
def test_a_second_reading_agrees(text: str) -> None:
    assert process_answer(text) == second_reading(text)
