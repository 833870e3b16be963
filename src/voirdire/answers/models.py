"""Rankings without a look at the picture: CCA and its baselines.

    cca-aq, cca-aqi  cosine of the projected question with each projected candidate (aqi: projections of three views)
    ncca-aq          the same without CCA: cosine of the vectors, each view's training mean subtracted
    nn-aq            −‖mean of the answers to the 100 nearest train questions − candidate‖, all by L2
    nn-aqi           the same, of the 100 only the 20 whose image is nearest by L2

A question is near by its own vector alone; the candidates of a round are ranked by these scores, equal ones in the
order of the file.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from voirdire.answers.cca import Cca, unit_rows
from voirdire.answers.correlations import gather_dot
from voirdire.answers.neighbours import nearest_rounds
from voirdire.answers.sentences import Sentences
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.features import Features
from voirdire.formats.option_numbers import Ranks
from voirdire.formats.visdial import VisDial
from voirdire.reports import Report, silent

__all__ = ["NEAREST", "Model", "Scored", "Space", "make_space", "neighbours_of", "predict_ranks"]

Model = Literal["cca-aq", "cca-aqi", "ncca-aq", "nn-aq", "nn-aqi"]

NEAREST, NEAREST_IMAGES = 100, 20
# Texts that are encoded at once.
BATCH = 16_384

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Space:
    """Where questions and answers of some dialogues are compared.

    answers, questions  float64[texts used, d]: unit vectors for the models of correlation, plain ones for nn
    answer, question    of each text of the pools its row in them; -1 where it has none
    """

    answers: Float64
    questions: Float64
    answer: npt.NDArray[np.int32]
    question: Int64


@dataclass(frozen=True, eq=False)
class Scored:
    """What a model is made of, whatever it is to predict."""

    model: Model
    sentences: Sentences
    cca: Cca | None = None
    images: Features | None = None

    def __post_init__(self) -> None:
        if self.model.startswith("nn"):
            if self.model == "nn-aqi" and self.images is None:
                raise UsageError("model nn-aqi needs image features")
            return
        if self.cca is None:
            raise UsageError(f"model {self.model} needs a trained CCA")
        views = len(self.cca.weights)
        if (self.model == "cca-aqi") != (views == 3) and self.model != "ncca-aq":
            kind = "with" if views == 3 else "without"
            raise UsageError(f"model {self.model} does not go with a CCA that was trained {kind} image features")

    def vectors(self, view: Literal["answer", "question"], texts: list[str]) -> Float64:
        """The texts as the model compares them."""
        parts = [self._vectors(view, texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.sentences.dimension))

    def _vectors(self, view: Literal["answer", "question"], texts: list[str]) -> Float64:
        vectors = self.sentences.vectors(texts).astype(np.float64)
        if self.cca is None or self.model.startswith("nn"):
            return vectors
        if self.model == "ncca-aq":
            return unit_rows(vectors - self.cca.means[self.cca.views.index(view)])
        return unit_rows(self.cca.project(view, vectors))


def make_space(scored: Scored, visdial: VisDial, answers: npt.NDArray[np.int32] | None) -> Space:
    """The vectors of the questions that are asked and of `answers`, places in the pool of which some may be -1."""
    used_questions = np.unique(visdial.question)
    used_answers = np.empty(0, np.int64) if answers is None else np.unique(answers[answers >= 0])
    answer, question = np.full(len(visdial.answers), -1, np.int32), np.full(len(visdial.questions), -1)
    answer[used_answers], question[used_questions] = np.arange(len(used_answers)), np.arange(len(used_questions))
    return Space(
        scored.vectors("answer", [visdial.answers[place] for place in used_answers.tolist()]),
        scored.vectors("question", [visdial.questions[place] for place in used_questions.tolist()]),
        answer,
        question,
    )


def neighbours_of(
    scored: Scored, visdial: VisDial, space: Space, train: VisDial, learnt: Space, report: Report
) -> tuple[Int64, Int64]:
    """Answered rounds of train near each asked question: (one row a distinct question, the row of each round).

    With images the row is the round's own, since its picture chooses among the nearest.
    """
    answered = np.flatnonzero(train.answer >= 0)
    if len(answered) < NEAREST:
        found = f"{len(answered)} rounds with an answer"
        raise InputError("train dialogues", [Problem("", "", found, f"at least {NEAREST}")])
    asked = learnt.question[train.question[answered]]
    by: Literal["l2", "correlation"] = "l2" if scored.model.startswith("nn") else "correlation"
    near = answered[nearest_rounds(space.questions, learnt.questions, asked, NEAREST, by, report)]
    rows = space.question[visdial.question]
    if scored.model != "nn-aqi" or scored.images is None:
        return near, rows
    images = scored.images
    of_train = images.rows(train.image_ids)[train.round_dialogues()]
    of_round = images.rows(visdial.image_ids)[visdial.round_dialogues()]
    nearest = np.empty((len(rows), NEAREST_IMAGES), np.int64)
    for round_, row in enumerate(rows.tolist()):
        apart = images.features[of_train[near[row]]].astype(np.float64) - images.features[of_round[round_]]
        order = np.argsort((apart**2).sum(axis=1), kind="stable")[:NEAREST_IMAGES]
        nearest[round_] = near[row][order]
    return nearest, np.arange(len(rows))


def predict_ranks(scored: Scored, visdial: VisDial, train: VisDial | None = None, report: Report = silent) -> Ranks:
    """The ranking of every round that has candidates."""
    asked = np.flatnonzero(visdial.options[:, 0] >= 0)
    if not len(asked):
        raise InputError("dialogues", [Problem("", "", "no candidate answers in any round", "100 a round")])
    space = make_space(scored, visdial, visdial.options)
    candidates = space.answer[visdial.options[asked]]
    if scored.model.startswith("nn"):
        if train is None:
            raise UsageError(f"model {scored.model} needs the train dialogues, whose questions it looks up")
        learnt = make_space(scored, train, train.answer)
        near, rows = neighbours_of(scored, visdial, space, train, learnt, report)
        means = np.stack([learnt.answers[learnt.answer[train.answer[rounds]]].mean(axis=0) for rounds in near])
        products = gather_dot(means, rows[asked], space.answers, candidates)
        # ‖mean‖² is the same for all candidates of a round.
        scores = 2 * products - (space.answers**2).sum(axis=1)[candidates]
    else:
        anchor = space.question[visdial.question[asked]]
        scores = gather_dot(space.questions, anchor, space.answers, candidates)
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty(order.shape, np.int16)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(1, 101, dtype=np.int16), order.shape), axis=1)
    images = visdial.image_ids[visdial.round_dialogues()[asked]]
    return Ranks(images, visdial.round_numbers()[asked], ranks)
