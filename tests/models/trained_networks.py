"""Small networks with drawn weights, as if they were trained, and features for them."""

from pathlib import Path

import numpy as np

from voirdire.formats.picture_features import PictureFeatures, read_picture_features
from voirdire.models.architectures import find_architecture
from voirdire.models.network_file import FeatureKind, TrainedNetwork, write_network
from voirdire.models.vocabulary import QuestionVocabulary

CLASSES = ("yes", "no", "red", "2", "a table")
QUESTIONS = ("is it red", "what is on the table", "how many", "", "unseen words only", "is it red or is it not red")
WIDTH, PLACES, IMAGES = 6, 4, (5, 9, 13, 20)


def write_features(path: Path, layout: str, width: int = WIDTH, seed: int = 1) -> PictureFeatures:
    shape = {"global": (width,), "regions": (PLACES, width), "grid": (2, 2, width)}[layout]
    features = np.random.default_rng(seed).standard_normal((len(IMAGES), *shape)).astype(np.float32)
    np.savez(path, image_ids=np.array(IMAGES), features=features)
    return read_picture_features(path)


def make_network(path: Path, name: str, features: PictureFeatures | None = None, seed: int = 3) -> TrainedNetwork:
    """A network of the small sizes with its first weights, as a file."""
    architecture = find_architecture(name)
    vocabulary = QuestionVocabulary.of(QUESTIONS[:3], "marks-off", 8)
    sizes, width = architecture.presets["small"], 0 if features is None else features.width
    drawn = architecture.build(sizes, len(vocabulary.words), len(CLASSES), width, seed)
    # First weights are so small that one class would always win.
    weights = {name: array if "bias" in name else 4 * array for name, array in drawn.arrays().items()}
    kind = None if features is None else FeatureKind.of(features)
    trained = TrainedNetwork(architecture, sizes, vocabulary, CLASSES, kind, weights, 1, (), 3)
    write_network(trained, path)
    return trained
