"""VQA accuracy of one file of answers: official, by eq. (6) and normalised, by answer type and by question type.

    accuracy_normalised   official accuracy of the short answer in each text, see `text.short_answers`

Intervals draw whole images. The interval of a question type draws the images that have a question of this type.
"""

import numpy as np

from voirdire._version import __version__
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults
from voirdire.metrics.key import Key
from voirdire.metrics.vqa_accuracy import EQ6, accuracies
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import AccuracyOptions
from voirdire.robustness.judging import Judge, limited, question_items, warnings_of, with_texts
from voirdire.robustness.views import ACCURACY, BY_EQ6, NORMALISED, accuracy_views
from voirdire.runs import Run, Signature
from voirdire.runs.view import estimate_views
from voirdire.text.short_answers import RULE


def score_vqa(
    annotations: VqaAnnotations,
    clean: VqaResults,
    options: AccuracyOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """`accuracy`, `accuracy:eq6` and `accuracy_normalised` over all questions, by answer type, and by question type."""
    options = options or AccuracyOptions()
    drawn, annotations, of_images = limited(annotations, options, clean.question_ids)
    results = of_images(clean)
    verdict = Judge(annotations, options).judge(results, "results")
    kept, answered = np.arange(len(annotations)), np.flatnonzero(verdict.rows >= 0)
    by_eq6 = np.full(len(annotations), np.nan)
    by_eq6[answered] = accuracies(verdict.matches[answered], EQ6)
    columns = {ACCURACY.key: verdict.official, BY_EQ6.key: by_eq6, NORMALISED.key: verdict.normalised}
    items = question_items(annotations, kept, columns)
    items = with_texts(items, annotations, kept, {Key("answer"): (results, verdict)})
    data = {"annotations": annotations.fingerprint}
    run = Run(
        exam="robustness",
        part="accuracy",
        options=options.plain(),
        items=items,
        measures=estimate_views(accuracy_views(items, options), seed=options.seed),
        signature=Signature(
            version=__version__,
            data=data,
            seed=options.seed,
            tokeniser="official answer processing",
            options={"normalised": RULE},
        ),
        fingerprints=data | {"results": results.fingerprint},
        warnings=warnings_of([verdict]),
        coverage=verdict.coverage,
    )
    return drawn.told(run)
