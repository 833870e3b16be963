"""What an oracle is trained on: each question of a game that was won, its answer, and the target that it was about."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.formats.features import Features
from voirdire.formats.guesswhat import ANSWERS, Game, GameObject
from voirdire.formats.strict import Problems
from voirdire.questions.trained_oracle.network import CATEGORIES
from voirdire.questions.trained_oracle.spatial import spatial

__all__ = ["Collector", "Examples", "check_categories"]

HINT = "Categories are COCO's; give the objects their COCO ids."


@dataclass(frozen=True, eq=False)
class Examples:
    """n questions with their answers.

    texts     the distinct questions
    question  int64[n], places in `texts`
    answer    int64[n], places in ANSWERS
    target    int64[n], places in the three that follow, which have a row a game
    category  int64[games], of the target
    spatial   float32[games, 8], of the target
    crops     float32[games, d], of the target, where there are any
    unused    how many games were left out: they were not won, or have no question
    """

    texts: tuple[str, ...]
    question: npt.NDArray[np.int64]
    answer: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    category: npt.NDArray[np.int64]
    spatial: npt.NDArray[np.float32]
    crops: npt.NDArray[np.float32] | None
    unused: int

    def __len__(self) -> int:
        return len(self.question)

    def times(self) -> dict[str, int]:
        """How many times each distinct question is asked."""
        counts = np.bincount(self.question, minlength=len(self.texts))
        return dict(zip(self.texts, counts.tolist(), strict=True))


class Collector:
    """Takes games file by file, and keeps of them only what training needs."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._question: list[int] = []
        self._answer: list[int] = []
        self._asked: list[int] = []
        self._targets: list[tuple[int, int, float, float, float, float, int, int]] = []
        self._unused = 0

    def add(self, games: Iterable[Game], source: str = "games") -> None:
        """Take the games that were won; `source` is what an error calls them."""
        codes = {answer: code for code, answer in enumerate(ANSWERS)}
        problems = Problems(source)
        for game in games:
            if game.status != "success" or not game.qas:
                self._unused += 1
                continue
            target = next(one for one in game.objects if one.id == game.target_id)
            check_categories(f"game {game.id}", (target,), problems)
            self._targets.append((target.id, target.category_id, *target.bbox, game.image.width, game.image.height))
            self._asked.append(len(game.qas))
            for qa in game.qas:
                self._question.append(self._texts.setdefault(qa.question, len(self._texts)))
                self._answer.append(codes[qa.answer])
        problems.check()

    def examples(self, crops: Features | None = None) -> Examples:
        """All that was taken."""
        table = np.array([row[2:] for row in self._targets], np.float64).reshape(-1, 6)
        ids = np.array([row[:2] for row in self._targets], np.int64).reshape(-1, 2)
        return Examples(
            tuple(self._texts),
            np.array(self._question, np.int64),
            np.array(self._answer, np.int64),
            np.repeat(np.arange(len(self._asked)), self._asked),
            ids[:, 1].copy(),
            spatial(table[:, :4], table[:, 4], table[:, 5]),
            None if crops is None else crops.of(ids[:, 0]),
            self._unused,
        )


def check_categories(where: str, objects: Iterable[GameObject], problems: Problems) -> None:
    """Note objects whose category an oracle cannot know."""
    for one in objects:
        if not 1 <= one.category_id <= CATEGORIES:
            found = f"{one.category_id} ({one.category})"
            problems.add(f"{where}, object {one.id}", "category_id", found, f"1 to {CATEGORIES}", HINT)
