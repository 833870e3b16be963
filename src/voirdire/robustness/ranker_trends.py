"""Whose order of basic questions makes sense? One model's accuracy by partition under several rankers, side by side.

    accuracy[R]:partitionP   mean official VQA accuracy on partition P of ranker R, in percent
    trend_p[R]               Page's test that it falls from the first partition to the last, questions as rows
    trend_p[R]:holm          the same, corrected for as many tests as there are rankers

All figures are over the same questions: those that every partition of every ranker has (vqa-robustness, Figures 6 and
9). A ranker orders by noise if accuracy falls; one without a trend has not put the disturbing questions last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults, read_vqa_results
from voirdire.metrics.key import Key
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.accuracy import Judge, Verdict, limit_images, question_items
from voirdire.robustness.exam import EXAM, NOISY, PARTITIONS, TrendOptions
from voirdire.robustness.score import ORDERED, trend
from voirdire.robustness.views import ACCURACY, TREND_P, partition
from voirdire.runs import Run
from voirdire.runs.estimate import Estimate, estimate
from voirdire.stats import holm


def compare_ranker_files(
    annotations: VqaAnnotations,
    ranking: Sequence[str],
    clean: VqaResults | None = None,
    options: TrendOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Compare rankers by the files of one model's answers; see `compare_rankers`.

    ranking  of each ranker NAME=FILES: with {} for 1 to 7, or files in order with commas between them
    """
    files: dict[str, list[str]] = {}
    for given in ranking:
        name, _, paths = given.partition("=")
        if not (name and paths):
            raise UsageError(f"`ranking` must be a name and files, as in lasso=said/lasso_{{}}.json, got {given!r}")
        if name in files:
            raise UsageError(f"`ranking` must name each ranker once, got {name!r} twice")
        files[name] = NOISY.files(paths.split(","))
    every = [(name, path) for name, some in files.items() for path in some]
    rankings: dict[str, list[VqaResults]] = {name: [] for name in files}
    progress = stages("read", "files")
    for done, (name, path) in enumerate(every):
        progress(done, len(every))
        rankings[name].append(read_vqa_results(path))
    progress(len(every), len(every))
    return compare_rankers(annotations, rankings, clean, options, stages)


def compare_rankers(
    annotations: VqaAnnotations,
    rankings: Mapping[str, Sequence[VqaResults]],
    clean: VqaResults | None = None,
    options: TrendOptions | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """Compare rankers by one model's answers: for each its name, and the answers to its partitions in order."""
    options = options or TrendOptions()
    if not rankings:
        raise UsageError("`rankings` must have the answers under at least one ranker, got none")
    for name, answers in rankings.items():
        if not ORDERED <= len(answers) <= PARTITIONS:
            raise UsageError(f"ranker {name} must have {ORDERED} to {PARTITIONS} partitions, got {len(answers)}")
    drawn, annotations, of_images = limit_images(annotations, options, next(iter(rankings.values()))[0].question_ids)
    clean = clean if clean is None else of_images(clean)
    rankings = {name: [*map(of_images, answers)] for name, answers in rankings.items()}
    judge, progress = Judge(annotations, options), stages("judge", "steps")
    files = {ACCURACY.key: (clean, "clean results")} if clean is not None else {}
    files |= {
        ACCURACY.key.on(name).under(partition(number)): (results, f"results of {name}, partition {number}")
        for name, answers in rankings.items()
        for number, results in enumerate(answers, start=1)
    }
    judged: dict[Key, Verdict] = {}
    for key, (results, role) in files.items():
        judged[key] = judge.judge(results, role, counts=False)
        progress(len(judged), len(files) + 1)
    whole = np.logical_and.reduce([verdict.rows >= 0 for verdict in judged.values()])
    if not whole.any():
        raise InputError("results", [Problem("", "question_id", "no question that all files have", "some")])
    items = question_items(
        annotations, np.flatnonzero(whole), {key: verdict.official for key, verdict in judged.items()}
    )
    measures = [replace(ACCURACY, key=key, of=(str(key),)) for key in judged]
    figures = estimate(items, measures, seed=options.seed, clusters="image_id")
    progress(len(files) + 1, len(files) + 1)
    tests = {name: trend(items, [key for key in judged if key.slice == (name,)])[0] for name in rankings}
    missing = {key: verdict.rows < 0 for key, verdict in judged.items()}
    lacks = {name: np.logical_or.reduce([missing[key] for key in judged if key.slice == (name,)]) for name in rankings}
    named = ", ".join(f"{name} {int(rows.sum()):,}" for name, rows in lacks.items())
    left_out = (
        f"{int((~whole).sum()):,} of {len(whole):,} questions are not in all files; all rankers are without them. "
        f"Questions that some partition lacks: {named}. Short lists can be filled up when they are ranked."
    )
    run = EXAM.run(
        "rankers",
        options,
        items,
        figures | _trends(tests),
        {"annotations": annotations.fingerprint},
        outputs={str(key): results.fingerprint for key, (results, _) in files.items()},
        changing={"accuracy": "official"},
        warnings=() if whole.all() else (left_out,),
    )
    return drawn.sign(run)


def _trends(tests: Mapping[str, Estimate | None]) -> dict[Key, Estimate]:
    tested = {name: test for name, test in tests.items() if test is not None}
    figures: dict[Key, Estimate] = {}
    for (name, test), corrected in zip(tested.items(), holm([test.value for test in tested.values()]), strict=True):
        figures[TREND_P.key.on(name)] = test
        figures[TREND_P.key.on(name).as_variant("holm")] = Estimate(corrected, None, None, test.n)
    return figures
