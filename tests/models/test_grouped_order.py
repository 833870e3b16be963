"""An order in which groups stand together."""

import numpy as np

from voirdire.models.grouped_order import GroupedOrder


def test_groups_stand_together_in_any_order() -> None:
    group = np.array([3, 1, 3, 2, 1, 3])
    order = GroupedOrder(group)
    drawn = [order.draw(np.random.default_rng(seed)) for seed in range(30)]
    for rows in drawn:
        assert sorted(rows.tolist()) == list(range(6))
        assert np.count_nonzero(np.diff(group[rows])) == 2
        assert [row for row in rows.tolist() if group[row] == 3] == [0, 2, 5]
    assert {int(group[rows[0]]) for rows in drawn} == {1, 2, 3}
    assert np.array_equal(order.draw(np.random.default_rng(4)), drawn[4])


def test_no_example_and_one_group() -> None:
    assert GroupedOrder(np.empty(0, np.int64)).draw(np.random.default_rng(0)).tolist() == []
    assert GroupedOrder(np.array([5, 5])).draw(np.random.default_rng(0)).tolist() == [0, 1]
