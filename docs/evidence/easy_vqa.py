"""The networks on easy-VQA: 5,000 pictures of one shape each, 48,248 questions, 13 answers (package `easy-vqa` 1.0).

    python docs/evidence/easy_vqa.py FOLDER [--networks NAME,NAME…] [--data easy_vqa/data]

A small convolutional network is trained on nine tenths of the train pictures, with a GRU beside it whose product it is,
and gives a vector for each of 8 × 8 places of every picture; their mean is the vector of the whole. On these each
network is trained as `small`; the other tenth chooses its epoch, and the test questions are answered once, at the end.
FOLDER keeps features, networks and results; what is there is not made again, and a killed training goes on.
"""

import argparse
import json
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from voirdire.engine.threads import one_thread
from voirdire.formats.picture_features import PictureFeatures, read_picture_features
from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.models import TrainingSchedule
from voirdire.models.architectures import ARCHITECTURES
from voirdire.models.grouped_order import GroupedOrder
from voirdire.models.network_file import TrainedNetwork, read_network, write_network
from voirdire.models.picture_encoders import pixels_of
from voirdire.models.question_encoders import GruReader
from voirdire.models.train_network import AnsweredQuestions, NetworkTraining, train_network
from voirdire.models.trainer import Trainable, train
from voirdire.models.vocabulary import QuestionVocabulary

SIDE, WIDTH, SEED, TEST = 64, 64, 0, 1_000_000
"""Pixels of a side; numbers of a place; what the test pictures' numbers begin with."""
OPTIONS = NetworkTraining("small", epochs=8, patience=2, rate=2e-3, seed=SEED)
SLOW = {"lqi": NetworkTraining("small", epochs=20, patience=4, seed=SEED)}
"""LQI's LSTM needs the smaller step of the preset, and more epochs."""


class Shapes(Trainable):
    """What makes the features: convolutions with normalisation, and what they are trained with."""

    def __init__(self, words: int, classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for before, after in ((3, 32), (32, WIDTH), (WIDTH, WIDTH)):
            layers += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
        self.layers = nn.Sequential(*layers)
        self.reader = GruReader(words, 32, 128, 0.0)
        self.of_picture, self.of_question = nn.Linear(WIDTH, 128), nn.Linear(128, 128)
        self.out = nn.Linear(128, classes)

    def grid(self, pictures: Tensor) -> Tensor:
        """(n, 8, 8, WIDTH) of the bytes of pictures (n, 3, 64, 64)."""
        grid: Tensor = self.layers(pictures.float() / 255).permute(0, 2, 3, 1)
        return grid

    def forward(self, pictures: Tensor, picture: Tensor, questions: Tensor) -> Tensor:
        seen = torch.tanh(self.of_picture(self.grid(pictures).mean((1, 2))))[picture]
        scores: Tensor = self.out(seen * torch.tanh(self.of_question(self.reader(questions))))
        return scores


class ShapesLearner:
    """The pictures with their questions, of which the last tenth of the pictures validates."""

    def __init__(self, asked: AnsweredQuestions, pixels: np.ndarray) -> None:
        answers = asked.annotations.majority
        self.classes = sorted({answer for answer in answers if answer is not None})
        self.label = np.array([self.classes.index(answer) for answer in answers if answer is not None])
        texts = asked.questions.questions
        self.words = QuestionVocabulary.of(texts, "marks-off", None)
        self.questions, self.image, self.pixels = self.words.padded(texts), asked.questions.image_ids, pixels
        held = self.image >= 0.9 * len(pixels)
        self.learnt, self.valid = np.flatnonzero(~held), np.flatnonzero(held)
        self.network = Shapes(len(self.words.words), len(self.classes))
        self.groups = GroupedOrder(self.image[self.learnt])

    def __len__(self) -> int:
        return len(self.learnt)

    def order(self, rng: np.random.Generator) -> np.ndarray:
        return self.learnt[self.groups.draw(rng)]

    def scores(self, rows: np.ndarray, step: int) -> tuple[Tensor, Tensor]:
        self.network.train()
        return self._scores(rows), torch.from_numpy(self.label[rows])

    def _scores(self, rows: np.ndarray) -> Tensor:
        images, place = np.unique(self.image[rows], return_inverse=True)
        pictures, questions = torch.from_numpy(self.pixels[images]), torch.from_numpy(self.questions[rows])
        scores: Tensor = self.network(pictures, torch.from_numpy(place), questions)
        return scores

    def validate(self) -> tuple[float | None, float | None]:
        self.network.eval()
        parts = np.array_split(self.valid, 8)
        wrong = sum(int((self._scores(rows).argmax(1).numpy() != self.label[rows]).sum()) for rows in parts)
        return None, wrong / len(self.valid)


def read_split(data: Path, split: str) -> tuple[AnsweredQuestions, np.ndarray]:
    """The questions of a split, and its pictures' pixels by number."""
    rows = json.loads((data / split / "questions.json").read_text())
    first = TEST if split == "test" else 0
    questions, annotations = [], []
    for number, (question, answer, image) in enumerate(rows, start=first):
        questions.append(VqaQuestion(number, first + image, question))
        kind = "yes/no" if answer in ("yes", "no") else "other"
        given = (VqaAnswer(answer),) * 10
        annotations.append(VqaAnnotation(number, first + image, question.split()[0], kind, given, answer))
    files = sorted((data / split / "images").glob("*.png"), key=lambda path: int(path.stem))
    pixels = np.stack([pixels_of(path.read_bytes(), SIDE) for path in files])
    return AnsweredQuestions(VqaQuestions.from_rows(questions), VqaAnnotations.from_rows(annotations)), pixels


def make_features(folder: Path, learnt: AnsweredQuestions, pixels: Sequence[np.ndarray]) -> None:
    """Train the convolutions, and write what they give of all pictures."""
    torch.manual_seed(SEED)
    learner = ShapesLearner(learnt, pixels[0])
    schedule = TrainingSchedule(8, 96, 2e-3, clip=0.0, seed=SEED, patience=2)
    begun = time.process_time()
    made = train(
        learner,
        schedule,
        checkpoint=folder / "shapes.npz",
        ended=lambda number, epoch: print(f"shapes, epoch {number}: {epoch.valid_error:.4f} wrong", flush=True),
    )
    learner.network.set(made.weights)
    learner.network.eval()
    ids = np.concatenate([np.arange(len(pixels[0])), TEST + np.arange(len(pixels[1]))])
    with torch.no_grad(), one_thread():
        parts = [some for part in pixels for some in np.array_split(part, 40)]
        grid = np.concatenate([learner.network.grid(torch.from_numpy(some)).numpy() for some in parts])
    np.savez(folder / "global.npz", image_ids=ids, features=grid.mean((1, 2)))
    np.savez(folder / "grid.npz", image_ids=ids, features=grid)
    best = 1 - (made.history[made.epoch - 1].valid_error or 0)
    note = f"features: {best:.4f} right on the held-out part, {time.process_time() - begun:.0f} s of CPU"
    (folder / "features.txt").write_text(note + "\n")
    print(note, flush=True)


def chosen(trained: TrainedNetwork, features: PictureFeatures | None, asked: VqaQuestions) -> np.ndarray:
    """The class with the greatest score, of each question."""
    network, words = trained.network(), torch.from_numpy(trained.vocabulary.padded(asked.questions))
    found = []
    with torch.no_grad(), one_thread():
        for rows in np.array_split(np.arange(len(words)), 100):
            seen = None if features is None else torch.from_numpy(features.of(asked.image_ids[rows]))
            found.append(network(words[rows], seen).argmax(1).numpy())
    return np.concatenate(found)


def one(name: str, folder: Path, learnt: AnsweredQuestions, test: AnsweredQuestions) -> None:
    """Train a network and answer the test questions."""
    architecture, path = ARCHITECTURES[name], folder / f"{name}.npz"
    features = None if architecture.layout == "none" else read_picture_features(folder / f"{architecture.layout}.npz")
    begun = time.process_time()
    if not path.exists():
        trained = train_network(
            architecture,
            learnt,
            features,
            SLOW.get(name, OPTIONS),
            checkpoint=folder / f"{name}.training",
            every=20,
            ended=lambda number, epoch: print(
                f"{name}, epoch {number}: loss {epoch.loss:.3f}, {epoch.valid_error:.4f} wrong, "
                f"{time.process_time() - begun:.0f} s of CPU",
                flush=True,
            ),
        )
        write_network(trained, path)
        (folder / f"{name}.seconds").write_text(f"{time.process_time() - begun:.0f}")
    trained = read_network(path)
    wanted = np.array([trained.classes.index(answer or "") for answer in test.annotations.majority])
    right = chosen(trained, features, test.questions) == wanted
    yes_no = np.array([kind == "yes/no" for kind in test.annotations.answer_types])
    seconds = (folder / f"{name}.seconds").read_text()
    valid = 1 - (trained.history[trained.epoch - 1].valid_error or 0)
    line = (
        f"{name:<14} test {100 * right.mean():.1f} (yes/no {100 * right[yes_no].mean():.1f}, other "
        f"{100 * right[~yes_no].mean():.1f}), held out {100 * valid:.1f}, epoch {trained.epoch} of "
        f"{len(trained.history)}, {seconds} s of CPU"
    )
    (folder / f"{name}.txt").write_text(line + "\n")
    print(line, flush=True)


def main() -> None:
    """Everything that is not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", default=",".join(ARCHITECTURES))
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    found = find_spec("easy_vqa")
    data = given.data or Path(str(found and found.origin)).parent / "data"
    given.folder.mkdir(parents=True, exist_ok=True)
    (learnt, pictures), (test, unseen) = (read_split(data, split) for split in ("train", "test"))
    if not (given.folder / "features.txt").exists():
        make_features(given.folder, learnt, (pictures, unseen))
    for name in given.networks.split(","):
        if not (given.folder / f"{name}.txt").exists():
            one(name, given.folder, learnt, test)


if __name__ == "__main__":
    main()
