import numpy as np
import pytest

from voirdire.stats import alpha_interval, fleiss_kappa, kappa_interval, krippendorff_alpha


def test_kappa_by_hand():
    # Two judges, four items, three agree: P̄ = 3/4; categories 5/8 and 3/8: P̄_e = 34/64; κ = (48 − 34) / (64 − 34).
    judgements = [["yes", "yes"], ["yes", "no"], ["no", "no"], ["yes", "yes"]]
    assert fleiss_kappa(judgements) == pytest.approx(14 / 30)


def test_alpha_by_hand():
    # The same pairs: D_o = 2/8; of 8·7 ordered pairs 2·5·3 differ; α = 1 − (2/8) / (30/56).
    judgements = [["yes", "yes"], ["yes", "no"], ["no", "no"], ["yes", "yes"]]
    assert krippendorff_alpha(judgements) == pytest.approx(1 - (2 / 8) / (30 / 56))


def test_judgements_that_were_not_made_do_not_count():
    whole = [[1, 1], [1, 2], [2, 2], [1, 1]]
    gaps = [[1, 1, None], [1, None, 2], [None, 2, 2], [1, 1, None], [None, 3, None]]
    assert krippendorff_alpha(np.array(gaps, dtype=object)) == pytest.approx(krippendorff_alpha(whole))
    assert krippendorff_alpha(np.array(gaps, dtype=float)) == pytest.approx(krippendorff_alpha(whole))


def test_the_level_of_measurement_counts_near_misses():
    near, far = [[1, 1], [5, 4], [3, 3], [2, 2]], [[1, 1], [5, 2], [3, 3], [4, 4]]
    assert krippendorff_alpha(near, "interval") > krippendorff_alpha(far, "interval")
    assert krippendorff_alpha(near) == pytest.approx(krippendorff_alpha(far))


def test_full_agreement_is_one():
    assert fleiss_kappa([[0, 0, 0], [1, 1, 1]]) == pytest.approx(1.0)
    assert krippendorff_alpha([[0, 0, 0], [1, 1, 1]]) == pytest.approx(1.0)


@pytest.mark.parametrize("agreement", [fleiss_kappa, krippendorff_alpha])
@pytest.mark.parametrize(
    "judgements",
    [np.empty((0, 3)), np.empty((4, 0)), [[1], [2], [1]], [["no", "no"], ["no", "no"]]],
    ids=["no item", "no judge", "one judge", "one value"],
)
def test_undefined(agreement, judgements):
    assert agreement(judgements) is None


def test_alpha_is_undefined_where_no_item_has_two_judgements():
    assert krippendorff_alpha([[1.0, np.nan], [np.nan, 2.0]]) is None


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="item 1, judge 0"):
        fleiss_kappa([[1.0, 2.0], [np.nan, 1.0]])
    with pytest.raises(ValueError, match="got 1 dimensions"):
        fleiss_kappa([1, 2, 3])
    with pytest.raises(ValueError, match="infinite"):
        krippendorff_alpha([[1.0, np.inf], [1.0, 2.0]])
    with pytest.raises(ValueError, match=r"`level` must be one of .*, got 'cardinal'"):
        krippendorff_alpha([[1, 2], [1, 1]], "cardinal")
    with pytest.raises(ValueError, match="at the ordinal level must be numbers"):
        krippendorff_alpha([["low", "high"], ["low", "low"]], "ordinal")


def _judged(items: int, judges: int = 3) -> np.ndarray:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, (items, 1))
    return np.where(rng.random((items, judges)) < 0.7, truth, rng.integers(0, 3, (items, judges)))


@pytest.mark.parametrize(
    ("figure", "interval"), [(fleiss_kappa, kappa_interval), (krippendorff_alpha, alpha_interval)], ids=["κ", "α"]
)
def test_intervals_are_those_of_the_figure_of_drawn_items(figure, interval):
    table, rng = _judged(40), np.random.default_rng(1)
    found = interval(table, 0)
    drawn = [figure(table[rng.integers(0, 40, 40)]) for _ in range(400)]
    assert found.low < figure(table) < found.high
    assert (found.low, found.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.03)
    # What belongs together is drawn together: twice the items tell no more, if they are copies.
    twice, clusters = np.repeat(table, 2, axis=0), np.repeat(np.arange(40), 2)
    doubled = interval(twice, 0, clusters)
    assert (doubled.low, doubled.high) == pytest.approx((found.low, found.high), abs=0.01)
    assert interval(twice, 0).high - interval(twice, 0).low < found.high - found.low


def test_where_there_is_no_interval():
    assert kappa_interval([[1, None], [1, 2]], 0) is None
    assert kappa_interval([[1, 1], [1, 1]], 0) is None
    assert alpha_interval([[1, 1], [1, 1]], 0) is None
    assert alpha_interval(np.array([[1, None], [None, 2]], dtype=object), 0) is None
    assert kappa_interval([[1, 2]], 0) is None
    gaps = np.array([[*row, None] for row in _judged(40).tolist()], dtype=object)
    found, whole = alpha_interval(gaps, 0), alpha_interval(_judged(40), 0)
    assert (found.low, found.high) == (whole.low, whole.high)
