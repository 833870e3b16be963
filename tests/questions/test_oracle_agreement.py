"""Agreement of oracles with people, by hand."""

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.oracle_answers import OracleAnswers
from voirdire.questions.oracle_accuracy import score_agreement


def record(human, *oracles, games=None, positions=None):
    count = len(human)
    answers = np.array(oracles, dtype=np.int8).reshape(len(oracles), count).T
    names = tuple("AB"[: len(oracles)])
    games = np.arange(count) // 2 if games is None else np.array(games)
    positions = np.arange(count) % 2 if positions is None else np.array(positions)
    return OracleAnswers(games, positions, np.arange(count), np.array(human, np.int8), names, answers, "f" * 64)


def test_shares_by_hand():
    # Yes, no, n/a, yes; A never says n/a.
    run = score_agreement(record([0, 1, 2, 0], [0, 1, 1, 1], [0, 0, 2, 0]))
    found = {str(key): (figure.value, figure.n) for key, figure in run.measures.items()}
    assert found["agreement[A]"] == (0.5, 4)
    assert found["agreement[A]:answerable"] == (pytest.approx(2 / 3), 3)
    assert found["agreement@1[A]"] == (0.5, 2)
    assert found["agreement@2[A]"] == (0.5, 2)
    assert found["agreement[B]"] == (0.75, 4)
    assert found["agreement@1[B]"] == (1.0, 2)
    assert "agreement@3[A]" not in found
    assert run.title == "questions agreement"
    assert run.fingerprints == {"answers": "f" * 64}
    assert run.items["turn"].to_list() == [1, 2, 1, 2]


def test_only_na():
    run = score_agreement(record([2, 2], [0, 1]))
    assert run.measures["agreement[A]"].value == 0
    assert run.measures["agreement[A]:answerable"].value is None


def test_intervals_draw_games_whole():
    human, said = [0] * 8, [0, 0, 0, 0, 1, 1, 1, 1]
    apart = score_agreement(record(human, said, games=range(8), positions=[0] * 8)).measures["agreement[A]"]
    together = score_agreement(record(human, said, games=[0] * 4 + [1] * 4, positions=[0, 1, 2, 3] * 2))
    assert together.measures["agreement[A]"].low == 0
    assert apart.low > 0


def test_nothing_to_agree_on():
    with pytest.raises(InputError, match="no oracle"):
        score_agreement(record([0]))
    with pytest.raises(InputError, match="no question"):
        score_agreement(record([], []))
