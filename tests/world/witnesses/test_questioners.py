"""Questioning witnesses, played on true answers: who asks effectively, who repeats, who refers at the end."""

from functools import cache
from random import Random

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.formats.guesswhat import Game
from voirdire.formats.scenes import Scene, Thing
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import make_game, true_answer
from voirdire.world.understand import understand
from voirdire.world.witnesses import QUESTIONERS, GameState, make_questioner, play
from voirdire.world.witnesses.questioners import remaining

GAMES = 200


@cache
def world() -> tuple[dict[int, Scene], tuple[Game, ...]]:
    scenes = {index + 1: make_scene(77, index) for index in range(GAMES)}
    return scenes, tuple(make_game(scene, Random(f"g/{scene.id}")) for scene in scenes.values())


@cache
def played(name: str, seed: int = 0) -> tuple[Game, ...]:
    scenes, games = world()
    return tuple(play(make_questioner(name, seed), games, scenes, seed))


def effectiveness(game: Game) -> float:
    """The share of questions after which fewer things are left than before."""
    scene = world()[0][game.image.id]
    left, effective = list(scene.things), 0
    for qa in game.qas:
        fits = [thing for thing in left if true_answer(qa.question, scene, thing) == qa.answer]
        effective += len(fits) < len(left)
        left = fits
    return effective / len(game.qas)


def last_refers(game: Game) -> float:
    """Whether the last question is true of the target alone."""
    scene = world()[0][game.image.id]
    answers = {thing.id: true_answer(game.qas[-1].question, scene, thing) for thing in scene.things}
    target = answers.pop(game.target_id)
    return float(target == "yes" and set(answers.values()) <= {"no"})


def permutation_p(first: list[float], second: list[float], draws: int = 2000) -> float:
    """One-sided paired permutation test of the means."""
    differences = np.subtract(first, second)
    signs = np.random.default_rng(0).choice((-1, 1), (draws, len(differences)))
    return float((((signs * differences).mean(axis=1) >= differences.mean()).sum() + 1) / (draws + 1))


def test_names() -> None:
    assert QUESTIONERS.names() == ["confirming", "keen", "random", "recorded", "repetitive"]
    with pytest.raises(UsageError, match="there is no questioner 'truthful'"):
        make_questioner("truthful")


@pytest.mark.slow
def test_keen_before_random_before_repetitive() -> None:
    keen, random, repetitive = ([effectiveness(game) for game in played(n)] for n in ("keen", "random", "repetitive"))
    assert np.mean(keen) == 1
    assert permutation_p(keen, random) < 0.001
    assert permutation_p(random, repetitive) < 0.001


@pytest.mark.slow
def test_confirming_refers_at_the_end_and_keen_seldom() -> None:
    confirming, keen = ([last_refers(game) for game in played(name)] for name in ("confirming", "keen"))
    assert np.mean(confirming) > 0.97
    assert permutation_p(confirming, keen) < 0.001


def test_confirming_is_keen_with_one_question_more() -> None:
    for one, other in zip(played("keen"), played("confirming"), strict=True):
        meant = [[understand(qa.question) for qa in game.qas] for game in (one, other)]
        assert meant[1][: len(meant[0])] == meant[0]
        assert len(meant[1]) - len(meant[0]) in (0, 1)


def test_keen_halves() -> None:
    scenes, _ = world()
    for game in played("keen"):
        state = GameState(game.id, scenes[game.image.id], scenes[game.image.id].things)
        first = true_answer(
            game.qas[0].question, state.scene, next(t for t in state.candidates if t.id == game.target_id)
        )
        assert first == game.qas[0].answer
        assert len(game.qas) <= len(state.candidates) - 1
    assert np.mean([game.status == "success" for game in played("keen")]) > 0.97
    assert np.mean([len(game.qas) for game in played("keen")]) < np.log2(20)


def test_repetitive_repeats_with_other_words() -> None:
    for game in played("repetitive"):
        meanings = [understand(qa.question) for qa in game.qas]
        for number, meaning in enumerate(meanings):
            assert number % 3 == 0 or meaning in meanings[:number]
    again = [len({qa.question for qa in game.qas}) / len(game.qas) for game in played("repetitive")]
    assert np.mean(again) > 0.8


def test_random_asks_nothing_twice() -> None:
    for game in played("random"):
        meanings = [understand(qa.question) for qa in game.qas]
        assert len(set(meanings)) == len(meanings) <= 5


@pytest.mark.parametrize("name", QUESTIONERS.names())
def test_answers_guess_and_status_are_what_they_say(name: str) -> None:
    scenes, games = world()
    for game, given in zip(played(name), games, strict=True):
        assert (game.id, game.objects, game.target_id) == (given.id, given.objects, given.target_id)
        scene = scenes[game.image.id]
        things = {thing.id: thing for thing in scene.things}
        assert all(true_answer(qa.question, scene, things[game.target_id]) == qa.answer for qa in game.qas)
        state = GameState(game.id, scene, scene.things, tuple((qa.question, qa.answer) for qa in game.qas))
        left = {thing.id for thing in remaining(state)}
        assert game.target_id in left
        assert game.guess_object_id in left
        assert (game.status == "success") == (game.guess_object_id == game.target_id)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONERS.names())
def test_same_seed_same_games(name: str) -> None:
    scenes, games = world()
    assert played(name, 3)[:20] == tuple(play(make_questioner(name, 3), games[:20], scenes, 3))
    assert played("random", 3) != played("random", 4)


def test_limit() -> None:
    scenes, games = world()
    assert max(len(game.qas) for game in play(make_questioner("repetitive"), games, scenes, limit=2)) == 2


def test_things_that_cannot_be_told_apart_end_in_a_guess() -> None:
    twins = tuple(Thing(number, "cup", 47, (100.0, 100.0, 40.0, 40.0), "small", "red", "paper") for number in (1, 2, 3))
    scene = make_scene(1, 0)
    scene = Scene(1, "x", 640, 480, scene.setting, scene.indoors, scene.weather, scene.time, True, twins)
    game = make_game(scene, Random(0))
    for name in QUESTIONERS.names():
        (again,) = play(make_questioner(name), [game], {1: scene})
        assert again.guess_object_id in (1, 2, 3)


def test_one_candidate_needs_no_question() -> None:
    thing = Thing(1, "cup", 47, (100.0, 100.0, 40.0, 40.0), "small", "red", "paper")
    scene = Scene(1, "x", 640, 480, "kitchen", True, "", "day", True, (thing,))
    (game,) = play(make_questioner("keen"), [make_game(scene, Random(0))], {1: scene})
    assert game.qas == ()
    assert game.status == "success"


def test_missing_scenes_and_unknown_objects_are_named() -> None:
    scenes, games = world()
    with pytest.raises(InputError, match=r"game 2, field `image.id`: found 2, which has no scene"):
        play(make_questioner("keen"), games[1:2], {})
    with pytest.raises(InputError, match=r"game 1, .* does not have: 100, 101.*expected things of the scene 2"):
        play(make_questioner("keen"), games[:1], {1: scenes[2]})
