"""Points: all propositions at all turns, and when they are shared."""

import numpy as np
from probe_dialogues import THINGS, material

from voirdire.formats.propositions import Proposition
from voirdire.scorekeeping.points import SentenceNumbers, points_of


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
    made = material(5)
    points = points_of(made.propositions.dialogues.items(), made.lengths, SentenceNumbers())
    assert len(points) == 5 * 8 * 11
    score = made.states.states.reshape(-1, 2 * len(THINGS))[points.rows(11)]
    texts = [record.proposition for records in made.propositions.dialogues.values() for record in records]
    thing = np.array([THINGS.index(texts[place].split()[-1]) for place in points.proposition])
    rows = np.arange(len(points))
    assert (score[rows, len(THINGS) + thing] == points.point_shared).all()
    positive = np.array([" no " not in texts[place] for place in points.proposition])
    assert ((score[rows, thing] > 0) == (points.point_true == positive)).all()
