"""Does a model's accuracy hold when basic questions are added? From its answers to the clean and the noisy questions.

    accuracy:partitionP   mean official VQA accuracy on partition P, in percent
    drop:partitionP       = accuracy − accuracy:partitionP over the questions that have both
    r_score:partitionP    see `metrics.r_score`; `r_score` is that of partition 1, as published
    trend_p               Page's test that accuracy falls from the first partition to the last

The same questions are asked every time, so drops and R_scores are paired: an interval draws whole images, and with a
question its clean and its noisy answer. The rows of the trend test are questions: if a ranking had no order, a
question's partitions could change places by chance, whatever its image, so the rows are independent then. A question
that a partition does not reach is no row. (vqa-robustness, §4.)
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults
from voirdire.metrics.r_score import LIMIT, TOLERANCE, check_bounds
from voirdire.reports import Report, silent
from voirdire.robustness.answer_texts import with_texts
from voirdire.robustness.joining import Judge, Verdict
from voirdire.robustness.noise import PARTITIONS
from voirdire.robustness.views import score_views
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Estimate
from voirdire.runs.view import estimate_views
from voirdire.stats import page_trend
from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ORDERED", "Dataset", "RobustnessOptions", "question_frame", "score_robustness", "trend"]

ORDERED = 3
"""The fewest partitions of which a trend is asked."""

UNCHANGED = 0.99

Dataset = Literal["general", "yesno"]


@dataclass(frozen=True)
class RobustnessOptions:
    """How answers are scored; the defaults are the paper's.

    dataset  which basic questions were added: any (GBQD, R_score1) or yes/no ones (YNBQD, R_score2)
    t, m     tolerance and limit of R_score
    common   leave out questions that a file lacks; otherwise they are an error
    seed     of the resamples
    """

    dataset: Dataset = "general"
    t: float = TOLERANCE
    m: float = LIMIT
    common: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.dataset not in get_args(Dataset):
            raise UsageError(f"there is no dataset {self.dataset!r}; there are: {', '.join(get_args(Dataset))}")
        try:
            check_bounds(self.t, self.m)
        except ValueError as error:
            raise UsageError(str(error)) from None


def score_robustness(
    annotations: VqaAnnotations,
    clean: VqaResults,
    noisy: Sequence[VqaResults],
    control: VqaResults | None = None,
    options: RobustnessOptions | None = None,
    *,
    report: Report = silent,
) -> Run:
    """Score a model's answers to the clean questions and to partitions 1, 2, … of the noisy ones.

    control  answers to the questions with random ones of the pool added
    report   told after each file that is judged, and after the intervals
    """
    options = options or RobustnessOptions()
    if not 1 <= len(noisy) <= PARTITIONS:
        raise UsageError(f"{len(noisy)} files of answers to noisy questions; give 1 to {PARTITIONS}, partition 1 first")
    judge = Judge(annotations, options.common)
    conditions = {f"partition{number}": results for number, results in enumerate(noisy, start=1)}
    if control is not None:
        conditions["control"] = control
    steps = len(conditions) + 2
    before = judge.judge(clean, "clean results")
    report(1, steps)
    judged: dict[str, Verdict] = {}
    for name, results in conditions.items():
        judged[name] = judge.judge(results, f"results of {name}")
        report(1 + len(judged), steps)
    kept = np.flatnonzero(before.rows >= 0)
    for name, verdict in judged.items():
        if not (verdict.rows[kept] >= 0).any():
            found = "no question in common with the clean results"
            raise InputError(f"results of {name}", [Problem("", "question_id", found, "the same questions")])
    accuracies = {"accuracy": before.official} | {f"accuracy:{name}": one.official for name, one in judged.items()}
    texts = {"answer": (clean, before)} | {f"answer:{name}": (conditions[name], judged[name]) for name in judged}
    items = with_texts(question_frame(annotations, kept, accuracies), annotations, kept, texts)
    partitions = [name for name in judged if name != "control"]
    figures = estimate_views(score_views(items, asdict(options)), seed=options.seed)
    report(steps, steps)
    tested, warnings = trend(items, [f"accuracy:{name}" for name in partitions])
    data = {"annotations": annotations.fingerprint}
    outputs = {"clean": clean.fingerprint} | {name: results.fingerprint for name, results in conditions.items()}
    return Run(
        exam="robustness",
        part="score",
        options=asdict(options),
        items=items,
        measures=figures | ({"trend_p": tested} if tested else {}),
        signature=Signature(
            version=__version__,
            data=data,
            seed=options.seed,
            options={"accuracy": "official", "dataset": options.dataset, "t": options.t, "m": options.m},
        ),
        fingerprints=data | outputs,
        warnings=(
            *before.warnings,
            *(warning for verdict in judged.values() for warning in verdict.warnings),
            *warnings,
            *_warn_of_deafness(clean, noisy[0], before, judged["partition1"]),
        ),
    )


def question_frame(
    annotations: VqaAnnotations, kept: npt.NDArray[np.intp], columns: dict[str, FloatArray]
) -> "pl.DataFrame":
    """One row a kept question: its ids, its types, and its accuracies, null where they are NaN."""
    import polars as pl

    ids: dict[str, npt.NDArray[np.generic] | list[str]] = {
        "image_id": annotations.image_ids[kept],
        "question_id": annotations.question_ids[kept],
        "answer_type": [annotations.answer_types[row] for row in kept.tolist()],
        "question_type": [annotations.question_types[row] for row in kept.tolist()],
    }
    values = {name: column[kept] for name, column in columns.items()}
    return pl.DataFrame({**ids, **values}).with_columns(pl.col(name).fill_nan(None) for name in values)


def trend(items: "pl.DataFrame", columns: Sequence[str]) -> tuple[Estimate | None, list[str]]:
    """p of a fall over the columns in their order, and its number of rows; None where there are too few columns."""
    if len(columns) < ORDERED:
        return None, []
    whole = items.select(columns).drop_nulls()
    tested = page_trend(whole.to_numpy(), "falling") if whole.height else None
    warnings = []
    if whole.height < items.height:
        warnings.append(
            f"{items.height - whole.height:,} of {items.height:,} questions are not in every partition; the trend is "
            "tested on the others."
        )
    return Estimate(tested.p if tested else None, None, None, whole.height), warnings


def _warn_of_deafness(clean: VqaResults, noisy: VqaResults, before: Verdict, after: Verdict) -> list[str]:
    """R_score is blind to how good a model is; where noise hardly changes an answer, say so."""
    shared = np.flatnonzero((before.rows >= 0) & (after.rows >= 0))
    pairs = zip(before.rows[shared].tolist(), after.rows[shared].tolist(), strict=True)
    same = sum(clean.answers[first] == noisy.answers[second] for first, second in pairs)
    if same < UNCHANGED * len(shared):
        return []
    accuracy = float(after.official[shared].mean())
    return [
        f"{same:,} of {len(shared):,} answers are the same with partition 1 as without. A model that ignores what is "
        f"added has a high R_score, however bad it is; read it beside its accuracy under noise, {accuracy:.2f} %."
    ]
