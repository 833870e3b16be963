"""Guessers, and games in which the oracle or the guesser errs."""

from collections.abc import Sequence
from functools import cache
from random import Random

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.scenes import Scene, Thing
from voirdire.progress import Progress, silent
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import ScenesOracle, make_game
from voirdire.world.witnesses import GUESSERS, GameState, make_guesser, make_questioner, play


@cache
def world() -> tuple[dict[int, Scene], tuple[Game, ...]]:
    scenes = {index + 1: make_scene(31, index) for index in range(80)}
    return scenes, tuple(make_game(scene, Random(f"g/{scene.id}")) for scene in scenes.values())


class Liar:
    """Says no for yes and yes for no."""

    def __init__(self, scenes: dict[int, Scene]) -> None:
        self.truth = ScenesOracle(scenes)
        self.asked: list[int] = []

    def answer(self, games: Sequence[Game], report: Progress = silent) -> list[ObjectAnswers]:
        self.asked.append(len(games))
        assert all(len(game.qas) == len(game.objects) == 1 for game in games)
        swapped = np.array([1, 0, 2], np.int8)
        return [ObjectAnswers(one.game_id, swapped[one.answers]) for one in self.truth.answer(games)]


def state(*qas: tuple[str, str]) -> GameState:
    cups = [Thing(n, "cup", 47, (150.0 * n, 100.0, 40.0 + n, 40.0), "small", "red", "paper") for n in (1, 2, 3)]
    dog = Thing(4, "dog", 18, (10.0, 10.0, 20.0, 20.0), "small", "black")
    scene = Scene(1, "x", 640, 480, "kitchen", True, "", "day", True, (*cups, dog))
    return GameState(1, scene, scene.things, qas)  # type: ignore[arg-type]


def guesses(name: str, *qas: tuple[str, str]) -> set[int]:
    return {make_guesser(name, seed).guess(state(*qas)).id for seed in range(60)}


def test_names() -> None:
    assert GUESSERS.names() == ["consistent", "random", "salient"]
    with pytest.raises(UsageError, match="there is no guesser 'keen'; there are: consistent, random, salient"):
        make_guesser("keen")


def test_who_listens() -> None:
    told = (("is it a cup?", "no"),)
    assert guesses("consistent", *told) == {4}
    assert guesses("random", *told) == {1, 2, 3, 4}
    assert guesses("salient", *told) == {3}
    assert guesses("consistent") == {1, 2, 3, 4}


def test_consistent_takes_what_contradicts_least() -> None:
    """No thing fits all of the answers: a cup contradicts one of them, the dog two."""
    told = (("is it a cup?", "yes"), ("is it red?", "no"), ("is it a dog?", "no"), ("is it black?", "no"))
    assert guesses("consistent", *told) == {1, 2, 3}


def test_an_oracle_that_errs_is_believed() -> None:
    scenes, games = world()
    liar = Liar(scenes)
    misled = play(make_questioner("keen"), games, scenes, oracle=liar)
    honest = play(make_questioner("keen"), games, scenes)
    assert [game.qas[0].question for game in misled] == [game.qas[0].question for game in honest]
    opposite = {"yes": "no", "no": "yes", "n/a": "n/a"}
    assert [game.qas[0].answer for game in misled] == [opposite[game.qas[0].answer] for game in honest]
    won = [sum(game.status == "success" for game in played) for played in (honest, misled)]
    assert won[0] > 0.95 * len(games)
    assert won[1] < 0.2 * len(games)


def test_the_oracle_is_asked_once_a_turn() -> None:
    scenes, games = world()
    liar = Liar(scenes)
    played = play(make_questioner("repetitive"), games, scenes, limit=4, oracle=liar)
    assert len(liar.asked) <= 4
    assert sum(liar.asked) == sum(len(game.qas) for game in played)


@pytest.mark.parametrize("name", GUESSERS.names())
def test_a_game_does_not_depend_on_those_beside_it(name: str) -> None:
    scenes, games = world()
    whole = play(make_questioner("random", 2), games, scenes, 2, guesser=make_guesser(name, 2))
    alone = [play(make_questioner("random", 2), [game], scenes, 2, guesser=make_guesser(name, 2))[0] for game in games]
    assert whole == alone


def test_listening_pays() -> None:
    scenes, games = world()
    won = {}
    for name in GUESSERS.names():
        played = play(make_questioner("keen"), games, scenes, guesser=make_guesser(name))
        won[name] = sum(game.status == "success" for game in played)
    assert won["consistent"] > 2 * max(won["random"], won["salient"])


def test_progress_ends_at_all_games() -> None:
    scenes, games = world()
    results: list[tuple[int, int]] = []
    play(make_questioner("keen"), games, scenes, report=lambda *said: results.append(said))
    assert results[0] == (0, len(games))
    assert results[-1] == (len(games), len(games))
    assert [done for done, _ in results] == sorted(done for done, _ in results)
