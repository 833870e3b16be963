"""Games for tests of oracles: categories in chosen boxes and questions that follow from both; an oracle by a rule."""

from collections.abc import Sequence

import numpy as np

from voirdire.formats.coco import GameImage
from voirdire.formats.features import Features
from voirdire.formats.guesswhat import ANSWERS, Answer, Game, GameObject, Qa, Status
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.progress import Progress, silent
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.training import Collector, Examples

__all__ = ["BOX", "Says", "figures", "game", "simple_games"]

BOX = (0.0, 0.0, 64.0, 48.0)

CATEGORIES = {"person": 1, "car": 3, "dog": 18}


def game(
    id_: int,
    objects: list[tuple[str, tuple[float, float, float, float]]],
    qas: list[tuple[str, Answer]],
    target: int = 0,
    status: Status | None = "success",
    size: tuple[int, int] = (640, 480),
) -> Game:
    """A game whose objects have the ids 100 · game, 100 · game + 1, …"""
    things = tuple(
        GameObject(100 * id_ + at, name, CATEGORIES.get(name, 95), box[2] * box[3], box)
        for at, (name, box) in enumerate(objects)
    )
    asked = tuple(Qa(question, answer) for question, answer in qas)
    return Game(id_, GameImage(id_, *size), things, things[target].id, asked, status)


def simple_games(count: int, seed: int) -> list[Game]:
    """Games of one to four objects; three of the questions can be answered from category and box, one by chance."""
    rng = np.random.default_rng(seed)
    results = []
    for id_ in range(1, count + 1):
        objects = []
        for _ in range(int(rng.integers(1, 5))):
            w, h = rng.uniform(20, 200, 2)
            box = (float(rng.uniform(0, 640 - w)), float(rng.uniform(0, 480 - h)), float(w), float(h))
            objects.append((str(rng.choice(list(CATEGORIES))), box))
        target = int(rng.integers(len(objects)))
        name, box = objects[target]
        left, top = box[0] + box[2] / 2 < 320, box[1] + box[3] / 2 < 240
        noun = str(rng.choice(list(CATEGORIES)))
        truth: list[tuple[str, bool]] = [
            (f"Is it a {noun}?", name == noun),
            ("is it on the left?", left),
            ("Is it on the right side?", not left),
            ("is it at the top", top),
        ]
        qas: list[tuple[str, Answer]] = [(question, "yes" if fact else "no") for question, fact in truth]
        qas.append(("What?", "n/a"))
        results.append(game(id_, objects, qas, target, "success" if id_ % 10 else "failure"))
    return results


TINY = OracleOptions(epochs=3, batch=16, rate=5e-3, word=6, lstm=8, category=6, hidden="10")


def examples_of(games: list, crops: Features | None = None) -> Examples:
    collector = Collector()
    collector.add(games)
    return collector.examples(crops)


class Says:
    """An oracle that answers by a function of the question and the object."""

    name = identity = "says"

    def __init__(self, rule) -> None:
        self.rule = rule
        self.asked: list[int] = []

    def answer(self, games: Sequence[Game], progress: Progress = silent) -> list[ObjectAnswers]:
        results = []
        for one in games:
            codes = [[ANSWERS.index(self.rule(qa.question, thing)) for thing in one.objects] for qa in one.qas]
            self.asked.append(len(one.objects))
            results.append(ObjectAnswers(one.id, np.array(codes, np.int8).reshape(len(one.qas), len(one.objects)), 1))
        return results


def figures(run) -> dict[str, float | None]:
    return {str(key): estimate.value for key, estimate in run.measures.items()}
