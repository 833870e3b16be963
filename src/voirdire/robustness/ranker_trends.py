"""Whose order of basic questions makes sense? One model's accuracy by partition under several rankers, side by side.

    accuracy[R]:partitionP   mean official VQA accuracy on partition P of ranker R, in percent
    trend_p[R]               Page's test that it falls from the first partition to the last, questions as rows
    trend_p[R]:holm          the same, corrected for as many tests as there are rankers

All figures are over the same questions: those that every partition of every ranker has (vqa-robustness, Figures 6 and
9). A ranker orders by noise if accuracy falls; one without a trend has not put the disturbing questions last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults
from voirdire.metrics.vqa_accuracy import VQA_ACCURACY
from voirdire.reports import Report, silent
from voirdire.robustness.joining import Judge, Verdict
from voirdire.robustness.noise import PARTITIONS
from voirdire.robustness.scoring import ORDERED, question_frame, trend
from voirdire.runs import Run, Signature, estimate
from voirdire.runs.estimate import Estimate
from voirdire.stats import holm

__all__ = ["TrendOptions", "compare_rankers"]


@dataclass(frozen=True)
class TrendOptions:
    """common: take the questions that all files have; otherwise a missing one is an error. seed: of the resamples."""

    common: bool = False
    seed: int = 0


def compare_rankers(
    annotations: VqaAnnotations,
    rankings: Mapping[str, Sequence[VqaResults]],
    clean: VqaResults | None = None,
    options: TrendOptions | None = None,
    *,
    report: Report = silent,
) -> Run:
    """Compare rankers by one model's answers: for each its name, and the answers to its partitions in order.

    report  told after each file that is judged, and after the intervals
    """
    options = options or TrendOptions()
    if not rankings:
        raise UsageError("give the answers under at least one ranker")
    for name, answers in rankings.items():
        if not ORDERED <= len(answers) <= PARTITIONS:
            raise UsageError(f"ranker {name}: {len(answers)} partitions; a trend needs {ORDERED} to {PARTITIONS}")
    judge = Judge(annotations, options.common)
    files = {"accuracy": clean} if clean is not None else {}
    roles = {"accuracy": "clean results"}
    for name, answers in rankings.items():
        for number, results in enumerate(answers, start=1):
            column = f"accuracy[{name}]:partition{number}"
            files[column], roles[column] = results, f"results of {name}, partition {number}"
    judged: dict[str, Verdict] = {}
    for column, results in files.items():
        judged[column] = judge.judge(results, roles[column])
        report(len(judged), len(files) + 1)
    whole = np.logical_and.reduce([verdict.rows >= 0 for verdict in judged.values()])
    if not whole.any():
        raise InputError("results", [Problem("", "question_id", "no question that all files have", "some")])
    items = question_frame(
        annotations, np.flatnonzero(whole), {column: verdict.official for column, verdict in judged.items()}
    )
    measures = [VQA_ACCURACY.variant(column.removeprefix("accuracy"), of=(column,)) for column in judged]
    figures = estimate(items, measures, seed=options.seed, clusters="image_id")
    report(len(files) + 1, len(files) + 1)
    tests = {
        name: trend(items, [f"accuracy[{name}]:partition{at}" for at in range(1, len(answers) + 1)])[0]
        for name, answers in rankings.items()
    }
    data = {"annotations": annotations.fingerprint}
    left_out = [f"{int((~whole).sum()):,} of {len(whole):,} questions are not in all files; they are left out."]
    return Run(
        exam="robustness",
        part="rankers",
        options={**asdict(options), "rankers": list(rankings)},
        items=items,
        measures=figures | _trends(tests),
        signature=Signature(version=__version__, data=data, seed=options.seed, options={"accuracy": "official"}),
        fingerprints=data | {column: results.fingerprint for column, results in files.items()},
        warnings=() if whole.all() else tuple(left_out),
    )


def _trends(tests: Mapping[str, Estimate | None]) -> dict[str, Estimate]:
    found = {name: test for name, test in tests.items() if test is not None}
    figures: dict[str, Estimate] = {}
    for (name, test), corrected in zip(found.items(), holm([test.value for test in found.values()]), strict=True):
        figures[f"trend_p[{name}]"] = test
        figures[f"trend_p[{name}]:holm"] = Estimate(corrected, None, None, test.n)
    return figures
