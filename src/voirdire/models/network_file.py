"""The file of a trained network that answers questions about pictures.

One .npz: the weights under the names of the authors' checkpoints, the words and classes as text, and a JSON text
`about` with the architecture, its sizes, how it was trained, on what, and which features it reads. It holds numbers and
text alone and is read without unpickling anything, so it is safe to load whoever made it.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.files import open_source
from voirdire.formats.picture_features import PictureFeatures
from voirdire.formats.strict import Problems
from voirdire.models import Epoch
from voirdire.models.architectures import Architecture, find_architecture
from voirdire.models.array_file import read_arrays, write_arrays
from voirdire.models.recipes import WordRule
from voirdire.models.sizes import Sizes
from voirdire.models.trainer import Weights
from voirdire.models.vocabulary import QuestionVocabulary
from voirdire.models.vqa_network import VqaNetwork

KIND, FORMAT = "voirdire network", 1
EXPECTED = "a network that `voirdire models train` wrote"
RETRAIN = "Train it again with this version, or install the one that wrote it."


class FeatureKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The features that a network was trained on.

    layout    global, grid or regions
    places    vectors per picture
    width     numbers of a vector
    encoder   what made them, where their file said so
    identity  the encoder's digest, where their file said so
    """

    layout: str
    places: int
    width: int
    encoder: str = ""
    identity: str = ""

    @classmethod
    def of(cls, features: PictureFeatures) -> "FeatureKind":
        """The kind of a file of features."""
        about = features.about
        return cls(
            features.layout, features.places, features.width, about.get("encoder", ""), about.get("identity", "")
        )

    def __str__(self) -> str:
        made = f" of {self.encoder}" if self.encoder else ""
        places = "" if self.layout == "global" else f"{self.places} × "
        return f"{self.layout} features{made}, {places}{self.width:,} numbers per picture"


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network's weights and what they came from.

    vocabulary  its words, and how questions are cut into them
    features    what it sees; None where it sees nothing
    training    how it was trained, as plain values
    data        the files that it was trained on: role to SHA-256
    """

    architecture: Architecture
    sizes: Sizes
    vocabulary: QuestionVocabulary
    classes: tuple[str, ...]
    features: FeatureKind | None
    weights: Weights
    epoch: int
    history: tuple[Epoch, ...]
    examples: int
    training: dict[str, Any] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""

    def network(self) -> VqaNetwork:
        """The network with these weights, for answering alone."""
        width = 0 if self.features is None else self.features.width
        made = self.architecture.build(self.sizes, len(self.vocabulary.words), len(self.classes), width)
        made.set(self.weights)
        made.eval()
        made.requires_grad_(False)
        return made

    def check_features(self, features: PictureFeatures | None, name: str) -> None:
        """Refuse features of another kind than it was trained on; `name` is what the network is called."""
        if self.features is None:
            if features is not None:
                raise UsageError(f"{name} sees no pictures: leave {features.name} away")
            return
        if features is None:
            raise UsageError(f"{name} was trained on {self.features}: give a file of such features")
        given = FeatureKind.of(features)
        same = (given.layout, given.places, given.width) == (
            self.features.layout,
            self.features.places,
            self.features.width,
        )
        if not same or (given.identity and self.features.identity and given.identity != self.features.identity):
            other = f"{given}{' (another encoder)' if same else ''}"
            raise UsageError(f"{features.name} has {other}; {name} was trained on {self.features}")


class _About(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    format: int
    version: str
    architecture: str
    sizes: dict[str, Any]
    rule: WordRule
    longest: int | None
    features: FeatureKind | None
    epoch: int
    history: list[Epoch]
    examples: int
    training: dict[str, Any]
    data: dict[str, str]


def write_network(trained: TrainedNetwork, path: str | Path) -> None:
    """Write the network; the same network gives the same bytes."""
    about = _About(
        KIND,
        FORMAT,
        __version__,
        trained.architecture.name,
        asdict(trained.sizes),
        trained.vocabulary.rule,
        trained.vocabulary.longest,
        trained.features,
        trained.epoch,
        list(trained.history),
        trained.examples,
        trained.training,
        trained.data,
    )
    texts = {"words": trained.vocabulary.words, "classes": trained.classes}
    packed = {name: np.frombuffer(msgspec.json.encode(text), np.uint8) for name, text in texts.items()}
    write_arrays(path, about, {**packed, **{f"w/{name}": array for name, array in trained.weights.items()}})


def read_network(path: str | Path) -> TrainedNetwork:
    """Read a network, strictly: every weight there, of its shape, finite."""
    source = open_source(path)
    about, arrays = read_arrays(source, _About, EXPECTED)
    if about.kind != KIND or about.format != FORMAT:
        found = f"{about.kind!r}, format {about.format}"
        raise InputError(source.name, [Problem("", "about", found, f"{KIND!r}, format {FORMAT}", RETRAIN)])
    try:
        architecture = find_architecture(about.architecture)
        sizes = architecture.sizes(about.sizes)
        words, classes = (
            msgspec.json.decode(arrays.pop(name).tobytes(), type=tuple[str, ...]) for name in ("words", "classes")
        )
    except (TypeError, ValueError, KeyError, UsageError, msgspec.MsgspecError) as error:
        raise InputError(source.name, [Problem("", "about", str(error), EXPECTED, RETRAIN)]) from None
    weights = {name.removeprefix("w/"): array for name, array in arrays.items()}
    trained = TrainedNetwork(
        architecture,
        sizes,
        QuestionVocabulary(words, about.rule, about.longest),
        classes,
        about.features,
        weights,
        about.epoch,
        tuple(about.history),
        about.examples,
        about.training,
        about.data,
        source.fingerprint,
    )
    _check_weights(trained, source.name)
    return trained


def _check_weights(trained: TrainedNetwork, name: str) -> None:
    """Refuse weights that are not those of the architecture at these sizes."""
    problems, width = Problems(name), 0 if trained.features is None else trained.features.width
    with torch.device("meta"):  # Its shapes alone, without numbers.
        made = trained.architecture.build(trained.sizes, len(trained.vocabulary.words), len(trained.classes), width)
        wanted = _shapes(made)
    for key in sorted({*wanted, *trained.weights}):
        shape, array = wanted.get(key), trained.weights.get(key)
        if shape is None or array is None or array.dtype != np.float32 or array.shape != shape:
            found = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
            problems.add("", key, found, "no such array" if shape is None else f"float32 of shape {shape}")
    problems.check()


def _shapes(network: VqaNetwork) -> dict[str, tuple[int, ...]]:
    """The shapes of all weights by their names in files."""
    named = {network.name_in_files(name): tuple(value.shape) for name, value in network.state_dict().items()}
    return {name: (*shape, 1, 1) if name in network.AT_ONE_PLACE else shape for name, shape in named.items()}
