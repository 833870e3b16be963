"""What the figures of this exam's runs are made of: questions, drawn by image; and the measures that it has.

    accuracy:partitionP   mean official VQA accuracy on partition P, in percent
    drop:partitionP       = accuracy − accuracy:partitionP over the questions that have both (vqa-robustness, eq. 7)
    r_score:partitionP    see `metrics.r_score`; `r_score` is that of partition 1, as published
    trend_p               Page's test that accuracy falls from the first partition to the last

Between two models the accuracies, the drops and the R_scores are compared; accuracy and the drop under the nearest
questions also by the type of the answer and of the question.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from voirdire.exam import views_of
from voirdire.metrics.measure import Key, Measure, of_means
from voirdire.metrics.r_score import both, r_score_measure
from voirdire.metrics.vqa_accuracy import VQA_ACCURACY
from voirdire.robustness.exam import PARTITIONS, AccuracyOptions, RobustnessOptions
from voirdire.runs import Run
from voirdire.runs.estimate import Measures, estimate
from voirdire.runs.view import Role, View

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ACCURACY",
    "ACCURACY_MEASURES",
    "ANSWER_TYPE",
    "ANSWER_TYPES",
    "BY_EQ6",
    "CONTROL",
    "DROP",
    "NEAREST",
    "QUESTION_TYPE",
    "R_SCORE",
    "SCORE_MEASURES",
    "TREND_MEASURES",
    "TREND_P",
    "accuracy_views",
    "conditions_in",
    "figures_by_type",
    "partition",
    "question_type_key",
    "score_views",
]

ANSWER_TYPES = ("yes/no", "number", "other")
ANSWER_TYPE, QUESTION_TYPE = FACETS = ("answer_type", "question_type")
UNIT, NOUN, CLUSTERS = ("question_id",), "question", "image_id"
CONTROL = "control"
"""The condition in which random questions of the pool were added."""

ACCURACY = replace(VQA_ACCURACY, leads=1, description="accuracy, official VQA definition")
DROP = Measure(
    key=Key("drop"),
    statistic=both,
    # Of the two means and not of the differences: the resampled sums are then those of R_score, made once.
    aggregate=of_means(np.subtract, 2, "drop"),
    better="lower",
    unit="points",
    of=("accuracy", "noisy"),
    description="points lost when three related questions are added",
    citation="vqa-robustness, eq. 7",
    leads=2,
)
R_SCORE = replace(r_score_measure("accuracy", "noisy"), leads=3)
TREND_P = Measure.figure(
    "trend_p",
    "neither",
    "p",
    label="p of a fall over partitions",
    description="Page's test that accuracy falls from the first partition to the last",
    citation="page-trend",
)
BY_EQ6 = ACCURACY.variant("eq6", of=("accuracy:eq6",), citation="vqa-robustness, eq. 6")

SCORE_MEASURES = (ACCURACY, DROP, R_SCORE, TREND_P)
ACCURACY_MEASURES = (ACCURACY,)
TREND_MEASURES = (ACCURACY, TREND_P)


def partition(number: int) -> str:
    """The condition in which the questions of a partition were added, 1 for the nearest."""
    return f"partition{number}"


NEAREST = partition(1)
"""The questions most like the main one: R_score is that of this partition."""


def conditions_in(keys: Iterable[Key]) -> list[str]:
    """The noisy conditions of accuracies: partitions in their order, then the random questions."""
    found = {key.condition for key in keys if key.measure == ACCURACY.key.measure and not key.slice}
    order = [*(partition(number) for number in range(1, PARTITIONS + 1)), CONTROL]
    return [condition for condition in order if condition in found]


def score_views(items: "pl.DataFrame", options: RobustnessOptions) -> tuple[View]:
    """Of `robustness score`: accuracy as it is and in every condition, its drop and what is kept of it."""
    conditions = conditions_in(map(Key.parse, items.columns))
    clean = ACCURACY.name

    def under(measure: Measure, condition: str) -> Measure:
        return measure.under(condition, of=(clean, ACCURACY.under(condition).name))

    score = r_score_measure(clean, ACCURACY.under(NEAREST).name, options.t, options.m)
    by_type = [ACCURACY.slice(ANSWER_TYPE, kind) for kind in _answer_types(items)]
    measures = (
        ACCURACY,
        *by_type,
        *(ACCURACY.under(name, of=(ACCURACY.under(name).name,)) for name in conditions),
        *(under(DROP, name) for name in conditions),
        score,
        *(under(score, name) for name in conditions if name != CONTROL),
    )
    roles: dict[Key, Role] = _compared(by_type) | {ACCURACY.key: "headline", DROP.key.under(NEAREST): "headline"}
    return (View(items, measures, UNIT, NOUN, CLUSTERS, roles, FACETS, FACETS),)


def accuracy_views(items: "pl.DataFrame", options: AccuracyOptions) -> tuple[View, ...]:
    """Of `robustness accuracy`: both definitions over all questions and by answer type, then by question type."""
    import polars as pl

    definitions = (ACCURACY, BY_EQ6)
    by_type = [one.slice(ANSWER_TYPE, kind) for kind in _answer_types(items) for one in definitions]
    roles: dict[Key, Role] = _compared(by_type) | {ACCURACY.key: "headline"}
    views = [View(items, (*definitions, *by_type), UNIT, NOUN, CLUSTERS, roles, FACETS, FACETS)]
    for kind in sorted(set(items[QUESTION_TYPE])):
        (name,) = question_type_key(kind).slice
        some = items.filter(pl.col(QUESTION_TYPE) == kind).with_columns(pl.lit(name).alias(QUESTION_TYPE))
        slices = tuple(one.slice(QUESTION_TYPE, name) for one in definitions)
        # Two runs are compared on all images at once, so these are cut from the first view by facet.
        views.append(View(some, slices, UNIT, NOUN, CLUSTERS, dict.fromkeys((one.key for one in slices), "aside")))
    return tuple(views)


def question_type_key(kind: str) -> Key:
    """The key of accuracy by question type; one may be called as an answer type is, in files that are not official."""
    return ACCURACY.key.on(f"question type {kind}" if kind in ANSWER_TYPES else kind)


def figures_by_type(run: Run, facet: str) -> Measures:
    """Figures of a run of `robustness score` by type of answer or of question, which it has no measures for.

    By answer type accuracy in all noisy conditions, by question type accuracy without noise; the drop under the nearest
    questions by either. The images that have a question of the type are drawn.
    """
    (view,) = views_of(run)
    drop = DROP.key.under(NEAREST)
    noisy = [ACCURACY.key.under(condition) for condition in conditions_in(run.measures)]
    wanted = [drop, *noisy] if facet == ANSWER_TYPE else [ACCURACY.key, drop]
    measures = {measure.key: measure for measure in view.measures}
    found = Measures()
    for (kind,), items in view.items.group_by(facet, maintain_order=True):
        some = [measures[key] for key in wanted]
        figures = estimate(items, some, seed=run.signature.seed or 0, clusters=view.clusters)
        found |= {key.on(str(kind)): figure for key, figure in figures.items()}
    return found


def _answer_types(items: "pl.DataFrame") -> list[str]:
    held = set(items[ANSWER_TYPE])
    return [kind for kind in ANSWER_TYPES if kind in held]


def _compared(slices: Sequence[Measure]) -> dict[Key, Role]:
    """One of the two definitions is enough to compare by type."""
    return {measure.key: "aside" if measure.key.variant else "slice" for measure in slices}
