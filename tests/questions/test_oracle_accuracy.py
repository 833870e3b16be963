"""How right an oracle is, and how oracles agree with people, by hand."""

import numpy as np
import pytest
from oracle_games import BOX, Says, figures, game

from voirdire.errors import InputError, UsageError
from voirdire.formats.guesswhat import ANSWERS
from voirdire.formats.oracle_answers import OracleAnswers
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.questions.oracle_accuracy import score_agreement, score_oracle


def test_accuracy_by_type_and_turn_by_hand() -> None:
    games = [
        game(1, [("car", BOX), ("dog", BOX)], [("is it a car?", "yes"), ("is it red?", "no"), ("huh", "n/a")]),
        game(2, [("dog", BOX)], [("is it a dog on the left?", "no"), ("the third from the left?", "yes")]),
        game(3, [("dog", BOX)], []),
    ]
    oracle = Says(lambda question, thing: "yes")
    run = score_oracle(games, oracle)
    values = figures(run)
    assert oracle.asked == [1, 1, 1]
    assert values["accuracy"] == pytest.approx(2 / 5)
    assert values["accuracy:answerable"] == pytest.approx(2 / 4)
    assert values["accuracy[object]"] == pytest.approx(1 / 2)
    assert values["accuracy[color]"] == 0
    assert values["accuracy[location]"] == pytest.approx(1 / 2)
    assert values["accuracy[order]"] == 1
    assert values["accuracy[other]"] == 0
    assert values["accuracy[size]"] is None
    assert [values[f"accuracy@{turn}"] for turn in (1, 2, 3)] == [0.5, 0.5, 0.0]
    table = {(t, a): values[f"confusion[{t} as {a}]"] for t in ANSWERS for a in ANSWERS}
    assert table["yes", "yes"] == pytest.approx(2 / 5)
    assert table["no", "yes"] == pytest.approx(2 / 5)
    assert table["n/a", "yes"] == pytest.approx(1 / 5)
    assert sum(table.values()) == pytest.approx(1)
    assert run.measures["accuracy"].n == 5
    assert run.measures["accuracy"].low is not None
    assert run.items["category"].to_list() == ["car", "car", "car", "dog", "dog"]
    assert "3 ties" in run.warnings[0]


def test_nothing_asked_and_20_questions_are_errors() -> None:
    with pytest.raises(InputError, match="no question in any game"):
        score_oracle([game(1, [("car", BOX)], [])], Says(lambda *_: "yes"))
    twenty = TwentyQuestionsGame(1, ("a", "b"), "a", ("q?",), np.zeros((1, 2), np.int8))
    with pytest.raises(UsageError, match="20 questions"):
        score_oracle([twenty], Says(lambda *_: "yes"))


def answers_of(human, *oracles, games=None, positions=None):
    count = len(human)
    answers = np.array(oracles, dtype=np.int8).reshape(len(oracles), count).T
    names = tuple("AB"[: len(oracles)])
    games = np.arange(count) // 2 if games is None else np.array(games)
    positions = np.arange(count) % 2 if positions is None else np.array(positions)
    return OracleAnswers(
        games, positions, np.arange(count), np.array(human, np.int8), names, answers, fingerprint="f" * 64
    )


def test_shares_by_hand():
    # Yes, no, n/a, yes; A never says n/a.
    run = score_agreement(answers_of([0, 1, 2, 0], [0, 1, 1, 1], [0, 0, 2, 0]))
    figures = {str(key): (figure.value, figure.n) for key, figure in run.measures.items()}
    assert figures["agreement[A]"] == (0.5, 4)
    assert figures["agreement[A]:answerable"] == (pytest.approx(2 / 3), 3)
    assert figures["agreement@1[A]"] == (0.5, 2)
    assert figures["agreement@2[A]"] == (0.5, 2)
    assert figures["agreement[B]"] == (0.75, 4)
    assert figures["agreement@1[B]"] == (1.0, 2)
    assert "agreement@3[A]" not in figures
    assert run.title == "questions agreement"
    assert run.fingerprints == {"answers": "f" * 64}
    assert run.items["turn"].to_list() == [1, 2, 1, 2]


def test_only_na():
    run = score_agreement(answers_of([2, 2], [0, 1]))
    assert run.measures["agreement[A]"].value == 0
    assert run.measures["agreement[A]:answerable"].value is None


def test_intervals_draw_games_whole():
    human, said = [0] * 8, [0, 0, 0, 0, 1, 1, 1, 1]
    apart = score_agreement(answers_of(human, said, games=range(8), positions=[0] * 8)).measures["agreement[A]"]
    together = score_agreement(answers_of(human, said, games=[0] * 4 + [1] * 4, positions=[0, 1, 2, 3] * 2))
    assert together.measures["agreement[A]"].low == 0
    assert apart.low > 0


def test_nothing_to_agree_on():
    with pytest.raises(InputError, match="no oracle"):
        score_agreement(answers_of([0]))
    with pytest.raises(InputError, match="no question"):
        score_agreement(answers_of([], []))
