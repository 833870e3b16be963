"""Answers by models that do not see the picture: rankings by CCA and its baselines, answers from train (CCA-AQ-G).

    cca-aq, cca-aqi  cosine of the projected question with each projected candidate (aqi: projections of three views)
    ncca-aq          the same without CCA: cosine of the vectors, each view's training mean subtracted
    nn-aq            −‖mean of the answers to the 100 nearest train questions − candidate‖, all by L2
    nn-aqi           the same, of the 100 only the 20 whose image is nearest by L2

A question is near by its own vector alone; the candidates of a round are ranked by these scores, equal ones in the
order of the file.

    near(q) = the first n train rounds by descending q·t            (correlation, for unit vectors)
              or by ascending ‖q − t‖² = ‖q‖² + ‖t‖² − 2 q·t        (L2)

Vectors are compared once for each distinct question, in blocks, so that no whole matrix of distances is held; the
rounds that ask it then follow each other in the order of the file. Every product has the same shape, the last block
being filled up with zeros.

    pool(q) = answers to the 100 train questions nearest to q        P(a) ∝ max(0, corr(q, a))

Answers are drawn from the pool with replacement, the nearest by correlation under the model. For these weights the
authors' public code takes answers as φ(a), questions as ψ(q): the training mean is subtracted from the questions alone.
So do we, unless `centred` asks for ψ(a), as rankings take it. Where no answer of a pool correlates positively all are
equally likely. The models nn-aq and nn-aqi, for which nothing is published, draw from theirs with equal chances.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from voirdire.answers.cca import Cca, open_sentences, unit_rows
from voirdire.answers.cca.projection import gather_dot
from voirdire.answers.cca.sentences import Sentences, sentences
from voirdire.answers.cca.training import train_vocabulary
from voirdire.answers.exam import BlindModel, PredictOptions
from voirdire.answers.rounds import rounds_of
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome, present
from voirdire.formats.features import Features
from voirdire.formats.generations import Generations, write_generations
from voirdire.formats.option_numbers import Ranks, write_rounds
from voirdire.formats.visdial import VisDial
from voirdire.progress import UNSEEN, Progress, Stages, silent

NEAREST, NEAREST_IMAGES = 100, 20
_CCA = ("cca",)
MADE_OF: Mapping[BlindModel, tuple[str, ...]] = {
    "cca-aq": _CCA,
    "cca-aqi": _CCA,
    "ncca-aq": _CCA,
    "nn-aq": ("train",),
    "nn-aqi": ("images", "train"),
}
NEEDED = {
    "cca": "a trained CCA",
    "images": "image features",
    "train": "the train dialogues, whose questions it looks up",
}
"""Inputs of which models are made, as a message names them."""
# Texts that are encoded at once.
BATCH = 16_384
# Questions that are compared at once, and questions of train.
ROWS, COLUMNS = 256, 8192

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
    """What a model is made of, for rankings and for answers."""

    model: BlindModel
    sentences: Sentences
    cca: Cca | None = None
    images: Features | None = None

    def __post_init__(self) -> None:
        _check_model(self.model, {"train", *present(cca=self.cca, images=self.images)})
        if self.cca is None:
            return
        views = len(self.cca.weights)
        if (self.model == "cca-aqi") != (views == 3) and self.model != "ncca-aq":
            kind = "with" if views == 3 else "without"
            raise UsageError(f"model {self.model} does not go with a CCA that was trained {kind} image features")

    def vectors(self, view: Literal["answer", "question"], texts: list[str], centred: bool = True) -> Float64:
        """The texts as the model compares them; not `centred`, with the training mean left in."""
        parts = [self._vectors(view, texts[start : start + BATCH], centred) for start in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.sentences.dimension))

    def _vectors(self, view: Literal["answer", "question"], texts: list[str], centred: bool) -> Float64:
        vectors = self.sentences.vectors(texts).astype(np.float64)
        if self.cca is None or self.model.startswith("nn"):
            return vectors
        mean = self.cca.means[self.cca.views.index(view)]
        if self.model == "ncca-aq":
            return unit_rows(vectors - mean if centred else vectors)
        # ψ is φ less the projected mean, so that ψ(x + mean) = φ(x).
        return unit_rows(self.cca.project(view, vectors if centred else vectors + mean))


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
    scored: Scored, visdial: VisDial, space: Space, train: VisDial, learnt: Space, progress: Progress
) -> tuple[Int64, Int64]:
    """Answered rounds of train near each asked question: (one row per distinct question, the row of each round).

    With images the row is the round's own, since its picture chooses among the nearest.
    """
    answered = np.flatnonzero(train.answer >= 0)
    if len(answered) < NEAREST:
        raise UsageError(f"`train` must have at least {NEAREST} rounds with an answer, got {len(answered)}")
    asked = learnt.question[train.question[answered]]
    by: Literal["l2", "correlation"] = "l2" if scored.model.startswith("nn") else "correlation"
    near = answered[nearest_rounds(space.questions, learnt.questions, asked, NEAREST, by, progress)]
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


def predict_ranks(scored: Scored, visdial: VisDial, train: VisDial | None = None, progress: Progress = silent) -> Ranks:
    """The ranking of every round that has candidates."""
    asked = np.flatnonzero(visdial.options[:, 0] >= 0)
    if not len(asked):
        raise InputError("dialogues", [Problem("", "", "no candidate answers in any round", "some to rank")])
    space = make_space(scored, visdial, visdial.options)
    candidates = space.answer[visdial.options[asked]]
    if scored.model.startswith("nn"):
        if train is None:
            raise _lacking(scored.model, "train")
        learnt = make_space(scored, train, train.answer)
        near, rows = neighbours_of(scored, visdial, space, train, learnt, progress)
        means = np.stack([learnt.answers[learnt.answer[train.answer[rounds]]].mean(axis=0) for rounds in near])
        products = gather_dot(means, rows[asked], space.answers, candidates)
        # ‖mean‖² is the same for all candidates of a round.
        scores = 2 * products - (space.answers**2).sum(axis=1)[candidates]
    else:
        anchor = space.question[visdial.question[asked]]
        scores = gather_dot(space.questions, anchor, space.answers, candidates)
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty(order.shape, np.int16)
    places = np.arange(1, order.shape[1] + 1, dtype=np.int16)
    np.put_along_axis(ranks, order, np.broadcast_to(places, order.shape), axis=1)
    return Ranks(*rounds_of(visdial, asked), ranks)


def nearest_rounds(
    queries: Float64,
    train: Float64,
    asked: Int64,
    n: int,
    by: Literal["correlation", "l2"],
    progress: Progress = silent,
) -> Int64:
    """int64[queries, n]: rounds of train, nearest first.

    queries  float64[q, d], distinct questions
    train    float64[t, d], distinct questions of train
    asked    the question of each round of train: a row of `train`
    """
    if len(asked) < n:
        raise ValueError(f"`asked` must have at least n = {n} rounds, got {len(asked)}")
    rounds = np.argsort(asked, kind="stable")
    times = np.bincount(asked, minlength=len(train))
    first = np.concatenate([[0], np.cumsum(times)])
    nearest = np.empty((len(queries), n), np.int64)
    progress(0, len(queries))
    for start in range(0, len(queries), ROWS):
        block = _filled(queries[start : start + ROWS], ROWS)
        questions = _nearest(block, train, min(n, len(train)), by)
        for row, near in enumerate(questions[: len(queries) - start]):
            parts = [rounds[first[question] : first[question + 1]] for question in near.tolist()]
            nearest[start + row] = np.concatenate(parts)[:n]
        progress(min(start + ROWS, len(queries)), len(queries))
    return nearest


def _nearest(block: Float64, train: Float64, n: int, by: Literal["correlation", "l2"]) -> Int64:
    """int64[ROWS, n]: distinct train questions, nearest first; of equally near ones the earlier first."""
    best = np.full((len(block), 0), 0.0)
    places = np.empty((len(block), 0), np.int64)
    for start in range(0, len(train), COLUMNS):
        columns = train[start : start + COLUMNS]
        products = (block @ _filled(columns, COLUMNS).T)[:, : len(columns)]
        far = -products if by == "correlation" else (columns**2).sum(axis=1) - 2 * products
        best = np.concatenate([best, far], axis=1)
        places = np.concatenate([places, np.tile(np.arange(start, start + len(columns)), (len(block), 1))], axis=1)
        if best.shape[1] > n:
            order = np.argpartition(best, n - 1, axis=1)[:, :n]
            # All that are as far as the last one kept, so that the earlier of them can be chosen.
            order = _earlier_first(best, places, order, n)
            best, places = np.take_along_axis(best, order, axis=1), np.take_along_axis(places, order, axis=1)
    order = np.lexsort((places, best), axis=1)
    return np.take_along_axis(places, order, axis=1)


def _earlier_first(best: Float64, places: Int64, chosen: Int64, n: int) -> Int64:
    """The chosen columns, but of columns as far as the farthest chosen one those of the earliest places."""
    limit = np.take_along_axis(best, chosen, axis=1).max(axis=1, keepdims=True)
    ties = (best == limit).sum(axis=1) > (np.take_along_axis(best, chosen, axis=1) == limit).sum(axis=1)
    for row in np.flatnonzero(ties).tolist():
        chosen[row] = np.lexsort((places[row], best[row]))[:n]
    return chosen


def _filled(rows: Float64, n: int) -> Float64:
    """The rows, with rows of zeros up to n."""
    if len(rows) == n:
        return rows
    return np.concatenate([rows, np.zeros((n - len(rows), rows.shape[1]))])


def generate(
    scored: Scored,
    visdial: VisDial,
    train: VisDial,
    k: int,
    generator: np.random.Generator,
    progress: Progress = silent,
    centred: bool = False,
) -> Generations:
    """k answers for every round; `centred` weighs them with the training mean subtracted from answers, too."""
    if k < 1:
        raise ValueError(f"`k` must be at least 1, got {k}")
    space, learnt = make_space(scored, visdial, None), make_space(scored, train, train.answer)
    near, rows = neighbours_of(scored, visdial, space, train, learnt, progress)
    pools = train.answer[near]
    if scored.model.startswith("nn"):
        weights = np.ones(pools.shape)
    else:
        every = np.arange(len(pools))
        used = np.flatnonzero(learnt.answer >= 0).tolist()
        answers = scored.vectors("answer", [train.answers[place] for place in used], centred)
        weights = np.maximum(gather_dot(space.questions, every, answers, learnt.answer[pools]), 0.0)
        weights[~(weights > 0).any(axis=1)] = 1.0
    shares = np.cumsum(weights, axis=1)
    drawn = generator.random((len(rows), k))
    texts: list[str] = []
    for round_, row in enumerate(rows.tolist()):
        # A draw is below the whole sum, so that it falls on an answer; one of weight 0 is never hit.
        places = np.searchsorted(shares[row], drawn[round_] * shares[row, -1], side="right")
        texts += [train.answers[int(place)] for place in pools[row, np.minimum(places, pools.shape[1] - 1)]]
    return Generations(*rounds_of(visdial), texts, np.arange(len(rows) + 1, dtype=np.int64) * k)


def check_prediction(given: Mapping[str, object], options: PredictOptions) -> None:
    """Refuse a call that writes nothing, or lacks what its model is made of."""
    if not {"ranks", "generations"} & given.keys():
        raise UsageError("nothing to write: give `ranks`, `generations` or both")
    if "generations" in given and "train" not in given:
        raise UsageError("generations are drawn from the answers of train: give `train`")
    _check_model(options.model, given)


def _check_model(model: BlindModel, given: Collection[str]) -> None:
    for name in MADE_OF[model]:
        if name not in given:
            raise _lacking(model, name)


def _lacking(model: BlindModel, name: str) -> UsageError:
    return UsageError(f"model {model} needs {NEEDED[name]}")


def predict_answers(
    visdial: VisDial,
    train: VisDial | None = None,
    cca: Cca | None = None,
    images: Features | None = None,
    *,
    options: PredictOptions,
    ranks: str | None = None,
    generations: str | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Write a model's rankings, answers or both for all rounds, in the official layouts."""
    check_prediction(present(train=train, cca=cca, images=images, ranks=ranks, generations=generations), options)
    if cca is not None:
        texts = open_sentences(cca, options.encoder)
    else:
        texts = sentences(options.encoder or "minilm", lambda: train_vocabulary(train))
    scored = Scored(options.model, texts, cca, images)
    lines = []
    # Nothing is written before everything is computed.
    ranked = None if ranks is None else predict_ranks(scored, visdial, train, stages("ranks", "questions"))
    if generations is not None and train is not None:
        generator = np.random.default_rng(options.seed)
        progress = stages("generations", "questions")
        generated = generate(scored, visdial, train, options.k, generator, progress, options.centred)
        write_generations(generated, generations)
        lines.append(f"{options.model}: {options.k} answers for each of {len(generated):,} rounds: {generations}")
    if ranks is not None and ranked is not None:
        write_rounds(ranked, ranks)
        asked = int((visdial.options[:, 0] >= 0).sum())
        lines.insert(0, f"{options.model}: ranks of {asked:,} rounds: {ranks}")
    return Outcome(tuple(lines))
