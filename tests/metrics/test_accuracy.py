"""The share of items that are right."""

import numpy as np
import pytest

from voirdire.metrics.accuracy import ACCURACY
from voirdire.runs import Estimate, estimate


def test_share_of_right_items():
    actual = estimate({"right": [True, False, True, True]}, [ACCURACY], seed=0)["accuracy"]
    assert (actual.value, actual.n) == (0.75, 4)
    assert 0 <= actual.low <= 0.75 <= actual.high <= 1


def test_zeros_and_ones_will_do():
    assert estimate({"right": [1, 0]}, [ACCURACY], seed=0)["accuracy"].value == 0.5


def test_no_item():
    assert estimate({"right": np.array([], dtype=bool)}, [ACCURACY], seed=0)["accuracy"] == Estimate(
        None, None, None, 0
    )


@pytest.mark.parametrize("bad", [0.5, 2, np.nan])
def test_an_item_is_right_or_wrong(bad):
    with pytest.raises(ValueError, match=rf"`right` must be 1 \(right\) or 0 \(wrong\), got {float(bad)}"):
        estimate({"right": [1, 0, bad]}, [ACCURACY], seed=0)
