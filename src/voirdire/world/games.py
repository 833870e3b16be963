"""GuessWhat?! games about scenes, played as people play: mostly sensible questions, true answers, a guess at the end.

A player of this kind takes the better of two questions that come to mind, and stops when one thing is left or after
eight questions. The guess is right where one thing is left, but for a slip now and then.
"""

from random import Random

from voirdire.formats.coco import GameImage
from voirdire.formats.guesswhat import Answer, Game, GameObject, Qa, Status
from voirdire.formats.scenes import Scene, Thing
from voirdire.world.grammar import say
from voirdire.world.guessing import guess_question
from voirdire.world.meaning import Meaning
from voirdire.world.truth import about

__all__ = ["game_objects", "make_game"]

MOST_QUESTIONS = 8
SLIP, GIVEN_UP = 0.06, 0.04


def game_objects(scene: Scene) -> tuple[GameObject, ...]:
    """The things of a scene as a game's candidates."""
    return tuple(
        GameObject(thing.id, thing.category, thing.category_id, round(thing.bbox[2] * thing.bbox[3], 2), thing.bbox)
        for thing in scene.things
    )


def make_game(scene: Scene, rng: Random) -> Game:
    """One game about a scene, with a target drawn at random."""
    target = rng.choice(scene.things)
    left = list(scene.things)
    qas: list[Qa] = []
    asked: set[Meaning] = set()
    while len(left) > 1 and len(qas) < MOST_QUESTIONS:
        meaning, verdicts = _better_of_two(scene, left, asked, rng)
        asked.add(meaning)
        answer = about(meaning, scene, target)
        left = [thing for thing, verdict in zip(left, verdicts, strict=True) if verdict == answer]
        qas.append(Qa(say(meaning, rng, "game"), answer, scene.id * 100 + len(qas)))
    status: Status = "success"
    if rng.random() < GIVEN_UP:
        status = "incomplete"
    elif rng.random() < SLIP or rng.random() * len(left) > 1:
        status = "failure"
    image = GameImage(scene.id, scene.width, scene.height, scene.file_name)
    return Game(scene.id, image, game_objects(scene), target.id, tuple(qas), status)


def _better_of_two(scene: Scene, left: list[Thing], asked: set[Meaning], rng: Random) -> tuple[Meaning, list[Answer]]:
    """Of two questions the one whose commonest answer leaves the fewest things; with the answer for each of them."""
    best: tuple[Meaning, list[Answer]] | None = None
    fewest = 2 * len(left) + 1
    for _ in range(2):
        meaning = guess_question(scene, left, rng)
        verdicts = [about(meaning, scene, thing) for thing in left]
        repeated = len(left) if meaning in asked else 0
        most = max(verdicts.count(verdict) for verdict in ("yes", "no", "n/a")) + repeated
        if most < fewest:
            best, fewest = (meaning, verdicts), most
    if best is None:
        raise ValueError("left: must hold things")
    return best
