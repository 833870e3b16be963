"""Rankers by name."""

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.robustness.rankers import RANKERS, make_ranker


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"there is no ranker 'bleu5'; there are: bleu1, bleu2, bleu3, bleu4, cider"):
        make_ranker("bleu5", ["a"])


def test_nothing_goes_after_a_name():
    with pytest.raises(UsageError, match="the ranker 'cider' takes nothing after its name, got 'pool'"):
        make_ranker("cider:pool", ["a"])


@pytest.mark.parametrize("name", [name for name in RANKERS.names() if name not in ("lasso", "meteor")])
def test_a_ranker_signs_with_its_name(name):
    assert make_ranker(name, ["is it red?", "is it blue?"]).signature["ranker"] == name


class Letters:
    """Vectors of how often each letter is in a text."""

    name, signature, dimension = "letters", "0" * 64, 26

    def encode(self, texts):
        return np.array([[text.count(chr(97 + at)) for at in range(26)] for text in texts], np.float32)


@pytest.mark.parametrize("name", RANKERS.names())
def test_a_list_has_no_more_room_than_the_pool_has_questions(name):
    pool = ["is it red?", "is it blue?", "?", "is it red ?"]
    ranker = make_ranker(name, pool, encoder=Letters(), lam=0.1)
    none = [np.empty(0, np.int64)]
    many, few = (ranker.rank(["is it big and red?"], none, top) for top in (10**9, 4))
    assert many.places.shape == many.scores.shape == (1, 4)
    assert many.places.tolist() == few.places.tolist()
    assert many.scores.tolist() == few.scores.tolist()
