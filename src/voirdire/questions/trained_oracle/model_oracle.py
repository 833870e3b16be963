"""A trained oracle: its file, and its answers about whole games: `model:FILE`, or `model:FILE,CROPS` with crops.

The file is one .npz: the weights, the words, and a JSON text `about` with everything else. It holds numbers and text
alone and is read without unpickling anything, so it is safe to load whoever made it.

    scores(q, o) = V ReLU(A h_q + B category_o + C spatial_o + D crop_o + a) + v        (with one hidden layer)

The part of a question and the part of an object are made once each; a call only adds the two, so all questions × all
objects of many games are one sum and one small product.

An answer is defined by a call of its own, `one`, and does not depend on what else is asked at the same time. A batch
sums in another order, so its scores differ in their last bits. Where the two highest are closer than `CLOSE`, which is
far more than that difference, the call is made on its own. Ties are therefore those of the single calls too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt
import torch

from voirdire._version import __version__
from voirdire.engine.threads import one_thread
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.coco import GameImage
from voirdire.formats.features import Features, read_features
from voirdire.formats.files import open_source
from voirdire.formats.guesswhat import ANSWERS, Game, GameObject
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.strict import Problems
from voirdire.models import CLOSE, Epoch
from voirdire.models.array_file import read_arrays, write_arrays
from voirdire.progress import Progress, silent
from voirdire.questions.trained_oracle import OracleOptions
from voirdire.questions.trained_oracle.network import (
    OracleNetwork,
    PrefixTree,
    Vocabulary,
    check_categories,
    spatial,
)

KIND = "voirdire oracle"
FORMAT = 3
EXPECTED = "an oracle that `voirdire questions train-oracle` wrote"
GAMES, QUESTIONS, CALLS = 2000, 1024, 4096
"""How many are worked on at once."""
REMEMBERED = 65_536
"""Questions whose part is kept between the groups of games: 128 MiB."""
Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class TrainedOracle:
    """An oracle's weights, and what they came from.

    epoch     the epoch, from 1, after which the weights were taken
    history   how each epoch went
    examples  how many questions it was trained on
    crops     how many features a crop has; 0 for an oracle without crops
    data      the files that it was trained on: role to SHA-256
    """

    options: OracleOptions
    words: tuple[str, ...]
    weights: Weights
    epoch: int
    history: tuple[Epoch, ...]
    examples: int
    crops: int = 0
    data: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""


class _About(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    format: int
    version: str
    options: dict[str, Any]
    epoch: int
    history: list[Epoch]
    examples: int
    crops: Annotated[int, msgspec.Meta(ge=0, le=2**24)]
    data: dict[str, str]


def checkpoint_path(output: str | Path) -> Path:
    """Where the training that is to become `output` keeps its state."""
    return Path(f"{output}.training")


def write_oracle(oracle: TrainedOracle, path: str | Path) -> None:
    """Write the oracle; the same oracle gives the same bytes."""
    about = _About(
        KIND,
        FORMAT,
        __version__,
        oracle.options.plain(),
        oracle.epoch,
        list(oracle.history),
        oracle.examples,
        oracle.crops,
        oracle.data,
    )
    words = np.frombuffer("\n".join(oracle.words).encode(), np.uint8)
    write_arrays(path, about, {"words": words, **oracle.weights})


def read_oracle(path: str | Path) -> TrainedOracle:
    """Read an oracle, strictly: every array there, of its shape, finite."""
    source = open_source(path)
    name = source.name
    about, arrays = read_arrays(source, _About, EXPECTED)
    if about.kind != KIND or about.format != FORMAT:
        contents = f"{about.kind!r}, format {about.format}"
        hint = "Train it again with this version, or install the one that wrote it."
        raise InputError(name, [Problem("", "about", contents, f"{KIND!r}, format {FORMAT}", hint)])
    problems = Problems(name)
    try:
        options = OracleOptions(**about.options)
        text = arrays.pop("words").astype(np.uint8, casting="safe").tobytes().decode()
    except (TypeError, ValueError, KeyError, UsageError) as error:
        raise InputError(name, [Problem("", "about", str(error), EXPECTED)]) from None
    words = tuple(text.split("\n")) if text else ()
    with torch.device("meta"):  # Its shapes alone, without numbers.
        wanted = OracleNetwork(options, len(words) + 1, about.crops).state_dict()
    for key in sorted({*wanted, *arrays}):
        shape, array = tuple(wanted[key].shape) if key in wanted else None, arrays.get(key)
        if shape is None or array is None or array.dtype != np.float32 or array.shape != shape:
            contents = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
            problems.add("", key, contents, "no such array" if shape is None else f"float32 of shape {shape}")
        elif not np.isfinite(array).all():
            problems.add("", key, "a number that is not finite", "finite numbers")
    problems.check()
    return TrainedOracle(
        options,
        words,
        arrays,
        about.epoch,
        tuple(about.history),
        about.examples,
        about.crops,
        about.data,
        source.fingerprint,
    )


def make_network(trained: TrainedOracle) -> OracleNetwork:
    """The network of a trained oracle."""
    network = OracleNetwork(trained.options, len(trained.words) + 1, trained.crops)
    network.set(trained.weights)
    return network.requires_grad_(False)


class ModelOracle:
    """A trained oracle."""

    def __init__(self, trained: TrainedOracle, crops: Features | None = None, name: str = "model") -> None:
        if trained.crops and crops is None:
            raise UsageError(
                f"{name} was trained with crops: give the file of their features too, as in {name},crops.npz"
            )
        if crops is not None and crops.width != trained.crops:
            wanted = f"{trained.crops} per crop" if trained.crops else "none"
            raise UsageError(f"{crops.name} has {crops.width} features per crop; {name} was trained with {wanted}")
        self.name = name
        self.identity = f"model {trained.fingerprint}" + (f", crops {crops.fingerprint}" if crops else "")
        self._crops = crops
        self._words = Vocabulary(trained.words, trained.options.published.longest)
        self._network = make_network(trained)
        self._known: dict[str, int] = {}
        self._parts = torch.empty(0, trained.options.published.hidden[0])
        self._codes = np.array([ANSWERS.index(answer) for answer in self._network.answers], np.int8)

    @classmethod
    def from_spec(cls, argument: str | None) -> "ModelOracle":
        """The oracle of `FILE` or `FILE,CROPS`."""
        if not argument:
            raise UsageError("`oracle` model: needs the file of a trained oracle after it, as in model:oracle.npz")
        path, _, crops = argument.partition(",")
        if Path(argument).is_file():
            path, crops = argument, ""  # Its own name has a comma.
        return cls(read_oracle(path), read_features(crops, "object") if crops else None, f"model:{argument}")

    def answer(self, games: Sequence[Game], progress: Progress = silent) -> list[ObjectAnswers]:
        """The answers to every question of each game about every object of it."""
        problems = Problems(f"the games, beside {self.name}")
        for game in games:
            check_categories(f"game {game.id}", game.objects, problems)
        problems.check()
        records: list[ObjectAnswers] = []
        with one_thread():
            for start in range(0, len(games), GAMES):
                records += self._group(games[start : start + GAMES])
                progress(len(records), len(games))
        return records

    def one(self, question: str, image: GameImage, thing: GameObject) -> npt.NDArray[np.float32]:
        """The scores of yes, no and n/a, in the network's order, in a call of its own."""
        tree = PrefixTree([self._words.numbers(question)])
        questions = self._network.of_questions(tree.levels(np.zeros(1, np.int64)))
        scores = self._network.scores(questions, self._objects([(image, thing)]))
        alone: npt.NDArray[np.float32] = scores.numpy()[0]
        return alone

    def _group(self, games: Sequence[Game]) -> list[ObjectAnswers]:
        asked = [(game, qa.question) for game in games for qa in game.qas]
        asked_about = [(game.image, candidate) for game in games for candidate in game.objects]
        objects = self._objects(asked_about)
        questions = self._questions([question for _, question in asked])
        first = np.cumsum([0, *(len(game.objects) for game in games)])
        starts = np.repeat(first[:-1], [len(game.qas) for game in games])
        sizes = np.array([len(game.objects) for game, _ in asked], np.int64)
        ends = np.cumsum(sizes)
        row = np.repeat(np.arange(len(asked)), sizes)
        thing = np.arange(len(row)) - np.repeat(ends - sizes, sizes) + np.repeat(starts, sizes)
        answers, ties = np.empty(len(row), np.int8), np.zeros(len(row), bool)
        for at in range(0, len(row), CALLS):
            calls = slice(at, at + CALLS)
            pairs = questions[torch.from_numpy(row[calls])], objects[torch.from_numpy(thing[calls])]
            scores = self._network.scores(*pairs).numpy()
            ordered = np.sort(scores, axis=1)
            answers[calls] = self._codes[scores.argmax(axis=1)]
            for place in (at + np.flatnonzero(ordered[:, -1] - ordered[:, -2] < CLOSE)).tolist():
                alone = self.one(asked[row[place]][1], *asked_about[thing[place]])
                answers[place], ties[place] = self._codes[alone.argmax()], (alone == alone.max()).sum() > 1
        return _parted(games, answers, ties)

    def _objects(self, pairs: Sequence[tuple[GameImage, GameObject]]) -> torch.Tensor:
        images, candidates = [image for image, _ in pairs], [candidate for _, candidate in pairs]
        boxes = [candidate.bbox for candidate in candidates]
        features = spatial(boxes, [image.width for image in images], [image.height for image in images])
        categories = np.array([candidate.category_id for candidate in candidates], np.int64)
        ids = np.array([candidate.id for candidate in candidates], np.int64)
        crops = None if self._crops is None else self._crops.of(ids)
        return self._network.of_objects(categories, features, crops)

    def _questions(self, asked: Sequence[str]) -> torch.Tensor:
        """The part of each question; one that was met before is not read again."""
        new = sorted({question for question in asked if question not in self._known})
        if len(self._known) + len(new) > REMEMBERED:
            self._known, self._parts = {}, self._parts[:0]
            new = sorted(set(asked))
        if new:
            # Sorted, so that a block's questions begin alike.
            tree = PrefixTree([self._words.numbers(question) for question in new])
            blocks = [np.arange(at, min(at + QUESTIONS, len(new))) for at in range(0, len(new), QUESTIONS)]
            parts = [self._network.of_questions(tree.levels(block)) for block in blocks]
            self._known |= {question: len(self._known) + number for number, question in enumerate(new)}
            self._parts = torch.cat([self._parts, *parts])
        return self._parts[[self._known[question] for question in asked]]


def _parted(games: Sequence[Game], answers: npt.NDArray[np.int8], ties: npt.NDArray[np.bool_]) -> list[ObjectAnswers]:
    """The calls of a group, game by game."""
    parts, at = [], 0
    for game in games:
        shape = len(game.qas), len(game.objects)
        end = at + shape[0] * shape[1]
        parts.append(ObjectAnswers(game.id, answers[at:end].reshape(shape), int(ties[at:end].sum())))
        at = end
    return parts
