"""A game played: a questioning witness, an oracle that knows the scene, and a guess among what is left."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from random import Random

import msgspec

from voirdire.errors import InputError, Problem
from voirdire.formats.games import Game, Qa
from voirdire.formats.scenes import Scene
from voirdire.world.witnesses.questioner import GameState, Questioner, oracle, remaining

__all__ = ["LIMIT", "play"]

LIMIT = 8


def play(
    questioner: Questioner,
    games: Iterable[Game],
    scenes: Mapping[int, Scene],
    seed: int = 0,
    limit: int = LIMIT,
    source: str = "games",
) -> list[Game]:
    """Play the games anew: their images, objects and targets stay, the questions, answers and guesses are new ones.

    limit   at most so many questions a game
    source  what an error calls the games
    """
    games = list(games)
    problems = _missing(games, scenes)
    if problems:
        raise InputError(source, problems)
    return [_play_one(questioner, game, scenes[game.image.id], seed, limit) for game in games]


def _missing(games: list[Game], scenes: Mapping[int, Scene]) -> list[Problem]:
    problems = []
    for game in games:
        scene = scenes.get(game.image.id)
        if scene is None:
            problems.append(
                Problem(f"game {game.id}", "image.id", f"{game.image.id}, which has no scene", "a scene for it")
            )
        elif unknown := sorted({one.id for one in game.objects} - {thing.id for thing in scene.things}):
            found = f"objects that the scene does not have: {', '.join(map(str, unknown[:5]))}"
            problems.append(Problem(f"game {game.id}", "objects", found, f"things of the scene {scene.id}"))
    return problems


def _play_one(questioner: Questioner, game: Game, scene: Scene, seed: int, limit: int) -> Game:
    things = {thing.id: thing for thing in scene.things}
    target = things[game.target_id]
    state = GameState(game.id, scene, tuple(things[one.id] for one in game.objects))
    qas: list[Qa] = []
    while len(qas) < limit and (question := questioner.ask(state)) is not None:
        answer = oracle(question, scene, target)
        # Without an id: those of the given game belong to its own questions.
        qas.append(Qa(question, answer))
        state = replace(state, qas=(*state.qas, (question, answer)))
    guess = Random(f"{seed}/{game.id}/guess").choice(remaining(state)).id
    status = "success" if guess == target.id else "failure"
    return msgspec.structs.replace(game, qas=tuple(qas), status=status, guess_object_id=guess)
