"""What an oracle is trained on: each question of a game that was won, its answer, and the target that it was about.

A question is its words in lower case: letters and digits, with an apostrophe inside a word kept; marks are left out. A
question without a word is one unknown word. Number 0 is the unknown word: words that train has fewer than `min_count`
times are it too, so that it has a vector of its own.

An object is its category and eight numbers that say where it is (de Vries et al. 2017, §5.1):

    x_min, y_min, x_max, y_max, x_centre, y_centre   in −1..1, from the lower left corner of the image
    w, h                                             in 0..2

Boxes are counted from the upper left corner, so y is turned: y_min is the lower edge.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.features import Features
from voirdire.formats.guesswhat import ANSWERS, Game, GameObject, read_games
from voirdire.formats.strict import Problems
from voirdire.progress import Progress, silent

CATEGORIES = 90
"""The highest id of a category in COCO."""
FEATURES = 8
UNKNOWN = 0
HINT = "Categories are COCO's; give the objects their COCO ids."
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_of(question: str) -> list[str]:
    """The words of a question in order."""
    return _WORD.findall(question.lower().replace("’", "'"))


class Vocabulary:
    """The words that an oracle knows, numbered from 1."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words, start=1)}
        if len(self._numbers) < len(self.words):
            raise ValueError("`words` must be distinct, got one of them twice")

    @classmethod
    def of(cls, questions: Mapping[str, int], min_count: int) -> "Vocabulary":
        """The words of questions, each asked so many times, that occur often enough; in alphabetical order."""
        counts: Counter[str] = Counter()
        for question, times in questions.items():
            for word in words_of(question):
                counts[word] += times
        return cls(sorted(word for word, count in counts.items() if count >= min_count))

    def __len__(self) -> int:
        """How many numbers there are, that of the unknown word among them."""
        return len(self.words) + 1

    def numbers(self, question: str) -> list[int]:
        """A question as numbers, at least one."""
        return [self._numbers.get(word, UNKNOWN) for word in words_of(question)] or [UNKNOWN]


def spatial(boxes: npt.ArrayLike, widths: npt.ArrayLike, heights: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """float32[n, 8] from boxes [n, 4] as x, y, w, h in pixels and the sizes of their images."""
    box = np.asarray(boxes, np.float64).reshape(-1, 4)
    across, down = np.asarray(widths, np.float64), np.asarray(heights, np.float64)
    w, h = 2 * box[:, 2] / across, 2 * box[:, 3] / down
    x_min, y_max = 2 * box[:, 0] / across - 1, 1 - 2 * box[:, 1] / down
    x_max, y_min = x_min + w, y_max - h
    made = np.stack([x_min, y_min, x_max, y_max, x_min + w / 2, y_min + h / 2, w, h], axis=1)
    return made.astype(np.float32)


@dataclass(frozen=True, eq=False)
class Examples:
    """n questions with their answers.

    texts     the distinct questions
    question  int64[n], places in `texts`
    answer    int64[n], places in ANSWERS
    target    int64[n], places in the three that follow, which have one row per game
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


@dataclass(frozen=True, eq=False)
class FileExamples:
    """Examples, and the files that they came from: role to SHA-256."""

    examples: Examples
    data: dict[str, str]


def read_examples(paths: Sequence[str], crops: Features | None = None, progress: Progress = silent) -> FileExamples:
    """The examples of all files; none in all of them is an error."""
    collector = Collector()
    data: dict[str, str] = {}
    for number, path in enumerate(paths, start=1):
        progress(number - 1, len(paths))
        games = read_games(path)
        collector.add(games, path)
        data["games" if number == 1 else f"games {number}"] = games.fingerprint
    examples = collector.examples(crops)
    if not len(examples):
        found = f"no question in a game that was won, in {counted(examples.unused, 'game')}"
        hint = "Only games whose status is success are learnt from."
        raise InputError(", ".join(paths), [Problem("", "", found, "at least one", hint)])
    progress(len(paths), len(paths))
    return FileExamples(examples, data)
