"""VQA accuracy of one file of answers: official and by eq. (6), by answer type and by question type.

Intervals draw whole images. The interval of a question type draws the images that have a question of this type.
"""

from dataclasses import asdict, dataclass, replace

import numpy as np

from voirdire._version import __version__
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults
from voirdire.metrics.measure import Measure
from voirdire.metrics.vqa_accuracy import EQ6, VQA_ACCURACY, accuracies
from voirdire.robustness.answer_texts import with_texts
from voirdire.robustness.joining import Judge
from voirdire.robustness.scoring import ANSWER_TYPES, question_frame
from voirdire.runs import Run, Signature, estimate

__all__ = ["AccuracyOptions", "score_vqa"]

BY_EQ6 = VQA_ACCURACY.variant(":eq6", of=("accuracy:eq6",), citation="vqa-robustness, eq. 6")


@dataclass(frozen=True)
class AccuracyOptions:
    """common: leave out questions that one of the files lacks; seed: of the resamples."""

    common: bool = False
    seed: int = 0


def score_vqa(annotations: VqaAnnotations, results: VqaResults, options: AccuracyOptions | None = None) -> Run:
    """`accuracy` and `accuracy:eq6` over all questions, by answer type, and by question type."""
    import polars as pl

    options = options or AccuracyOptions()
    verdict = Judge(annotations, options.common).judge(results, "results")
    kept = np.flatnonzero(verdict.rows >= 0)
    by_eq6 = np.full(len(annotations), np.nan)
    by_eq6[kept] = accuracies(verdict.matches[kept], EQ6)
    frame = question_frame(annotations, kept, {"accuracy": verdict.official, "accuracy:eq6": by_eq6})
    items = with_texts(frame, annotations, kept, {"answer": (results, verdict)})
    answer_types = [kind for kind in ANSWER_TYPES if kind in set(items["answer_type"])]
    both = (VQA_ACCURACY, BY_EQ6)
    measures = [*both, *(_sliced(one, "answer_type", kind) for kind in answer_types for one in both)]
    figures = estimate(items, measures, seed=options.seed, clusters="image_id")
    for kind in sorted(set(items["question_type"])):
        # A type may be called as an answer type is, in files that are not the official ones.
        name = f"question type {kind}" if kind in ANSWER_TYPES else kind
        part = items.filter(pl.col("question_type") == kind).with_columns(pl.lit(name).alias("question_type"))
        slices = [_sliced(one, "question_type", name) for one in both]
        figures |= estimate(part, slices, seed=options.seed, clusters="image_id")
    data = {"annotations": annotations.fingerprint}
    return Run(
        exam="robustness",
        part="accuracy",
        options=asdict(options),
        items=items,
        measures=figures,
        signature=Signature(version=__version__, data=data, seed=options.seed, tokeniser="official answer processing"),
        fingerprints=data | {"results": results.fingerprint},
        warnings=verdict.warnings,
    )


def _sliced(measure: Measure, column: str, kind: str) -> Measure:
    """`accuracy[yes/no]:eq6`: the slice stands before the variant."""
    base, _, variant = measure.name.partition(":")
    name = f"{base}[{kind}]" + (f":{variant}" if variant else "")
    return replace(measure, name=name, where=(column, kind))
