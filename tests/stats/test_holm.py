import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.stats import holm

SHARES = st.lists(st.floats(0, 1), max_size=12)


def test_by_hand():
    # Sorted: 0.01·4, 0.02·3, 0.03·2, 0.04·1, each no smaller than the one before.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_none_is_no_test():
    assert holm([None, 0.02, None, 0.03]) == [None, 0.04, None, 0.04]


def test_degenerate():
    assert holm([]) == []
    assert holm([0.2]) == [0.2]
    assert holm([0.7, 0.9]) == [1.0, 1.0]


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(bad):
    with pytest.raises(ValueError, match="number 1"):
        holm([0.5, bad])


@given(SHARES)
def test_never_smaller_never_above_one_and_in_the_same_order(p_values):
    corrected = holm(p_values)
    assert all(p <= c <= 1 for p, c in zip(p_values, corrected, strict=True))
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)
