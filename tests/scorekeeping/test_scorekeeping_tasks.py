"""What a point is labelled with, and who can be asked what."""

import numpy as np
import pytest
from probe_dialogues import THINGS, dialogue, probe_data

from voirdire.errors import UsageError
from voirdire.formats.propositions import Proposition
from voirdire.scorekeeping.points import SentenceNumbers, points_of
from voirdire.scorekeeping.score_tasks import TASKS, task_named, tasks_of


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


def test_points_are_all_propositions_at_all_turns_of_their_dialogue() -> None:
    first = (Proposition("a", 1, 0, "caption", None), Proposition("b", 0, 0, "caption", None))
    third = (Proposition("b", 1, 2, "there", "positive"),)
    sentences = SentenceNumbers()
    found = points_of([(2, third), (0, first)], np.array([2, 9, 3]), sentences)
    assert sentences.texts() == ("a", "b")
    assert found.point_dialogue.tolist() == [0] * 4 + [2] * 3
    assert found.turn.tolist() == [0, 0, 1, 1, 0, 1, 2]
    assert found.index[found.proposition].tolist() == [0, 1, 0, 1, 0, 0, 0]
    assert found.point_sentence.tolist() == [0, 1, 0, 1, 1, 1, 1]
    assert found.point_shared.tolist() == [True] * 4 + [False, False, True]
    assert found.point_true.tolist() == [True, False, True, False] + [True] * 3
    assert found.rows(11).tolist() == [0, 0, 1, 1, 22, 23, 24]
    assert found.polarity == ("none", "none", "positive")
    assert len(points_of([], np.array([3]), sentences)) == 0


def test_shared_from_the_turn_on_in_which_it_is_said() -> None:
    made = probe_data(5)
    points = points_of(made.propositions.dialogues.items(), made.lengths, SentenceNumbers())
    assert len(points) == 5 * 8 * 11
    score = made.states.states.reshape(-1, 2 * len(THINGS))[points.rows(11)]
    texts = [one.proposition for records in made.propositions.dialogues.values() for one in records]
    thing = np.array([THINGS.index(texts[place].split()[-1]) for place in points.proposition])
    rows = np.arange(len(points))
    assert (score[rows, len(THINGS) + thing] == points.point_shared).all()
    positive = np.array([" no " not in texts[place] for place in points.proposition])
    assert ((score[rows, thing] > 0) == (points.point_true == positive)).all()


def test_made_up_dialogues_are_as_described() -> None:
    records, score = dialogue(np.random.default_rng(0))
    assert len(records) == 8
    assert score.shape == (11, 12)
    assert [one.turn_shared for one in records[::2]] == [one.turn_shared for one in records[1::2]]
