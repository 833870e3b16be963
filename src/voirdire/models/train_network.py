"""A network trained on VQA questions and annotations, as `models train` does it.

Where the recipe chooses an epoch and no validation questions are given, a share of the pictures, drawn by the seed, is
held out for that with all questions about them. Classes are the commonest answers to all questions that are given to
learn from, words those of the questions that are learnt from.

On the processor one thread computes, and the same examples, options and machine give the same weights. On a card the
order of sums is the card's: results differ in their last bits from run to run, and from the processor's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from voirdire.errors import UsageError
from voirdire.formats.picture_features import PictureFeatures, read_picture_features
from voirdire.formats.vqa_annotations import VqaAnnotations, read_vqa_annotations
from voirdire.formats.vqa_questions import VqaQuestions, read_vqa_questions
from voirdire.models.architectures import Architecture, Preset, find_architecture
from voirdire.models.network_file import FeatureKind, TrainedNetwork, write_network
from voirdire.models.recipes import Recipe
from voirdire.models.trainer import EVERY, Ended, Watch, ignore_epoch, ignore_loss, train
from voirdire.models.vocabulary import QuestionVocabulary, commonest_answers
from voirdire.models.vqa_examples import VqaExamples, majority_answers, make_examples
from voirdire.models.vqa_training import VqaLearner, make_schedule
from voirdire.options import LARGEST_SEED, OptionError, Options, option
from voirdire.progress import UNSEEN, Progress, Stages, silent

DeviceName = Literal["cpu", "cuda", "mps"]


@dataclass(frozen=True)
class NetworkTraining(Options):
    """How a network is trained; what is not given is as its recipe has it."""

    preset: Preset = option("paper", "Sizes and recipe as published, or small ones for minutes on one core.")
    epochs: int | None = option(
        None, "Passes over the questions, at most.", least=1, most=100_000, shown="the preset's"
    )
    batch: int | None = option(None, "Questions per step.", least=1, most=1_000_000, shown="the preset's")
    rate: float | None = option(None, "The optimiser's step.", above=0, most=10, shown="the preset's")
    classes: int | None = option(
        None, "How many of the commonest answers are classes.", least=2, most=1_000_000, shown="the preset's"
    )
    patience: int | None = option(
        None, "Stop after so many epochs without a smaller error on the validation questions.", least=1, most=100_000
    )
    held_out: float = option(
        0.1,
        "Share of the pictures that choose the epoch, where the preset chooses one and nothing else is given for it.",
        above=0,
        most=0.9,
    )
    seed: int = option(0, "Of first weights, order, labels and of what is dropped.", least=0, most=LARGEST_SEED)
    device: DeviceName = option("cpu", "Where to compute; results are the same from run to run on the cpu alone.")

    def recipe(self, architecture: Architecture) -> Recipe:
        """The preset's, with what else was given in its place."""
        preset = architecture.recipes[self.preset]
        recipe = replace(
            preset,
            epochs=self.epochs or preset.epochs,
            batch=self.batch or preset.batch,
            rate=self.rate or preset.rate,
            classes=self.classes or preset.classes,
        )
        if recipe.epochs is None and recipe.steps is None:
            raise OptionError("epochs", f"`epochs` must be given: the authors of {architecture.name} name no end")
        return recipe


@dataclass(frozen=True, eq=False)
class AnsweredQuestions:
    """Questions with their annotations."""

    questions: VqaQuestions
    annotations: VqaAnnotations

    def examples(self, classes: tuple[str, ...]) -> VqaExamples:
        """As a network learns from them."""
        return make_examples(self.questions, self.annotations, classes)


def train_network(
    architecture: Architecture,
    learnt: AnsweredQuestions,
    features: PictureFeatures | None = None,
    options: NetworkTraining | None = None,
    *,
    valid: AnsweredQuestions | None = None,
    data: Mapping[str, str] | None = None,
    checkpoint: Path | None = None,
    every: float = EVERY,
    progress: Progress = silent,
    ended: Ended = ignore_epoch,
    watch: Watch = ignore_loss,
) -> TrainedNetwork:
    """A network trained on these questions.

    valid       other questions, whose error chooses the epoch if the recipe chooses one, and is shown
    data        the files that all came from: role to SHA-256
    checkpoint  where the state is kept every so many seconds, and resumed from
    """
    options, data = options or NetworkTraining(), dict(data or {})
    recipe, device = options.recipe(architecture), find_device(options.device)
    check_layout(architecture, features)
    classes = commonest_answers(majority_answers(learnt.annotations), recipe.classes)
    examples, held = learnt.examples(classes), None if valid is None else valid.examples(classes)
    if held is None and recipe.chosen_by == "top-1":
        examples, held = _hold_out(examples, options)
    known = examples.only(examples.majority >= 0)
    if not len(known):
        raise UsageError("there is no question to learn from: no answer is a class")
    vocabulary = QuestionVocabulary.of(known.texts, recipe.words, recipe.longest)
    sizes = architecture.presets[options.preset]
    width = 0 if features is None else features.width
    network = architecture.build(sizes, len(vocabulary.words), len(classes), width, options.seed)
    network.to(device)
    learner = VqaLearner(network, vocabulary, known, held, features, recipe, options.seed)
    fingerprints = {f"fingerprint of {role}": value for role, value in data.items()}
    outcome = train(
        learner,
        make_schedule(recipe, len(learner), options.seed, options.patience),
        identity={"network": architecture.name, **options.plain(), **learner.identity(), **fingerprints},
        checkpoint=checkpoint,
        every=every,
        progress=progress,
        ended=ended,
        watch=watch,
    )
    return TrainedNetwork(
        architecture,
        sizes,
        vocabulary,
        classes,
        None if features is None else FeatureKind.of(features),
        outcome.weights,
        outcome.epoch,
        outcome.history,
        len(learner),
        options.plain() | learner.identity(),
        data,
    )


def train_network_files(
    name: str,
    questions: str,
    annotations: str,
    features: str | None = None,
    valid: tuple[str, str] | None = None,
    options: NetworkTraining | None = None,
    stages: Stages = UNSEEN,
    *,
    output: str,
) -> TrainedNetwork:
    """Train a network on files and write it; its state is kept beside `output` until then.

    valid  the files of validation questions and of their annotations
    """
    architecture, options = find_architecture(name), options or NetworkTraining()
    options.recipe(architecture)
    if (features is None) != (architecture.layout == "none"):
        raise UsageError(f"`features` must {'not ' if features else ''}be given: {name} reads {_reads(architecture)}")
    learnt, data = _read(questions, annotations, "")
    held, more = (None, {}) if valid is None else _read(*valid, "valid ")
    seen = None if features is None else read_picture_features(features)
    if seen is not None:
        more = more | {"features": seen.fingerprint}
    checkpoint = Path(f"{output}.training")
    trained = train_network(
        architecture,
        learnt,
        seen,
        options,
        valid=held,
        data=data | more,
        checkpoint=checkpoint,
        progress=stages("train", "examples"),
        watch=lambda loss, rate: stages.note(f"loss {loss:.3f}, step {rate:.1e}"),
    )
    write_network(trained, output)
    checkpoint.unlink(missing_ok=True)
    return trained


def find_device(name: DeviceName) -> torch.device:
    """The device of that name; one that is not there is an error."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[name]:
        usable = ", ".join(device for device, found in there.items() if found)
        raise UsageError(f"`device` {name} is not there for torch; there is: {usable}")
    return torch.device(name)


def check_layout(architecture: Architecture, features: PictureFeatures | None) -> None:
    """Refuse features of a layout that the network does not read; regions are read as the places of a grid are."""
    given = "none" if features is None else "global" if features.layout == "global" else "grid"
    if given != architecture.layout:
        found = "none" if features is None else f"{features.layout} features"
        raise UsageError(f"`features` must be what {architecture.name} reads, {_reads(architecture)}, got {found}")


def _reads(architecture: Architecture) -> str:
    words = {
        "none": "no features",
        "global": "one vector per picture",
        "grid": "a vector per place: a grid, or regions",
    }
    return words[architecture.layout]


def _read(questions: str, annotations: str, role: str) -> tuple[AnsweredQuestions, dict[str, str]]:
    asked, answered = read_vqa_questions(questions), read_vqa_annotations(annotations)
    data = {f"{role}vqa_questions": asked.fingerprint, f"{role}vqa_annotations": answered.fingerprint}
    return AnsweredQuestions(asked, answered), data


def _hold_out(examples: VqaExamples, options: NetworkTraining) -> tuple[VqaExamples, VqaExamples]:
    """What is learnt from, and the questions about the pictures that are held out."""
    pictures = np.unique(examples.image)
    many = max(1, round(options.held_out * len(pictures)))
    if many >= len(pictures):
        raise UsageError(f"`held_out` must leave pictures to learn from, got {options.held_out} of {len(pictures)}")
    drawn = np.random.default_rng([options.seed, 1]).choice(pictures, many, replace=False)
    held = np.isin(examples.image, drawn)
    return examples.only(~held), examples.only(held)
