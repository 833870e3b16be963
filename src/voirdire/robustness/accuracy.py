"""The accuracy of a model's answers by ten people's: of which question each answer is, how right it is, and as items.

    accuracy              official VQA accuracy; `accuracy:eq6` by eq. (6) of vqa-robustness
    accuracy_normalised   official accuracy of the short answer in each text, see `text.short_answers`
    sentences             share of the answers that are sentences, by the same rule
    commonest             official accuracy of the commonest answer to each type of question: for each question the
                          answer that people gave most often to all questions of its type
    above_commonest       = accuracy − commonest, both over the questions that the model answered

An answer to a question that is not annotated, and an annotated question without an answer, are errors; or they are left
out, counted and reported. Intervals draw whole images; that of a question type draws the images that have a question of
this type.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.formats.vqa_results import VqaResults
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.metrics.vqa_accuracy import EQ6, OFFICIAL, HumanAnswers, accuracies
from voirdire.options import SampleOptions
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import EXAM, SHORT_ANSWERS, AccuracyOptions
from voirdire.robustness.views import ACCURACY, BY_EQ6, COMMONEST, NORMALISED, SENTENCES, accuracy_views
from voirdire.runs import Run
from voirdire.runs.limit import Drawn, Limit, draw
from voirdire.runs.view import Coverage, cover, estimate_views
from voirdire.stats.aggregate import FloatArray
from voirdire.text.short_answers import RULE, is_sentence, short_answer

Asked = TypeVar("Asked", VqaQuestions, VqaResults)

MUCH = 0.5
"""The points of accuracy that short answers must change for a warning where few answers are sentences."""

SPLIT = "The annotations may be of another split, or of another dataset."


@dataclass(frozen=True, eq=False)
class Verdict:
    """A model's answers, judged.

    rows        of each annotated question the place of its answer, -1 where it has none
    official    accuracy of each annotated question in percent, NaN where it has no answer
    matches     how many of the ten people gave the answer, -1 where there is none
    warnings    what was left out
    normalised  accuracy of the short answer in each text (`text.short_answers`), where there is none as `official`
    coverage    how many of the annotated questions it has answers to
    sentences   whether each answer is a sentence, NaN where there is none
    wordy       a warning where answers are sentences, else empty
    """

    rows: npt.NDArray[np.int64]
    official: FloatArray
    matches: npt.NDArray[np.int64]
    warnings: tuple[str, ...]
    normalised: FloatArray
    coverage: Coverage
    sentences: FloatArray
    wordy: str = ""


@dataclass(frozen=True, eq=False)
class _Sentences:
    """The accuracies of short answers, which of the texts are sentences, and the mean as written."""

    accuracies: FloatArray
    are: npt.NDArray[np.bool_]
    as_written: float

    def warn(self, called: str) -> str:
        """Warn where many answers are sentences, or where that changes the figure."""
        total, mean, count = len(self.accuracies), float(self.accuracies.mean()), int(self.are.sum())
        if count < SHORT_ANSWERS.least * total:
            if abs(mean - self.as_written) < MUCH:
                return ""
            return (
                f"{called}: letter case and marks cost accuracy where all ten people wrote the same answer: "
                f"{self.as_written:.2f} % as written, {mean:.2f} % without them (accuracy_normalised)."
            )
        return (
            f"{called}: {count:,} of {total:,} answers ({100 * count / total:.0f} %) are written as "
            "sentences, which the official accuracy counts as wrong unless people wrote the same: "
            f"{self.as_written:.2f} % as written, {mean:.2f} % by the short answers in them (accuracy_normalised)."
        )


def warnings_of(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """All that was left out; and that answers are sentences, once, however many files have such answers."""
    verdicts = list(verdicts)
    sentences = [verdict.wordy for verdict in verdicts if verdict.wordy]
    more = f" So are those of {counted(len(sentences) - 1, 'more file')}." if len(sentences) > 1 else ""
    left_out = (warning for verdict in verdicts for warning in verdict.warnings)
    return (*left_out, *(f"{warning}{more}" for warning in sentences[:1]))


def limit_images(
    annotations: VqaAnnotations, options: Limit, asked: npt.NDArray[np.int64]
) -> tuple[Drawn, VqaAnnotations, Callable[[Asked], Asked]]:
    """The images that a limit takes, their annotations, and what takes their rows of files of questions or answers.

    asked  the ids of the questions that were asked or answered
    """
    drawn = draw(
        annotations.image_ids, options, covered=annotations.image_ids[np.isin(annotations.question_ids, asked)]
    )
    left = annotations.question_ids[~drawn.keeps(annotations.image_ids)]

    def of_questions(record: Asked) -> Asked:
        return record.only(np.flatnonzero(np.isin(record.question_ids, left, invert=True))) if len(left) else record

    return drawn, drawn.of(annotations), of_questions


class Judge:
    """Annotations made ready to judge several files of answers."""

    def __init__(self, annotations: VqaAnnotations, options: SampleOptions | None = None) -> None:
        if not len(annotations):
            called = annotations.name or "annotations"
            raise InputError(called, [Problem("", "annotations", "no question", "at least one")])
        self.annotations = annotations
        self.options = options or SampleOptions()
        self._people = HumanAnswers(annotations.answers, annotations.pool)
        self._order = np.argsort(annotations.question_ids, kind="stable")

    def judge(self, results: VqaResults, role: str, counts: bool = True) -> Verdict:
        """The accuracy of every answer.

        role    what messages say the file is
        counts  whether missing answers are counted as wrong in a figure of their own
        """
        called = f"{role} ({results.name})" if results.name else role
        ids = self.annotations.question_ids
        rows = np.full(len(ids), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(ids, results.question_ids, sorter=self._order), len(ids) - 1)
        asked = self._order[places]
        known = ids[asked] == results.question_ids
        rows[asked[known]] = np.flatnonzero(known)
        missing, extra = np.flatnonzero(rows < 0), np.flatnonzero(~known)
        coverage, warnings = cover(
            "question",
            ("annotations", called),
            len(ids),
            ids[missing].tolist(),
            results.question_ids[extra].tolist(),
            lambda id_: f"question {id_}",
            strict=self.options.strict,
            hint=SPLIT,
            of_model=counts,
        )
        answered = np.flatnonzero(rows >= 0)
        official, matches = np.full(len(ids), np.nan), np.full(len(ids), -1, dtype=np.int64)
        texts = [results.answers[row] for row in rows[answered].tolist()]
        matches[answered] = self._people.matches(texts, answered)
        official[answered] = accuracies(matches[answered], OFFICIAL)
        normalised, sentences = official.copy(), self._normalise(texts, answered, official)
        normalised[answered] = sentences.accuracies
        are = np.full(len(ids), np.nan)
        are[answered] = sentences.are
        return Verdict(rows, official, matches, warnings, normalised, coverage, are, sentences.warn(called))

    def commonest(self) -> FloatArray:
        """Of each question the official accuracy of the commonest answer to its type."""
        types = {kind: number for number, kind in enumerate(dict.fromkeys(self.annotations.question_types))}
        kinds = np.array([types[kind] for kind in self.annotations.question_types])
        return accuracies(self._people.commonest(kinds), OFFICIAL)

    def _normalise(self, texts: list[str], answered: npt.NDArray[np.intp], official: FloatArray) -> "_Sentences":
        """The accuracy of the short answers in texts; an answer that the rule leaves as it is keeps its own."""
        short = {text: short_answer(text) for text in dict.fromkeys(texts)}
        changed = np.array([short[text] != text for text in texts], dtype=bool)
        values = official[answered]
        if changed.any():
            taken = [short[text] for text, is_changed in zip(texts, changed.tolist(), strict=True) if is_changed]
            values[changed] = accuracies(self._people.matches(taken, answered[changed], processed=True), OFFICIAL)
        sentence = {text: is_sentence(text, taken) for text, taken in short.items()}
        are = np.array([sentence[text] for text in texts], dtype=bool)
        return _Sentences(values, are, float(official[answered].mean()))


def question_items(
    annotations: VqaAnnotations, kept: npt.NDArray[np.intp], accuracies: Mapping[Key, FloatArray]
) -> "pl.DataFrame":
    """One row per kept question: its ids, its types, and its accuracies by their keys, null where they are NaN."""
    ids: dict[str, npt.NDArray[np.generic] | list[str]] = {
        "image_id": annotations.image_ids[kept],
        "question_id": annotations.question_ids[kept],
        "answer_type": [annotations.answer_types[row] for row in kept.tolist()],
        "question_type": [annotations.question_types[row] for row in kept.tolist()],
    }
    values = {str(key): column[kept] for key, column in accuracies.items()}
    return pl.DataFrame({**ids, **values}).with_columns(pl.col(name).fill_nan(None) for name in values)


def with_texts(
    items: "pl.DataFrame",
    annotations: VqaAnnotations,
    kept: npt.NDArray[np.intp],
    given: Mapping[Key, tuple[VqaResults, Verdict]],
) -> "pl.DataFrame":
    """The items of the kept questions with a column of answers for each file that is given, null where it has none,
    and `humans`, the ten people's answers."""
    texts = [
        pl.Series(
            str(key),
            [results.answers[row] if row >= 0 else None for row in verdict.rows[kept].tolist()],
            dtype=pl.String,
        )
        for key, (results, verdict) in given.items()
    ]
    # Places in the pool rather than texts: a question's ten answers are made without a list of Python strings.
    answers = pl.Series(annotations.pool, dtype=pl.String).gather(annotations.answers[kept].reshape(-1))
    humans = answers.reshape((len(kept), annotations.answers.shape[1])).arr.to_list().alias("humans")
    return items.with_columns(*texts, humans)


def score_vqa(
    annotations: VqaAnnotations,
    clean: VqaResults,
    options: AccuracyOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """`accuracy`, `accuracy:eq6` and `accuracy_normalised` over all questions, by answer type, and by question type."""
    options = options or AccuracyOptions()
    drawn, annotations, of_images = limit_images(annotations, options, clean.question_ids)
    results = of_images(clean)
    judge = Judge(annotations, options)
    verdict = judge.judge(results, "results")
    kept, answered = np.arange(len(annotations)), np.flatnonzero(verdict.rows >= 0)
    by_eq6 = np.full(len(annotations), np.nan)
    by_eq6[answered] = accuracies(verdict.matches[answered], EQ6)
    columns = {
        ACCURACY.key: verdict.official,
        BY_EQ6.key: by_eq6,
        NORMALISED.key: verdict.normalised,
        SENTENCES.key: verdict.sentences,
        COMMONEST.key: judge.commonest(),
    }
    items = question_items(annotations, kept, columns)
    items = with_texts(items, annotations, kept, {Key("answer"): (results, verdict)})
    run = EXAM.run(
        "accuracy",
        options,
        items,
        estimate_views(accuracy_views(items, options), seed=options.seed),
        {"annotations": annotations.fingerprint},
        outputs={"results": results.fingerprint},
        tokeniser="official answer processing",
        changing={"normalised": RULE},
        warnings=warnings_of([verdict]),
        coverage=verdict.coverage,
    )
    return drawn.sign(run)
