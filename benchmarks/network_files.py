"""Features read from disk beside the training that wants them, and nine files of questions answered at once.

    python benchmarks/network_files.py [--images 1000] [--folder FOLDER]

1. A file of 14 × 14 × 2,048 numbers for each of 1,000 images (1.6 GB as float32) is read in 100 batches of 128 random
   images. Bar: at most a tenth of the time in which MUTAN with attention trains on such batches at its published size,
   projected from three batches (benchmarks/networks.py).
2. Each network of the published size answers clean questions and eight noisy versions of them, all files at once and
   file by file: CPU time, with networks and features opened. Every noisy question is another one and three times as
   long, so most of the work is the questions', and little is saved; bar: at once is not slower.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np
from networks import CLASSES, PLACES, WIDTH, WORDS, questions, step

from voirdire.engine.threads import one_thread
from voirdire.formats.picture_features import PictureFeatures, read_picture_features
from voirdire.models.answering import VqaAnswerer
from voirdire.models.architectures import ARCHITECTURES
from voirdire.models.network_file import FeatureKind, TrainedNetwork
from voirdire.models.vocabulary import QuestionVocabulary

BATCH, BATCHES, MEASURED = 128, 100, 3
READING, AT_ONCE = 0.1, 1.0
NETWORKS = ("lqi", "hieco-att", "mutan", "mutan-att", "mlb-att")
PICTURES, PER_PICTURE, NOISY = 16, 3, 8


def write(path: Path, images: int, shape: tuple[int, ...]) -> PictureFeatures:
    """Random features; those of a file that is there already are taken."""
    if not path.exists():
        rng = np.random.default_rng(0)
        with h5py.File(path, "w") as file:
            file["image_ids"] = np.arange(images)
            features = file.create_dataset("features", (images, *shape), np.float32)
            for image in range(images):
                features[image] = rng.random(shape, np.float32)
    return read_picture_features(path)


def read(features: PictureFeatures) -> float:
    """Seconds of reading all batches, whatever is in the cache of the disk."""
    rng, begun = np.random.default_rng(1), time.perf_counter()
    for _ in range(BATCHES):
        features.of(rng.integers(0, len(features.ids), BATCH))
    return time.perf_counter() - begun


def train() -> float:
    """Seconds of training on as many batches, projected."""
    import torch

    architecture, rng = ARCHITECTURES["mutan-att"], np.random.default_rng(2)
    network = architecture.build(architecture.presets["paper"], WORDS, CLASSES, WIDTH, seed=0).train()
    adam = torch.optim.Adam(network.parameters(), 1e-4, fused=True)
    seen = torch.from_numpy(rng.random((BATCH, PLACES, WIDTH), np.float32))
    took = []
    for _ in range(MEASURED + 1):
        labels = torch.from_numpy(rng.integers(0, CLASSES, BATCH))
        took.append(step(network, adam, questions(rng, BATCH), seen, labels)[1])
    return float(np.mean(took[1:])) * BATCHES


def answer(name: str, folder: Path) -> tuple[float, float]:
    """CPU seconds at once, and file by file."""
    architecture = ARCHITECTURES[name]
    shape = (WIDTH,) if architecture.layout == "global" else (14, 14, WIDTH)
    features = write(folder / f"{architecture.layout}.h5", PICTURES, shape)
    words, rng = tuple(f"w{number}" for number in range(WORDS - 1)), np.random.default_rng(3)
    vocabulary = QuestionVocabulary((*words, "UNK"), "marks-off", 26)
    drawn = architecture.build(architecture.presets["paper"], WORDS, CLASSES, WIDTH, seed=0)
    classes = tuple(f"answer {number}" for number in range(CLASSES))
    kind, sizes = FeatureKind.of(features), architecture.presets["paper"]
    trained = TrainedNetwork(architecture, sizes, vocabulary, classes, kind, drawn.arrays(), 1, (), 1)
    answerer = VqaAnswerer(trained, features, name)
    clean = [" ".join(rng.choice(words, 6)) for _ in range(PICTURES * PER_PICTURE)]
    files = [clean, *([f"{text} {' '.join(rng.choice(words, 18))}" for text in clean] for _ in range(NOISY))]
    images = np.repeat(np.arange(PICTURES), PER_PICTURE)
    begun = time.process_time()
    together = answerer.answer([text for file in files for text in file], np.tile(images, len(files)))
    between = time.process_time()
    apart = [text for file in files for text in answerer.answer(file, images)]
    took = between - begun, time.process_time() - between
    if together != apart:
        raise SystemExit(f"{name}: other answers at once than file by file")
    return took


def main() -> int:
    """1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as made, one_thread():
        folder = given.folder or Path(made)
        reading = read(write(folder / "large.h5", given.images, (14, 14, WIDTH)))
        training = train()
        share = reading / training
        print(f"{BATCHES} batches of {BATCH}: read in {reading:.1f} s, trained on in {training:.0f} s (projected)")
        print(f"  share {share:.3f}, bar {READING}")
        missed |= share > READING
        print(f"{NOISY + 1} files of {PICTURES * PER_PICTURE} questions about {PICTURES} pictures, CPU seconds")
        for name in NETWORKS:
            once, apart = answer(name, folder)
            print(
                f"  {name:<10} at once {once:.2f}, file by file {apart:.2f}: {apart / once:.2f} times (bar {AT_ONCE})"
            )
            missed |= apart / once < AT_ONCE
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
