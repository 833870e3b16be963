"""Respelling by hand-made cases and by real pairs; what is recognised as plain comes back as it was."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from voirdire.text.respelling import JOINED, PLAIN_ANSWER, describe_step, nltk_3_4, respell
from voirdire.text.tokens import treebank, untreebank

TEXT = """can not cannot gimme gim me gonna gon na got ta gotta lem lemme wan wanna more n d ye t is was it's don't
can't won't i'm we'd they're you've she'll isn't no yes, yes a the dog dogs' 1 20 1st Mr. etc. i ain't cat's, don't, n't
s Can NOT WAN NA o'clock d's , . ? "quoted" (so) :d -- ... $5 5% a/b e.g. é cant tis 'tis"""
WORDS = TEXT.split()


@pytest.mark.parametrize(
    ("text", "then", "now"),
    [
        ("yes , it is", "yes, it is", "yes, it is"),
        ("can not", "cannot", "cannot"),
        ("it's  big ", "it's big", "it's big"),
        ("no, it isn't", "no, it is n't", "no, it isn't"),
        ("no, it isn't big", "no, it isn't big", "no, it isn't big"),
        ("yes,", "yes ,", "yes,"),
        ("yes, 2 pillows", "yes , 2 pillows", "yes, 2 pillows"),
        ("in his 30's", "in his 30 's", "in his 30's"),
        ("$1", "$ 1", "$1"),
        ("i don’t know", "i don ’ t know", "i don’t know"),
        ("'i see 2", "' i see 2", "'i see 2"),
        ('a "stop" sign', 'a``stop"sign', 'a "stop" sign'),
        ("wanna go", "wannago", "wanna go"),
        ("it is. a cat", "it is . a cat", "it is. a cat"),
        ("it is.", "it is.", "it is."),
        ("at 5. maybe e.g. here", "at 5. maybe e.g . here", "at 5. maybe e.g. here"),
        ("dr. who... no! (really?)", "dr. who...no! (really? )", "dr. who...no! (really?)"),
        ("", "", ""),
        ("i think so", "i think so", "i think so"),
    ],
)
def test_known_cases(text: str, then: str, now: str) -> None:
    assert (respell([text]), respell([text], "nltk")) == ([then], [now])


# What NLTK 3.4 and its model of sentences made of hard texts: quotes, brackets, contractions, signs, abbreviations.
HARD = [
    ('he said "stop"', "he said``stop ''"),
    ('it says "no parking".', 'it says``no parking".'),
    ("the sign reads 'exit'", "the sign reads 'exit '"),
    ("''double single''", "''double single ''"),
    ('"(so)"', "\\\" (so) ''"),
    ("[maybe] {or} <not>", "[ maybe] {or} <not >"),
    ("gonna rain, cannot see", "gonna rain, cannot see"),
    ("d'ye see more'n 2", "d'ye see more' n 2"),
    ("'tis 'twas", "'t is'twas"),
    ("dogs' tails", "dogs' tails"),
    ("rock 'n' roll", "rock' n' roll"),
    ("the '90s style", "the '90s style"),
    ("y'all could've", "y'all could 've"),
    ("5:30 pm", "5:30 pm"),
    ("3,4 or 1,000", "3,4 or 1,000"),
    ("yes ,2", "yes ,2"),
    ("a:b; c", "a: b; c"),
    ("yes....", "yes...."),
    ("yes. . .", "yes . . ."),
    ("hm… ok", "hm… ok"),
    ("50% off", "50% off"),
    ("it's $5.", "it's $5."),
    ("#1 a&b", "# 1 a & b"),
    ("me @ home", "me @ home"),
    ("a -- b--c", "a--b--c"),
    ("“yes” ‘ok’ «oui» „so“", "“ yes ” ‘ ok ’ « oui » „ so “"),
    ("`a` ``b''", "` a ```b ''"),
    ("6' 2\" tall", "6' 2\"tall"),
    ('5"', "5 ''"),
    ("()", "( )"),
    ("(a) , b", "( a), b"),
    ("a;b", "a; b"),
    ("...well", "... well"),
    ("p. 5", "p. 5"),
    ("i.e. a cat", "i.e . a cat"),
    ("mr. smith", "mr. smith"),
    ("it is 5 p.m. now", "it is 5 p.m. now"),
    ("in the u.s. flag", "in the u.s. flag"),
    ("etc. and so", "etc . and so"),
    ("2. 3.", "2 . 3."),
    ("at 5. he", "at 5. he"),
    ("plan b. maybe", "plan b. maybe"),
    ("(a.) b", "( a .) b"),
    ('what "south park?"? ok', 'what``south park?"? ok'),
    ('"mr." is', '\\" mr."is'),
    ('no. "yes"', "no .``yes ''"),
    ("he said “no.” yes", "he said “ no. ” yes"),
    ("no.-- yes", "no.--yes"),
    ("ok. fine", "ok. fine"),
    ("in jan. it snows", "in jan. it snows"),
    ("yes!) no", "yes!) no"),
    ("CANNOT, WANNA go", "CANNOT, WANNAgo"),
    ("日本 👍", "日本 👍"),
]


@pytest.mark.parametrize(("text", "then"), HARD)
def test_hard_texts_are_as_nltk_3_4_made_them(text: str, then: str) -> None:
    assert nltk_3_4(text) == then


def test_every_published_pair(real_data: Path) -> None:
    """Texts and what NLTK 3.4 itself made of them."""
    pairs = msgspec.json.decode((real_data / "visdial/dense/nltk_3_4_round_trip.json").read_bytes())
    assert len(pairs) == 1047
    assert sum(text != respelt for text, respelt in pairs) == 194
    assert [nltk_3_4(text) for text, _ in pairs] == [respelt for _, respelt in pairs]
    assert respell(text for text, _ in pairs) == [respelt for _, respelt in pairs]


def test_plain_texts_are_those_that_respelling_gives_back() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(1500)]
    plain = [text for text in texts if PLAIN_ANSWER.fullmatch(text) and not JOINED.search(text)]
    assert len(plain) > 100
    assert [untreebank(treebank(text)) for text in plain] == plain == [nltk_3_4(text) for text in plain]
    some = texts[:300]
    assert respell(some, "nltk") == [untreebank(treebank(text)) for text in some]
    assert respell(some) == [nltk_3_4(text) for text in some]


@pytest.mark.slow
def test_respelling_of_real_answers(real_data: Path) -> None:
    rows = msgspec.json.decode((real_data / "visdial/dense/refs_H_human_val.json").read_bytes())
    texts = sorted({text for row in rows for text in row["refs"]})[::4]
    assert respell(texts, "nltk") == [untreebank(treebank(text)) for text in texts]
    assert respell(texts) == [nltk_3_4(text) for text in texts]


@pytest.mark.parametrize(
    "text", ["can not", "Wan na go", "i cannot", "a , b", "a  b", " a", "yes.", "é", "yes, 2", "it isn't"]
)
def test_what_respelling_does_not_take_for_plain(text: str) -> None:
    assert not PLAIN_ANSWER.fullmatch(text) or JOINED.search(text)


def test_a_step_is_described_with_its_version() -> None:
    assert describe_step("nltk-3.4") == "NLTK 3.4 and back"
    assert describe_step("nltk").startswith("NLTK 3.1")
