"""VQA accuracy of one file of answers: official and by eq. (6), by answer type and by question type.

Intervals draw whole images. The interval of a question type draws the images that have a question of this type.
"""

from dataclasses import asdict, dataclass

import numpy as np

from voirdire._version import __version__
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults
from voirdire.metrics.vqa_accuracy import EQ6, accuracies
from voirdire.robustness.answer_texts import with_texts
from voirdire.robustness.joining import Judge
from voirdire.robustness.scoring import question_frame
from voirdire.robustness.views import accuracy_views
from voirdire.runs import Run, Signature
from voirdire.runs.view import estimate_views

__all__ = ["AccuracyOptions", "score_vqa"]


@dataclass(frozen=True)
class AccuracyOptions:
    """common: leave out questions that one of the files lacks; seed: of the resamples."""

    common: bool = False
    seed: int = 0


def score_vqa(annotations: VqaAnnotations, results: VqaResults, options: AccuracyOptions | None = None) -> Run:
    """`accuracy` and `accuracy:eq6` over all questions, by answer type, and by question type."""
    options = options or AccuracyOptions()
    verdict = Judge(annotations, options.common).judge(results, "results")
    kept = np.flatnonzero(verdict.rows >= 0)
    by_eq6 = np.full(len(annotations), np.nan)
    by_eq6[kept] = accuracies(verdict.matches[kept], EQ6)
    frame = question_frame(annotations, kept, {"accuracy": verdict.official, "accuracy:eq6": by_eq6})
    items = with_texts(frame, annotations, kept, {"answer": (results, verdict)})
    figures = estimate_views(accuracy_views(items, asdict(options)), seed=options.seed)
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
