"""METEOR's words: what normalisation makes of a text, keys and stems."""

import pytest

from voirdire.metrics.meteor.words import ALWAYS, BEFORE_NUMBER, stem, word_key, words_of

ABBREVIATIONS = {"Mr": ALWAYS, "No": BEFORE_NUMBER}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("  Yes\tIt IS ", "yes it is"),
        ("it's", "it 's"),
        ("no, it isn't!", "no , it isn 't !"),
        ("what?!", "what ? !"),
        ("1,000 people", "1,000 people"),
        ("in 1990, they", "in 1990 , they"),
        ("a,b,c", "a , b,c"),
        ("off-white", "off white"),
        ("semi -dark", "semi -dark"),
        ("dark--blue", "dark blue"),
        ("the dogs' bowls", "the dogs ' bowls"),
        ("the 20's", "the 20 's"),
        ("‘quoted’ and “more” ''too''", '\' quoted \' and " more " " too "'),
        ("red & blue_green", "red & blue _ green"),
        ("Yes.", "yes ."),
        ("Yes. it is.", "yes. it is ."),
        ("Yes. It is", "yes . it is"),
        ("Mr. Smith", "mr. smith"),
        ("No. 5", "no. 5"),
        ("No. Yes", "no . yes"),
        ("at 5 p.m. I think", "at 5 pm i think"),
        ("3.5 feet", "3.5 feet"),
        ("well...maybe ..", "well ... maybe .."),
        ("caf\xe9\xa0Ж中", "caf\xe9 ж 中"),
        ("\x0byes!\x01", "yes !"),
        ("!?.", "! ? ."),
    ],
)
def test_words_of_a_text(text: str, words: str) -> None:
    assert words_of(text, ABBREVIATIONS) == words.split(" ") * bool(words)


def test_key_is_a_polynomial_in_31_and_wraps() -> None:
    assert word_key("") == 0
    assert word_key("ab") == 97 * 31 + 98
    assert word_key("zzzzzzzz") == (sum(122 * 31**k for k in range(8)) + 2**31) % 2**32 - 2**31
    # A character beyond 16 bits counts as its two halves.
    assert word_key("𝒜") == 0xD835 * 31 + 0xDC9C


def test_stems_are_those_of_the_earlier_algorithm() -> None:
    assert [stem(word) for word in ("running", "evening", "geologist", "realization")] == [
        *("run", "even", "geologist", "realiz"),
    ]
