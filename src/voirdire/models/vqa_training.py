"""The training of a network that answers questions about pictures, by a recipe: see `trainer` for its loop.

    minimise  1/N · Σ_i −log softmax(scores_i)[label_i]        labels by the recipe's rule

Questions whose majority answer is no class are left out of training; on validation questions they count as errors. The
part of a picture is made once per step, so that what training drops of it is the same for all questions about it in
that step. What is dropped comes from the seed and the number of the step, labels and order from the seed and the epoch,
so the next step depends on the state alone.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from voirdire.models import TrainingSchedule
from voirdire.models.grouped_order import GroupedOrder
from voirdire.models.recipes import Recipe
from voirdire.models.trainer import Rows
from voirdire.models.vocabulary import QuestionVocabulary
from voirdire.models.vqa_examples import VqaExamples
from voirdire.models.vqa_network import Part, VqaNetwork, rows_of

VALID_BATCH = 512
"""Questions that are validated at once."""


class FeatureSource(Protocol):
    """Features of pictures by the numbers of the images, as `formats.picture_features` reads them."""

    def of(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """float32[n, d] or float32[n, places, d], of these images."""


def make_schedule(recipe: Recipe, examples: int, seed: int, patience: int | None = None) -> TrainingSchedule:
    """What the trainer goes by; a number of steps is as many epochs as they are."""
    if recipe.steps is None and recipe.epochs is None:
        raise ValueError("`recipe` must have `epochs` or `steps`, got neither")
    epochs = recipe.epochs or -(-(recipe.steps or 0) * recipe.batch // examples)
    return TrainingSchedule(
        epochs,
        recipe.batch,
        recipe.rate,
        clip=0.0,
        seed=seed,
        patience=patience,
        optimiser=recipe.optimiser,
        clamp=recipe.clamp,
        step_decay=recipe.decay,
        doubled_at=recipe.doubled_at,
        steps=None if recipe.epochs else recipe.steps,
        keep="best" if recipe.chosen_by == "top-1" else "last",
    )


class VqaLearner:
    """A network with the questions that it learns from and those that choose its epoch.

    features  of the pictures of both; None for a network that sees none
    """

    def __init__(
        self,
        network: VqaNetwork,
        vocabulary: QuestionVocabulary,
        examples: VqaExamples,
        valid: VqaExamples | None,
        features: FeatureSource | None,
        recipe: Recipe,
        seed: int,
    ) -> None:
        self.network, self.features, self.recipe, self.seed = network, features, recipe, seed
        self.learnt = examples.only(examples.majority >= 0)
        self.valid = valid
        self.words = vocabulary.padded(self.learnt.texts)
        self.valid_words = None if valid is None else vocabulary.padded(valid.texts)
        self._label = self.learnt.majority
        self._by_picture = GroupedOrder(self.learnt.image) if recipe.together else None

    def __len__(self) -> int:
        return len(self.learnt)

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        return next(self.network.parameters()).device

    def order(self, rng: np.random.Generator) -> Rows:
        """The questions of an epoch; labels are drawn for it."""
        self._label = self.learnt.labels(self.recipe.label, rng)
        if self.recipe.replacement:
            return rng.integers(0, len(self), len(self))
        return rng.permutation(len(self)) if self._by_picture is None else self._by_picture.draw(rng)

    def scores(self, rows: Rows, step: int) -> tuple[Tensor, Tensor]:
        """Scores of some questions in a step, and their labels."""
        self.network.train()
        with self._drops_of(step):
            words = self.words[self.learnt.question[rows]]
            questions = self.network.of_question(self._tensor(words[:, : _longest(words)]))
            scores = self.network.join(questions, self._pictures(self.learnt.image[rows]))
        return scores, self._tensor(self._label[rows])

    def validate(self) -> tuple[float | None, float | None]:
        """Mean loss of the validation questions whose answer is a class, and the share of all that are wrong."""
        if self.valid is None or self.valid_words is None:
            return None, None
        self.network.eval()
        loss, known, wrong = 0.0, 0, 0
        order = np.argsort(self.valid.image, kind="stable")
        for start in range(0, len(order), VALID_BATCH):
            rows = order[start : start + VALID_BATCH]
            label = self.valid.majority[rows]
            texts, place = np.unique(self.valid.question[rows], return_inverse=True)
            words = self.valid_words[texts]
            questions = self.network.of_question(self._tensor(words[:, : _longest(words)]))
            scores = self.network.join(
                rows_of(questions, self._tensor(place)), self._pictures(self.valid.image[rows])
            ).cpu()
            is_class = torch.from_numpy(label >= 0)
            loss += float(cross_entropy(scores[is_class], torch.from_numpy(label)[is_class], reduction="sum"))
            known += int(is_class.sum())
            wrong += int((scores.argmax(1).numpy() != label).sum())
        return loss / known if known else None, wrong / len(order)

    def _pictures(self, images: Rows) -> Part:
        """The parts of the pictures of some questions, each picture's made once."""
        if self.features is None:
            return ()
        distinct, place = np.unique(images, return_inverse=True)
        if len(distinct) == len(images):
            return self.network.of_picture(self._tensor(self.features.of(images)))
        return rows_of(self.network.of_picture(self._tensor(self.features.of(distinct))), self._tensor(place))

    def _tensor(self, array: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    @contextlib.contextmanager
    def _drops_of(self, step: int) -> Iterator[None]:
        """What is dropped inside the block belongs to this step."""
        key = np.random.SeedSequence([self.seed, step]).generate_state(1, np.uint64)
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            torch.manual_seed(int(key[0]))
            yield

    def identity(self) -> dict[str, Any]:
        """What a training with other examples or another recipe does not have."""
        size = None if self.valid is None else len(self.valid)
        return {**asdict(self.recipe), "seed": self.seed, "examples": len(self), "validation examples": size}


def _longest(words: npt.NDArray[np.int64]) -> int:
    """The columns with a word, at least one."""
    return max(1, int((words > 0).sum(1).max(initial=0)))
