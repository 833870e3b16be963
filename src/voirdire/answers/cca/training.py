"""The training of CCA-AQ, CCA-AQ* and CCA-AQI, and the pairs that each is trained on.

CCA-AQ    each question with its ground-truth answer
CCA-AQ*   each question of an annotated round with every answer of H
CCA-AQI   either, with the features of the image as a third view

Pairs of any other reference sets are taken the same way.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from voirdire.answers.cca import Cca, solve, write_cca
from voirdire.answers.cca.moments import DistinctMoments, TokenMoments
from voirdire.answers.cca.sentences import Sentences, WordSentences, sentences, vocabulary
from voirdire.answers.exam import CcaOptions, SetOptions, TrainOptions
from voirdire.answers.references import reference_sets
from voirdire.answers.rounds import without_truth
from voirdire.errors import UsageError
from voirdire.exam import Outcome, present
from voirdire.formats.features import Features
from voirdire.formats.option_numbers import Dense
from voirdire.formats.references import References
from voirdire.formats.visdial import VisDial
from voirdire.progress import UNSEEN, Stages

CHUNK = 1_000_000
# Texts after which progress is reported.
PIECE = 8192

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Question-answer pairs as places in two lists of texts.

    images  the image of each pair
    source  what they are, for the model's file
    data    the files that they came from
    """

    answers: Sequence[str]
    questions: Sequence[str]
    answer: npt.NDArray[np.integer]
    question: npt.NDArray[np.integer]
    images: Int64
    source: str
    data: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.answer)


def pairs_of_ground_truths(visdial: VisDial) -> Pairs:
    """Every round's question with its answer; rounds without an answer have no pair."""
    rows = np.flatnonzero(visdial.answer >= 0)
    images = visdial.image_ids[visdial.round_dialogues()[rows]]
    data = {"visdial": visdial.fingerprint}
    places = visdial.answer[rows], visdial.question[rows]
    return Pairs(visdial.answers, visdial.questions, *places, images, "ground truths", data)


def pairs_of_references(references: References, source: str = "reference sets") -> Pairs:
    """Every round's question with each answer of its set."""
    answers: dict[str, int] = {}
    questions: dict[str, int] = {}
    sizes = np.diff(references.first)
    answer = np.fromiter((answers.setdefault(text, len(answers)) for text in references.texts), np.int32)
    question = np.fromiter((questions.setdefault(text, len(questions)) for text in references.questions), np.int32)
    images = np.repeat(references.image_ids, sizes)
    data = {"references": references.fingerprint}
    return Pairs(list(answers), list(questions), answer, np.repeat(question, sizes), images, source, data)


def check_training(given: Mapping[str, object], options: TrainOptions | None = None) -> None:
    """Refuse a call without pairs to train on, or with two kinds of them."""
    if "references" in given and "dense" in given:
        raise UsageError("reference sets and dense annotations exclude each other: the sets are made of them already")
    if not {"references", "visdial"} & given.keys():
        raise UsageError("give the dialogues to train on (`visdial`) or reference sets (`references`)")


def training_pairs(
    visdial: VisDial | None, dense: Dense | None, references: References | None, human: bool = False
) -> tuple[Pairs, tuple[str, ...]]:
    """The pairs of these files, and warnings.

    human  whether people made the reference sets
    """
    check_training(present(visdial=visdial, dense=dense, references=references))
    if references is not None:
        source = "human reference sets" if human else "reference sets"
        return pairs_of_references(references, source), tuple(without_truth(references))
    assert visdial is not None
    if dense is None:
        return pairs_of_ground_truths(visdial), ()
    sets, warnings = reference_sets(visdial, SetOptions("H"), dense=dense)
    pairs = pairs_of_references(sets, "human reference sets")
    return replace(pairs, data={"visdial": visdial.fingerprint, "dense": dense.fingerprint}), warnings


def train_vocabulary(visdial: VisDial | None, references: References | None = None) -> list[str]:
    """The words of train: its captions, questions and ground-truth answers.

    Reference sets, which have no captions, are looked at only where there are no dialogues.
    """
    if visdial is None:
        if references is None:
            raise UsageError("a table of word vectors needs the words of train: give its dialogues")
        return vocabulary(Counter(chain(references.questions, references.gt_answers)).items())

    def texts() -> Iterator[tuple[str, int]]:
        for caption in visdial.captions:
            yield caption, 1
        for pool, places in ((visdial.questions, visdial.question), (visdial.answers, visdial.answer)):
            times = np.bincount(places[places >= 0], minlength=len(pool))
            for place in np.flatnonzero(times).tolist():
                yield pool[place], int(times[place])

    return vocabulary(texts())


def train(
    pairs: Pairs,
    sentences: Sentences,
    options: CcaOptions | None = None,
    images: Features | None = None,
    stages: Stages = UNSEEN,
) -> Cca:
    """The CCA of the pairs, with two views or, where image features are given, three."""
    if len(pairs) < 2:
        raise UsageError(f"a CCA needs at least two question-answer pairs; there are {len(pairs)}")
    (used_answers, answer), (used_questions, question) = _used(pairs.answer), _used(pairs.question)
    answers = [pairs.answers[place] for place in used_answers]
    questions = [pairs.questions[place] for place in used_questions]
    places = [answer, question]
    total = len(answers) + len(questions)
    encoding, adding = stages("encode", "texts"), stages("add", "pairs")
    encoding(0, total)
    moments: TokenMoments | DistinctMoments
    if isinstance(sentences, WordSentences) and images is None:
        moments = TokenMoments(sentences.table, sentences.bags(answers), sentences.bags(questions))
        encoding(total, total)
    else:
        views = [
            _vectors(sentences, answers, lambda done: encoding(done, total)),
            _vectors(sentences, questions, lambda done: encoding(len(answers) + done, total)),
        ]
        if images is not None:
            views.append(images.features)
            places.append(images.rows(pairs.images))
        moments = DistinctMoments(views)
    for start in range(0, len(pairs), CHUNK):
        moments.add(*(view[start : start + CHUNK] for view in places))
        adding(min(start + CHUNK, len(pairs)), len(pairs))
    sums = moments.moments()
    if not np.isfinite(sums.covariance()).all():
        raise UsageError("the products of the vectors are too large for a number: look for huge ones in the features")
    for view, name in zip(sums.views(), ("answers", "questions", "images"), strict=False):
        if not np.diagonal(sums.covariance())[view].max() > 1e-15 * max(1.0, float(np.abs(sums.mean[view]).max())):
            who = "images" if name == "images" else "encoder"
            raise UsageError(
                f"`{who}` gives all {name} of the training pairs the same vector: nothing can be correlated"
            )
    data = dict(pairs.data) | ({"images": images.fingerprint} if images is not None else {})
    return replace(
        solve(sums, options),
        encoder=sentences.spec,
        signature=sentences.signature,
        words=sentences.words,
        source=pairs.source,
        data=data,
    )


def _vectors(sentences: Sentences, texts: list[str], done: Callable[[int], None]) -> npt.NDArray[np.floating]:
    """The vectors of all texts, with progress piece by piece."""
    rows: npt.NDArray[np.floating] | None = None
    for start in range(0, len(texts), PIECE):
        piece = sentences.vectors(texts[start : start + PIECE])
        rows = np.empty((len(texts), piece.shape[1]), piece.dtype) if rows is None else rows
        rows[start : start + PIECE] = piece
        done(start + len(piece))
    return np.empty((0, sentences.dimension)) if rows is None else rows


def _used(places: npt.NDArray[np.integer]) -> tuple[list[int], Int64]:
    """The places that occur, and each place as a number among them."""
    used, inverse = np.unique(places, return_inverse=True)
    return used.tolist(), inverse.astype(np.int64)


def train_cca(
    visdial: VisDial | None = None,
    dense: Dense | None = None,
    references: References | None = None,
    images: Features | None = None,
    *,
    options: TrainOptions,
    output: str,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Train a CCA on what is given and write it."""
    pairs, warnings = training_pairs(visdial, dense, references, options.human)
    texts = sentences(options.encoder, lambda: train_vocabulary(visdial, references))
    form = CcaOptions(**{field.name: getattr(options, field.name) for field in fields(CcaOptions)})
    cca = train(pairs, texts, form, images, stages)
    write_cca(cca, output)
    kept = len(cca.eigenvalues)
    if kept < options.k:
        warnings += (f"The views have rank {kept}: fewer components than the {options.k} asked for.",)
    line = (
        f"{cca.pairs:,} pairs ({cca.source}), {len(cca.weights)} views, {kept} components, "
        f"first correlation {cca.correlations[0]:.4f}: {output}"
    )
    return Outcome((line,), warnings=warnings)
