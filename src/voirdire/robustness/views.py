"""What the figures of this exam's runs are made of: questions, drawn by image.

Between two models the accuracies, the drops and the R_scores are compared; accuracy and the drop under the nearest
questions also by the type of the answer and of the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from voirdire.metrics.measure import Measure, of_means
from voirdire.metrics.r_score import both, r_score_measure
from voirdire.metrics.vqa_accuracy import VQA_ACCURACY
from voirdire.runs.view import Role, View

if TYPE_CHECKING:
    import polars as pl

__all__ = ["accuracy_views", "score_views"]

ANSWER_TYPES = ("yes/no", "number", "other")
UNIT, CLUSTERS, FACETS = ("question_id",), "image_id", ("answer_type", "question_type")
NEAREST = "partition1"
EQ6 = ":eq6"
HEADLINE: Role = "headline"
ASIDE: Role = "aside"

DROP = Measure(
    name="drop",
    statistic=both,
    # Of the two means and not of the differences: the resampled sums are then those of R_score, made once.
    aggregate=of_means(np.subtract, 2, "drop"),
    better="lower",
    unit="%",
    of=("accuracy", "noisy"),
    description="accuracy lost under noise",
    citation="vqa-robustness, eq. 7",
)
BY_EQ6 = VQA_ACCURACY.variant(EQ6, of=("accuracy:eq6",), citation="vqa-robustness, eq. 6")


def score_views(items: "pl.DataFrame", options: Mapping[str, Any]) -> tuple[View]:
    """Of `robustness score`: accuracy as it is and in every condition, its drop and what is kept of it."""
    columns = {name.partition(":")[2]: name for name in items.columns if name.startswith("accuracy:")}
    score = r_score_measure("accuracy", columns[NEAREST], options["t"], options["m"])
    by_type = [VQA_ACCURACY.slice("answer_type", kind) for kind in _answer_types(items)]
    measures = (
        VQA_ACCURACY,
        *by_type,
        *(VQA_ACCURACY.variant(f":{name}", of=(column,)) for name, column in columns.items()),
        *(DROP.variant(f":{name}", of=("accuracy", column)) for name, column in columns.items()),
        score,
        *(score.variant(f":{name}", of=("accuracy", column)) for name, column in columns.items() if name != "control"),
    )
    roles = _compared(by_type) | {VQA_ACCURACY.name: HEADLINE, f"{DROP.name}:{NEAREST}": HEADLINE}
    return (View(items, measures, UNIT, CLUSTERS, roles, FACETS, FACETS),)


def accuracy_views(items: "pl.DataFrame", options: Mapping[str, Any]) -> tuple[View, ...]:
    """Of `robustness accuracy`: both definitions over all questions and by answer type, then by question type."""
    import polars as pl

    definitions = (VQA_ACCURACY, BY_EQ6)
    by_type = [_sliced(one, "answer_type", kind) for kind in _answer_types(items) for one in definitions]
    roles = _compared(by_type) | {VQA_ACCURACY.name: HEADLINE}
    views = [View(items, (*definitions, *by_type), UNIT, CLUSTERS, roles, FACETS, FACETS)]
    for kind in sorted(set(items["question_type"])):
        # A type may be called as an answer type is, in files that are not the official ones.
        name = f"question type {kind}" if kind in ANSWER_TYPES else kind
        some = items.filter(pl.col("question_type") == kind).with_columns(pl.lit(name).alias("question_type"))
        slices = tuple(_sliced(one, "question_type", name) for one in definitions)
        # Two runs are compared on all images at once, so these are cut from the first view by facet.
        views.append(View(some, slices, UNIT, CLUSTERS, dict.fromkeys((one.name for one in slices), ASIDE)))
    return tuple(views)


def _answer_types(items: "pl.DataFrame") -> list[str]:
    held = set(items["answer_type"])
    return [kind for kind in ANSWER_TYPES if kind in held]


def _compared(slices: Sequence[Measure]) -> dict[str, Role]:
    """One of the two definitions is enough to compare by type."""
    return {measure.name: "aside" if measure.name.endswith(EQ6) else "slice" for measure in slices}


def _sliced(measure: Measure, column: str, kind: str) -> Measure:
    """`accuracy[yes/no]:eq6`: the slice stands before the variant."""
    base, _, variant = measure.name.partition(":")
    name = f"{base}[{kind}]" + (f":{variant}" if variant else "")
    return replace(measure, name=name, where=(column, kind))
