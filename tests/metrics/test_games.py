"""Effectiveness, referring questions and task success on four rows done by hand."""

import numpy as np
import pytest

from voirdire.metrics.games import (
    EFFECTIVENESS,
    EFFECTIVENESS_FAILURE,
    EFFECTIVENESS_MICRO,
    EFFECTIVENESS_SUCCESS,
    LAST_EFFECTIVE,
    LAST_REFERRING,
    REFERRING,
    REFERRING_OTHER,
    SUCCESS_IF_NOT,
    SUCCESS_IF_REFERRING,
    TASK_SUCCESS,
    at_turn,
)
from voirdire.runs import estimate

# Two games: two questions of which one is effective, a success; and one question, effective, a failure. Then a game
# without a question, a failure.
ITEMS = {
    "effective": np.ma.masked_array([True, False, True, False], [False, False, False, True]),
    "referring": np.ma.masked_array([False, True, False, False], [False, False, False, True]),
    "referring_other": np.ma.masked_array([True, False, False, False], [False, False, False, True]),
    "last": np.ma.masked_array([False, True, True, False], [False, False, False, True]),
    "turn": np.ma.masked_array([1, 2, 1, 0], [False, False, False, True]),
    "status": np.array(["success", "success", "failure", "failure"]),
    "success": np.ma.masked_array([False, True, False, False], [True, False, False, False]),
    "effectiveness": np.ma.masked_array([0.0, 0.5, 1.0, 0.0], [True, False, False, True]),
}


@pytest.mark.parametrize(
    ("measure", "name", "value", "n"),
    [
        (EFFECTIVENESS, "effectiveness", 0.75, 2),
        (EFFECTIVENESS_SUCCESS, "effectiveness_success", 0.5, 1),
        (EFFECTIVENESS_FAILURE, "effectiveness_failure", 1.0, 1),
        (EFFECTIVENESS_MICRO, "effectiveness_micro", 2 / 3, 3),
        (LAST_EFFECTIVE, "last_effective", 0.5, 2),
        (at_turn(1), "effectiveness@1", 1.0, 2),
        (at_turn(2), "effectiveness@2", 0.0, 1),
        (REFERRING, "referring", 1 / 3, 3),
        (REFERRING_OTHER, "referring_other", 1 / 3, 3),
        (LAST_REFERRING, "last_referring", 0.5, 2),
        (TASK_SUCCESS, "task_success", 1 / 3, 3),
        (SUCCESS_IF_REFERRING, "success_if_referring", 1.0, 1),
        (SUCCESS_IF_NOT, "success_if_not", 0.0, 1),
    ],
)
def test_games_by_hand(measure, name, value, n):
    assert measure.name == name
    actual = estimate(ITEMS, [measure], seed=0)[name]
    assert (actual.value, actual.n) == (pytest.approx(value), n)
