import numpy as np
import pytest

from voirdire.metrics.measure import Key, Measure, identity, mean, ratio, std


def reciprocal(rank):
    return 1.0 / rank


RECIPROCAL = Measure(Key("mrr"), statistic=reciprocal, aggregate=mean, better="higher")


def test_the_parameters_of_the_statistic_name_its_columns():
    assert RECIPROCAL.of == ("rank",)
    statistics, kept = RECIPROCAL.statistics({"rank": [1, 2, 4], "other": ["a", "b", "c"]})
    assert statistics.tolist() == [1.0, 0.5, 0.25]
    assert kept.all()


def test_columns_may_be_named_for_it():
    at_five = Measure(Key("cider4"), statistic=identity, aggregate=mean, better="higher").at(5, of=("cider4@5",))
    spread = at_five.variant("std", aggregate=std())
    assert (at_five.name, spread.name, spread.of) == ("cider4@5", "cider4@5:std", ("cider4@5",))
    assert spread.statistics({"cider4@5": [0.5, 0.7]})[0].tolist() == [0.5, 0.7]


def test_a_slice_keeps_the_items_that_hold_the_value():
    sliced = RECIPROCAL.slice("kind", "yes/no")
    items = {"rank": [1, 2, 4], "kind": np.array(["yes/no", "number", "yes/no"])}
    statistics, kept = sliced.statistics(items)
    assert sliced.name == "mrr[yes/no]"
    assert statistics.tolist() == [1.0, 0.25]
    assert kept.tolist() == [True, False, True]
    assert RECIPROCAL.slice("kind", "other").statistics(items)[0].shape == (0,)


def test_masked_cells_are_no_case():
    items = {
        "rank": np.ma.masked_array([1, 2, 4, 5], [False, True, False, False]),
        "kind": np.ma.masked_array([0, 0, 0, 0], [False, False, False, True]),
    }
    assert RECIPROCAL.statistics(items)[0].tolist() == [1.0, 0.25, 0.2]
    assert RECIPROCAL.slice("kind", 0).statistics(items)[0].tolist() == [1.0, 0.25]


def test_a_statistic_may_be_a_row():
    both = Measure(Key("share"), lambda hits, tries: np.column_stack([hits, tries]), ratio, "higher")
    statistics, _ = both.statistics({"hits": [1, 2], "tries": [3, 4]})
    assert statistics.tolist() == [[1, 3], [2, 4]]


def test_faults_are_named():
    with pytest.raises(
        ValueError, match=r"`items` must have a column 'rank', which measure mrr needs; got \['ranks'\]"
    ):
        RECIPROCAL.statistics({"ranks": [1]})
    with pytest.raises(ValueError, match=r"measure sum must give one entry per item, 2, got shape \(\)"):
        Measure(Key("sum"), lambda rank: np.sum(rank), mean, "higher").statistics({"rank": [1, 2]})
    with pytest.raises(ValueError, match="`better` must be one of higher, lower, neither, got 'up'"):
        Measure(Key("mrr"), reciprocal, mean, "up")


def test_identity_reads_the_column_that_is_called_as_the_measure():
    assert Measure(Key("l2", 5, ("minilm",)), identity, mean, "lower").of == ("l2@5[minilm]",)


def test_a_measure_tells_of_itself():
    whole = Measure(Key("shift_right"), identity, mean, "higher", citation="scorekeeping, §6", leads=2)
    assert (whole.label, whole.work, whole.leads) == ("shift right", "scorekeeping", 2)
    other = whole.named("truth_stable", description="stays")
    assert (other.name, other.label, other.leads, other.of) == ("truth_stable", "truth stable", 0, ("shift_right",))
    assert (whole.spread().name, whole.spread().better) == ("shift_right:std", "neither")
    assert whole.under("control").slice("turn", 5, "turn 5").name == "shift_right[turn 5]:control"


def test_a_figure_that_is_not_made_item_by_item_is_told_of_and_not_estimated():
    trend = Measure.figure("trend_p", "neither", "p", description="of a fall by chance")
    assert trend.unit == "p"
    with pytest.raises(TypeError, match="not made item by item"):
        trend.statistic([1.0])
