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
        ("at 5. maybe e.g. here", "at 5. maybe e.g. here", "at 5. maybe e.g. here"),
        ("dr. who... no! (really?)", "dr. who...no! (really? )", "dr. who...no! (really?)"),
        ("", "", ""),
        ("i think so", "i think so", "i think so"),
    ],
)
def test_known_cases(text: str, then: str, now: str) -> None:
    assert (respell([text]), respell([text], "nltk")) == ([then], [now])


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
