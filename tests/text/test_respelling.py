"""Respelling is the treebank's way and back, whatever is recognised as plain."""

import numpy as np
import pytest

from voirdire.text.respelling import JOINED, PLAIN, respell
from voirdire.text.tokens import treebank, untreebank

TEXT = """can not cannot gimme gim me gonna gon na got ta gotta lem lemme wan wanna more n d ye t is was it's don't
can't won't i'm we'd they're you've she'll isn't no yes, yes a the dog dogs' 1 20 1st Mr. etc. i ain't cat's, don't, n't
s Can NOT WAN NA o'clock d's , . ? "quoted" (so) :d -- ... $5 5% a/b e.g. é cant tis 'tis"""
WORDS = TEXT.split()


def test_known_cases():
    texts = ["yes , it is", "can not", "it's  big ", "no, it isn't", "", "i think so"]
    assert respell(texts) == ["yes, it is", "cannot", "it's big", "no, it isn't", "", "i think so"]


def test_plain_texts_are_those_that_come_back():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(1500)]
    plain = [text for text in texts if PLAIN.fullmatch(text) and not JOINED.search(text)]
    assert len(plain) > 200
    assert [untreebank(treebank(text)) for text in plain] == plain
    some = texts[:300]
    assert respell(some) == [untreebank(treebank(text)) for text in some]


def test_real_answers(real_data):
    import msgspec

    rows = msgspec.json.decode((real_data / "visdial/dense/refs_H_human_val.json").read_bytes())
    texts = sorted({text for row in rows for text in row["refs"]})[::4]
    assert respell(texts) == [untreebank(treebank(text)) for text in texts]


@pytest.mark.parametrize("text", ["can not", "Wan na go", "i cannot", "a , b", "a  b", " a", "yes.", "é"])
def test_not_plain(text):
    assert not PLAIN.fullmatch(text) or JOINED.search(text)
