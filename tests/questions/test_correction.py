"""Effectiveness corrected for an oracle's errors, by hand and where the truth is known."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec
import numpy as np
import pytest
from oracle_games import BOX, Says, figures, game
from question_games import GivenAnswers

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.progress import Progress, silent
from voirdire.questions.correction import WEIGHTS, Confusion, confusion_of, gains, gains_of, read_confusion
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.kinds import own_lexicon
from voirdire.questions.oracle_accuracy import score_oracle
from voirdire.questions.oracles import Asked
from voirdire.questions.score import score_questions
from voirdire.runs import write_run
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import ScenesOracle, make_game


def test_strata_lean_on_wider_ones() -> None:
    # Four questions of colour about cars, all said no: three were yes. Nothing else is known.
    games = [game(n, [("car", BOX)], [("is it red?", "yes" if n < 4 else "no")]) for n in (1, 2, 3, 4)]
    confusion = confusion_of(score_oracle(games, Says(lambda *_: "no")))
    share, no = 0.0, ANSWERS.index("no")
    for weight in WEIGHTS:
        share = (3 + weight * share) / (4 + weight)
    truth, said = confusion.shares("is it red?", "car")
    assert truth[0, no] == pytest.approx(share)
    assert truth.sum(axis=0) == pytest.approx(np.ones(3))
    assert said.sum(axis=1) == pytest.approx(np.ones(3))
    # Of three that were yes, all were said to be no.
    share = 0.0
    for weight in WEIGHTS:
        share = (3 + weight * share) / (3 + weight)
    assert said[0, no] == pytest.approx(share)
    # About a dog only the three wider strata speak; of another type only the widest.
    narrow, wide = (confusion.shares(question, "dog")[0][0, no] for question in ("is it red?", "is it left?"))
    assert truth[0, no] > narrow > wide > 0
    # What it never said is believed.
    assert truth[:, 0].tolist() == [1, 0, 0]


def test_an_oracle_that_is_never_wrong_is_not_corrected() -> None:
    known = Confusion({(): np.diag([1e9, 1e9, 1e9])}, "", own_lexicon())
    only_game = game(1, [("car", BOX), ("dog", BOX), ("dog", BOX)], [("car?", "yes"), ("dog?", "no")])
    (given,) = Says(lambda question, thing: "yes" if thing.category in question else "no").answer([only_game])
    (gain,) = gains([only_game], [given], known)
    assert gain.tolist() == [0.0, 0.0]


def test_gains_by_hand() -> None:
    # Whatever is true, the oracle says no, and one in four is yes: only the truth can split.
    counts = np.zeros((3, 3))
    counts[:2, ANSWERS.index("no")] = 1e9, 3e9
    blind = Confusion({(): counts}, "", own_lexicon())
    only_game = game(1, [("car", BOX)] * 5, [("is it red?", "no"), ("Is it red", "no"), ("is it blue?", "no")])
    (given,) = Says(lambda *_: "no").answer([only_game])
    (first,) = gains([only_game], [given], blind, draws=4000)
    assert first[0] == pytest.approx(1 - 0.25**5 - 0.75**5, abs=0.03)
    # Asked again in the same words, it tells nothing new; another colour does, as far as others are left.
    assert first[1] == 0.0
    assert 0.1 < first[2] < first[0]
    (again,) = gains([only_game], [given], blind, draws=4000)
    assert first.tolist() == again.tolist()


def test_a_run_gets_the_corrected_figure(tmp_path: Path) -> None:
    said = ["yes", "no"] * 15
    games = [game(n, [("car", BOX), ("dog", BOX)], [("is it red?", said[n])] if n else []) for n in range(30)]
    oracle = Says(lambda *_: "no")
    run = score_questions(games, oracle)
    accuracy = score_oracle(games, oracle)
    found = score_questions(games, oracle, confusion=confusion_of(accuracy))
    assert figures(found)["effectiveness"] == 0
    assert figures(found)["effectiveness_corrected"] > 0.2
    assert found.items["effective_corrected"].null_count() == 1
    names = list(map(str, found.measures))
    assert names.index("effectiveness_corrected") == names.index("effectiveness") + 1
    assert {k: v for k, v in found.measures.items() if str(k) != "effectiveness_corrected"} == dict(run.measures)
    assert found.signature != run.signature
    write_run(accuracy, tmp_path / "run")
    again = score_questions(games, oracle, confusion=read_confusion(tmp_path / "run"))
    assert figures(again) == figures(found)


def test_a_correction_that_makes_no_sense_is_refused() -> None:
    games = [game(1, [("car", BOX), ("dog", BOX)], [("is it red?", "yes")])]
    oracle = Says(lambda *_: "no")
    run = score_questions(games, oracle)
    known = confusion_of(score_oracle(games, oracle))
    twenty = TwentyQuestionsGame(1, ("a", "b"), "a", ("q?",), np.zeros((1, 2), np.int8))
    with pytest.raises(UsageError, match="20 questions"):
        score_questions([twenty], confusion=known)
    with pytest.raises(UsageError, match="another oracle: says; asked was other"):
        score_questions(games, GivenAnswers(oracle.answer(games), "other"), confusion=known)
    with pytest.raises(UsageError, match="recorded"):
        score_questions(games, oracle, confusion=known, options=ScoreQuestionsOptions(answers="recorded"))
    with pytest.raises(UsageError, match="this is one of questions score"):
        confusion_of(run)


@pytest.fixture(scope="module")
def world() -> tuple[ScenesOracle, list[Game], list[Game]]:
    scenes = {scene.id: scene for scene in (make_scene(5, index) for index in range(900))}
    games = [make_game(scene, Random(f"5/{scene.id}/game")) for scene in scenes.values()]
    return ScenesOracle(scenes), games[:600], games[600:]


class Blind:
    """The truth, but "no" to everything that category and box do not tell."""

    name = identity = "blind"

    def __init__(self, truth: ScenesOracle) -> None:
        self.truth = truth

    def answer(self, games: Sequence[Game], progress: Progress = silent) -> list[ObjectAnswers]:
        from voirdire.questions.kinds import kinds_of

        results = []
        for played, given in zip(games, self.truth.answer(games), strict=True):
            codes = given.answers.copy()
            for place, qa in enumerate(played.qas):
                if kinds_of(qa.question) & {"color", "action", "texture"}:
                    codes[place] = ANSWERS.index("no")
            results.append(ObjectAnswers(played.id, codes))
        return results


class Noisy(Blind):
    """The truth, but one answer in eight is turned by chance."""

    name = identity = "noisy"

    def answer(self, games: Sequence[Game], progress: Progress = silent) -> list[ObjectAnswers]:
        results = []
        for played, given in zip(games, self.truth.answer(games), strict=True):
            rng = Random(played.id)
            codes = [[1 - min(code, 1) if rng.random() < 0.125 else code for code in row] for row in given.answers]
            results.append(ObjectAnswers(played.id, np.array(codes, np.int8).reshape(given.answers.shape)))
        return results


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "rest"), [(Blind, 0.5), (Noisy, 0.85)])
def test_the_correction_comes_nearer_to_the_truth(world, kind, rest: float) -> None:
    # Chance alone is corrected less: drawing answers does not know how the questions were chosen.
    truth, held, scored = world
    oracle = kind(truth)
    known = confusion_of(score_oracle(held, oracle))
    true = figures(score_questions(scored, truth))["effectiveness"]
    found = figures(score_questions(scored, oracle, confusion=known))
    assert abs(found["effectiveness_corrected"] - true) < rest * abs(found["effectiveness"] - true)


def test_games_cut_short_are_corrected_as_they_were_scored() -> None:
    only_game = game(1, [("car", BOX), ("dog", BOX)], [("is it red?", "yes"), ("is it blue?", "no")])
    short = msgspec.structs.replace(only_game, qas=only_game.qas[:1])
    (given,) = Says(lambda *_: "no").answer([only_game])
    known = Confusion({}, "", own_lexicon())
    assert [len(share) for share in gains([short], [given], known)] == [1]
    asked = Asked(Rows((short,)), [given], "")
    assert [len(share) for share in gains_of(asked, known, ScoreQuestionsOptions(max_questions=1))] == [1]
