"""The training of an oracle, as de Vries et al. trained theirs: see `voirdire.models.trainer` for its loop.

It is trained on each question of a game that was won, its answer, and the target that it was about.

After an epoch the error on the validation games is taken; the weights of the epoch with the smallest one are kept, and
training stops when it has not fallen for `patience` epochs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome
from voirdire.figures import counted
from voirdire.formats.features import Features, read_features
from voirdire.formats.guesswhat import ANSWERS, Game, read_games
from voirdire.formats.strict import Problems
from voirdire.models.trainer import EVERY, train
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.model_oracle import TrainedOracle, checkpoint_path, write_oracle
from voirdire.questions.trained_oracle.network import OracleNetwork, PrefixTree, Vocabulary, check_categories, spatial

VALID_BATCH = 1024
Rows = npt.NDArray[np.int64]


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
            target = game.target
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
        unusable = f"no question in a game that was won, in {counted(examples.unused, 'game')}"
        hint = "Only games whose status is success are learnt from."
        raise InputError(", ".join(paths), [Problem("", "", unusable, "at least one", hint)])
    progress(len(paths), len(paths))
    return FileExamples(examples, data)


def train_oracle_files(
    games: Sequence[str],
    valid: str | None = None,
    crops: str | None = None,
    options: OracleOptions | None = None,
    stages: Stages = UNSEEN,
    *,
    output: str,
) -> Outcome:
    """Train an oracle on the games of files and write it; its state is kept beside `output` until then."""
    features = None if crops is None else read_features(crops, "object")
    learnt = read_examples(games, features, stages("read", "files"))
    held_out = None if valid is None else read_examples([valid], features)
    data = learnt.data | ({} if held_out is None else {"valid": held_out.data["games"]})
    outcome = train_oracle(
        learnt.examples,
        None if held_out is None else held_out.examples,
        options,
        data=data | ({} if features is None else {"crops": features.fingerprint}),
        checkpoint=checkpoint_path(output),
        progress=stages("train", "questions"),
    )
    write_oracle(outcome, output)
    checkpoint_path(output).unlink(missing_ok=True)
    lines = []
    for number, epoch in enumerate(outcome.history, start=1):
        after = "" if epoch.valid_error is None else f", {epoch.valid_error:.4f} on validation games"
        lines.append(f"epoch {number}: error {epoch.error:.4f}{after}{' (kept)' if number == outcome.epoch else ''}")
    lines.append(f"learnt from {outcome.examples:,} questions, {len(outcome.words):,} words: {output}")
    return Outcome(tuple(lines))


def train_oracle(
    examples: Examples,
    valid: Examples | None = None,
    options: OracleOptions | None = None,
    *,
    data: dict[str, str] | None = None,
    checkpoint: Path | None = None,
    every: float = EVERY,
    progress: Progress = silent,
) -> TrainedOracle:
    """An oracle trained on `examples`, stopped early by its error on `valid`.

    data        the files that the examples came from: role to SHA-256
    checkpoint  where the state is kept every so many seconds and after each epoch, and taken up again
    progress    counts examples, over all epochs
    """
    options, data = options or OracleOptions(), data or {}
    if not len(examples):
        raise UsageError("there is no question to train on: no game was won, or the games have no questions")
    if valid is not None and not len(valid):
        raise UsageError("there is no question to validate on: no game was won, or the games have no questions")
    learner = _OracleLearner(examples, valid, options)
    identity = {
        **options.plain(),
        "examples": len(examples),
        "validation examples": None if valid is None else len(valid),
        "crops": learner.crops,
        **{f"fingerprint of {role}": value for role, value in data.items()},
    }
    outcome = train(
        learner, options.schedule(), identity=identity, checkpoint=checkpoint, every=every, progress=progress
    )
    words, crops = learner.words.words, learner.crops
    return TrainedOracle(options, words, outcome.weights, outcome.epoch, outcome.history, len(examples), crops, data)


class _Asked(NamedTuple):
    """Examples and the tree of their questions."""

    examples: Examples
    tree: PrefixTree


class _OracleLearner:
    """An oracle's network with the questions that it learns from and those that choose its epoch."""

    def __init__(self, examples: Examples, valid: Examples | None, options: OracleOptions) -> None:
        self.words = Vocabulary.of(examples.times(), options.min_count, options.published.longest)
        self.learnt = self._asked(examples)
        self.valid = None if valid is None else self._asked(valid)
        self.crops = 0 if examples.crops is None else examples.crops.shape[1]
        self.network = OracleNetwork(options, len(self.words), self.crops, options.seed)
        self.classes = np.array([self.network.answers.index(answer) for answer in ANSWERS])

    def _asked(self, examples: Examples) -> _Asked:
        return _Asked(examples, PrefixTree([self.words.numbers(text) for text in examples.texts]))

    def __len__(self) -> int:
        return len(self.learnt.examples)

    def order(self, rng: np.random.Generator) -> Rows:
        return rng.permutation(len(self))

    def scores(self, rows: Rows, step: int) -> tuple[Tensor, Tensor]:
        return self._scores(self.learnt, rows)

    def validate(self) -> tuple[float | None, float | None]:
        if self.valid is None:
            return None, None
        loss, wrong, size = 0.0, 0, len(self.valid.examples)
        for rows in _blocks(self.valid.examples):
            scores, answers = self._scores(self.valid, rows)
            loss += float(cross_entropy(scores, answers, reduction="sum"))
            wrong += int((scores.argmax(dim=1) != answers).sum())
        return loss / size, wrong / size

    def _scores(self, asked: _Asked, rows: Rows) -> tuple[Tensor, Tensor]:
        """Scores of the answers, and the answers that were given; each question and each target is read once."""
        examples = asked.examples
        question, place = np.unique(examples.question[rows], return_inverse=True)
        targets, target = np.unique(examples.target[rows], return_inverse=True)
        questions = self.network.of_questions(asked.tree.levels(question))[torch.from_numpy(place)]
        crops = None if examples.crops is None else examples.crops[targets]
        objects = self.network.of_objects(examples.category[targets], examples.spatial[targets], crops)
        scores = self.network.scores(questions, objects[torch.from_numpy(target)])
        return scores, torch.from_numpy(self.classes[examples.answer[rows]])


def _blocks(examples: Examples) -> Iterator[Rows]:
    """All examples in blocks, those with the same question together."""
    order = np.argsort(examples.question, kind="stable")
    for start in range(0, len(order), VALID_BATCH):
        yield order[start : start + VALID_BATCH]
