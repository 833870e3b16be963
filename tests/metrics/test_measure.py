import numpy as np
import pytest

from voirdire.metrics.measure import Measure, identity, mean, ratio, std


def reciprocal(rank):
    return 1.0 / rank


RECIPROCAL = Measure(name="mrr", statistic=reciprocal, aggregate=mean, better="higher")


def test_the_parameters_of_the_statistic_name_its_columns():
    assert RECIPROCAL.of == ("rank",)
    statistics, kept = RECIPROCAL.statistics({"rank": [1, 2, 4], "other": ["a", "b", "c"]})
    assert statistics.tolist() == [1.0, 0.5, 0.25]
    assert kept.all()


def test_columns_may_be_named_for_it():
    at_five = Measure(name="cider4", statistic=identity, aggregate=mean, better="higher", of=("cider4",)).variant(
        "@5", of=("cider4@5",)
    )
    spread = at_five.variant(":std", aggregate=std())
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
    both = Measure("share", lambda hits, tries: np.column_stack([hits, tries]), ratio, "higher")
    statistics, _ = both.statistics({"hits": [1, 2], "tries": [3, 4]})
    assert statistics.tolist() == [[1, 3], [2, 4]]


def test_faults_are_named():
    with pytest.raises(ValueError, match=r"no column 'rank', which measure mrr needs; there are \['ranks'\]"):
        RECIPROCAL.statistics({"ranks": [1]})
    with pytest.raises(ValueError, match=r"measure sum made shape \(\) from 2 items"):
        Measure("sum", lambda rank: np.sum(rank), mean, "higher").statistics({"rank": [1, 2]})
    with pytest.raises(ValueError, match="better: 'up'"):
        Measure("mrr", reciprocal, mean, "up")
