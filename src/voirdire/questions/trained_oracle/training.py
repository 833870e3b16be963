"""The training of an oracle, as de Vries et al. trained theirs: see `voirdire.models.trainer` for its loop.

After an epoch the error on the validation games is taken; the weights of the epoch with the smallest one are kept, and
training stops when it has not fallen for `patience` epochs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.formats.features import read_features
from voirdire.models.trainer import EVERY, train
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.questions.exam import OracleOptions
from voirdire.questions.trained_oracle.examples import Examples, Vocabulary, read_examples
from voirdire.questions.trained_oracle.file import TrainedOracle, checkpoint_path, write_oracle
from voirdire.questions.trained_oracle.network import OracleNetwork, PrefixTree

VALID_BATCH = 1024
Rows = npt.NDArray[np.int64]


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
    held = None if valid is None else read_examples([valid], features)
    data = learnt.data | ({} if held is None else {"valid": held.data["games"]})
    made = train_oracle(
        learnt.examples,
        None if held is None else held.examples,
        options,
        data=data | ({} if features is None else {"crops": features.fingerprint}),
        checkpoint=checkpoint_path(output),
        progress=stages("train", "questions"),
    )
    write_oracle(made, output)
    checkpoint_path(output).unlink(missing_ok=True)
    lines = []
    for number, epoch in enumerate(made.history, start=1):
        after = "" if epoch.valid_error is None else f", {epoch.valid_error:.4f} on validation games"
        lines.append(f"epoch {number}: error {epoch.error:.4f}{after}{' (kept)' if number == made.epoch else ''}")
    lines.append(f"learnt from {made.examples:,} questions, {len(made.words):,} words: {output}")
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
    progress    told examples, over all epochs
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
    made = train(learner, options.schedule(), identity=identity, checkpoint=checkpoint, every=every, progress=progress)
    words, crops = learner.words.words, learner.crops
    return TrainedOracle(options, words, made.weights, made.epoch, made.history, len(examples), crops, data)


class _Asked(NamedTuple):
    """Examples and the tree of their questions."""

    examples: Examples
    tree: PrefixTree


class _OracleLearner:
    """An oracle's network with the questions that it learns from and those that choose its epoch."""

    def __init__(self, examples: Examples, valid: Examples | None, options: OracleOptions) -> None:
        self.words = Vocabulary.of(examples.times(), options.min_count)
        self.learnt = self._asked(examples)
        self.valid = None if valid is None else self._asked(valid)
        self.crops = 0 if examples.crops is None else examples.crops.shape[1]
        self.network = OracleNetwork(options, len(self.words), self.crops, options.seed)

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
        return scores, torch.from_numpy(examples.answer[rows])


def _blocks(examples: Examples) -> Iterator[Rows]:
    """All examples in blocks, those with the same question together."""
    order = np.argsort(examples.question, kind="stable")
    for start in range(0, len(order), VALID_BATCH):
        yield order[start : start + VALID_BATCH]
