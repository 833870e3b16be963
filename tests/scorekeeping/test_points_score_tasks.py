"""What a point is labelled with, and who can be asked what."""

import numpy as np
import pytest
from probe_dialogues import dialogue

from voirdire.errors import UsageError
from voirdire.scorekeeping.points import TASKS, task_named, tasks_of


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("TFxPS", ["false private", "false shared", "true private", "true shared"]),
        ("TF", ["false", "false", "true", "true"]),
        ("PS", ["private", "shared", "private", "shared"]),
        ("PxTSFS", ["private", "false shared", "private", "true shared"]),
    ],
)
def test_classes_of_the_four_kinds_of_points(task: str, names: list[str]) -> None:
    true, shared = np.array([False, False, True, True]), np.array([False, True, False, True])
    found = TASKS[task].label(true, shared)
    assert [TASKS[task].classes[place] for place in found] == names
    for place, holds, said in zip(found, true, shared, strict=True):
        assert TASKS[task].truth[place] in (-1, holds)
        assert TASKS[task].shared[place] in (-1, said)


def test_the_questioner_is_not_asked_what_it_cannot_know() -> None:
    assert [task.name for task in tasks_of("A")] == ["TFxPS", "TF", "PS", "PxTSFS"]
    assert [task.name for task in tasks_of("Q")] == ["PS", "PxTSFS"]
    with pytest.raises(UsageError, match=r"cannot be asked of the questioner.*PS and PxTSFS"):
        task_named("TF", "Q")
    with pytest.raises(UsageError, match="`task` must be one of TFxPS, TF, PS, PxTSFS, got 'XY'"):
        task_named("XY")
    with pytest.raises(UsageError, match=r"`role` must be A \(the answerer\) or Q \(the questioner\), got 'B'"):
        task_named("PS", "B")  # type: ignore[arg-type]


def test_made_up_dialogues_are_as_described() -> None:
    records, score = dialogue(np.random.default_rng(0))
    assert len(records) == 8
    assert score.shape == (11, 12)
    assert [record.turn_shared for record in records[::2]] == [record.turn_shared for record in records[1::2]]
