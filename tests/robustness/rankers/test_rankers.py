"""Rankers by name."""

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
