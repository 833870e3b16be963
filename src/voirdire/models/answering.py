"""A trained network answers questions about pictures, from files and one by one, with the same answers.

    answer = class with the highest score;  log-likelihood of a class = log softmax(scores)

The part of a picture is made once, however many questions there are about it and however many files they are in; so is
that of a distinct question. Pictures are taken so many at once in the order of their numbers, questions so many at
once in the order of their texts: batches depend on what is asked alone.

An answer is defined by the question alone, in a batch of one. A batch sums in another order, so its scores differ in
their last bits: where the two highest are closer than `CLOSE`, the question is asked again alone.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from voirdire.engine.threads import one_thread
from voirdire.errors import UsageError
from voirdire.formats.documents import id_array
from voirdire.formats.picture_features import PictureFeatures, read_picture_features
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.formats.vqa_results import VqaResults, write_vqa_results
from voirdire.models import CLOSE
from voirdire.models.network_file import TrainedNetwork, read_network
from voirdire.models.vqa_network import Part, rows_of
from voirdire.progress import Progress, silent

PICTURES, QUESTIONS, PAIRS = 32, 256, 256
"""How many are worked on at once."""

Int64 = npt.NDArray[np.int64]
Float32 = npt.NDArray[np.float32]


class VqaAnswerer:
    """A trained network with its features, for answering."""

    def __init__(self, trained: TrainedNetwork, features: PictureFeatures | None, name: str) -> None:
        trained.check_features(features, name)
        self.name, self.trained, self.features = name, trained, features
        self._network = trained.network()

    @classmethod
    def from_files(cls, network: str | Path, features: str | Path | None) -> "VqaAnswerer":
        """The network of a file, with a file of features where it sees."""
        read = None if features is None else read_picture_features(features)
        return cls(read_network(network), read, str(network))

    @property
    def identity(self) -> str:
        """What its answers depend on."""
        seen = "" if self.features is None else f", features {self.features.fingerprint}"
        return f"network {self.trained.fingerprint}{seen}"

    def scores(self, question: str, image: int) -> Float32:
        """The score of each class, of a question by itself."""
        with one_thread(), torch.inference_mode():
            pictures = self._of_pictures(np.array([image], np.int64))
            questions = self._network.of_question(torch.from_numpy(self.trained.vocabulary.padded([question])))
            alone: Float32 = self._network.join(questions, pictures).numpy()[0]
        return alone

    def log_likelihoods(self, question: str, image: int, answers: Sequence[str]) -> list[float]:
        """Of each answer as a class; one that is no class is less likely than all classes, by a nat."""
        likely = torch.from_numpy(self.scores(question, image)).double().log_softmax(0)
        places = {answer: place for place, answer in enumerate(self.trained.classes)}
        least = float(likely.min()) - 1.0
        return [float(likely[places[answer]]) if answer in places else least for answer in answers]

    def answer(self, questions: Sequence[str], images: Int64, progress: Progress = silent) -> list[str]:
        """The answer to each question about the image at its place."""
        texts = {text: number for number, text in enumerate(sorted(set(questions)))}
        text_of = np.array([texts[question] for question in questions], np.int64)
        answers, close = np.empty(len(questions), np.int64), np.zeros(len(questions), bool)
        with one_thread(), torch.inference_mode():
            parts = self._of_questions(list(texts))
            distinct = np.unique(images)
            order = np.lexsort((np.arange(len(images)), text_of, images))
            ends = np.searchsorted(images[order], distinct, side="right")
            done = 0
            for start in range(0, len(distinct), PICTURES):
                block = distinct[start : start + PICTURES]
                pictures = self._of_pictures(block)
                last = int(ends[min(start + PICTURES, len(distinct)) - 1])
                for at in range(done, last, PAIRS):
                    rows = order[at : min(at + PAIRS, last)]
                    place = torch.from_numpy(np.searchsorted(block, images[rows]))
                    scores = self._network.join(
                        rows_of(parts, torch.from_numpy(text_of[rows])), rows_of(pictures, place)
                    ).numpy()
                    answers[rows] = scores.argmax(1)
                    best = np.sort(scores, axis=1)[:, -2:]
                    close[rows] = best[:, -1] - best[:, 0] < CLOSE
                done = last
                progress(done, len(questions))
        for row in np.flatnonzero(close).tolist() if len(self.trained.classes) > 1 else ():
            answers[row] = self.scores(questions[row], int(images[row])).argmax()
        return [self.trained.classes[place] for place in answers.tolist()]

    def _of_pictures(self, images: Int64) -> Part:
        if self.features is None:
            return ()
        return self._network.of_picture(torch.from_numpy(self.features.of(images)))

    def _of_questions(self, texts: Sequence[str]) -> Part:
        """The parts of distinct questions, in their order."""
        parts: list[tuple[Tensor, ...]] = []
        for start in range(0, len(texts), QUESTIONS):
            padded = self.trained.vocabulary.padded(texts[start : start + QUESTIONS])
            parts.append(self._network.of_question(torch.from_numpy(padded)))
        return tuple(torch.cat(part) for part in zip(*parts, strict=True))


def answer_files(
    network: str | Path,
    questions: Sequence[str | Path],
    output: str | Path,
    features: str | Path | None = None,
    progress: Progress = silent,
) -> list[tuple[Path, int]]:
    """Answer the questions of files: results beside their number, in `output`, or in that folder for several files.

    The files are answered together: a picture's part is made once for all of them.
    """
    if len(questions) > 1:
        stems = [Path(path).name.removesuffix(".gz").removesuffix(".json") for path in questions]
        if twice := sorted({stem for stem in stems if stems.count(stem) > 1}):
            raise UsageError(f"`questions` must be files of different names, got {twice[0]} twice")
        targets = [Path(output) / f"{stem}_results.json" for stem in stems]
    else:
        targets = [Path(output)]
    answerer = VqaAnswerer.from_files(network, features)
    asked = [read_vqa_questions(path) for path in questions]
    texts = [text for file in asked for text in file.questions]
    images = np.concatenate([file.image_ids for file in asked])
    answers, first, written = answerer.answer(texts, images, progress), 0, []
    for file, target in zip(asked, targets, strict=True):
        own = tuple(answers[first : first + len(file)])
        target.parent.mkdir(parents=True, exist_ok=True)
        write_vqa_results(VqaResults(id_array(file.question_ids.tolist()), own), target)
        first += len(file)
        written.append((target, len(file)))
    return written
