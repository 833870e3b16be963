"""How far judges agree, and who does not: with the others, and with what is known.

    agreement_j = 1/N_j · Σ_t share of task t's answers where judge j says what most of the others say

N_j are the tasks of j that others judged, too; an answer on which the others are divided evenly is passed over, and
attention checks do not count here. Fleiss' κ and Krippendorff's α are over single answers of a set, or over the two
answers about a sentence as one of four classes (`stats.agreement`).

A judge is named where

    they fail more than `failed` of the attention checks that they did, and at least two; or
    their agreement is below the median judge's by more than `gap`,

either by more than chance gives: P(X ≥ failures) < 0.05 / judges, where X is binomial with the rate of one who is
attentive: a tenth of the checks; of the tasks, what the median judge has, at least one in a hundred. So a slip is not
held against anybody, nor a small study's chance. To be named is a reason to look, no proof.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from voirdire.runs.estimate import NOTHING, Estimate
from voirdire.stats import alpha_interval, fleiss_kappa, kappa_interval, krippendorff_alpha
from voirdire.study.settings import CollectOptions
from voirdire.study.store import Kept
from voirdire.study.tasks import StudyTask, failed

LEVEL = 0.05
FEWEST_FAILED = 2
# What somebody may fail or disagree in who is attentive, even where nobody did so far.
SLIPS, LEAST_APART = 0.1, 0.01


@dataclass(frozen=True)
class Agreement:
    """κ and α over all units, with intervals that draw whole tasks.

    κ has no value where units have different numbers of judges, and neither has one where it is undefined.
    """

    kappa: Estimate
    alpha: Estimate
    units: int


@dataclass(frozen=True)
class JudgeReport:
    """One judge.

    judged, compared  their tasks, and those that others judged, too
    checks, failed    attention checks that they did and failed
    agreement         with most of the others; None where there is nothing to compare
    seconds           the median time that a task was open
    named             why the rule names them; empty where it does not
    """

    judge: str
    judged: int
    compared: int
    checks: int
    failed: int
    agreement: float | None
    seconds: float
    named: str = ""


def agree(tasks: Sequence[StudyTask], kept: Sequence[Kept], seed: int = 0) -> Agreement:
    """How far all judges agree beyond chance."""
    units: dict[tuple[int, int], list[str]] = defaultdict(list)
    for one in kept:
        task = tasks[one.task]
        if task.truth:
            continue
        if task.way == "deselect":
            for place, said in enumerate(one.answers):
                units[one.task, place].append(said)
        else:
            units[one.task, 0].append(" ".join(one.answers))
    several = {unit: said for unit, said in units.items() if len(said) > 1}
    if not several:
        return Agreement(NOTHING, NOTHING, 0)
    most, of_task = max(map(len, several.values())), np.array([task for task, _ in several])
    padded = np.array([[*said, *([None] * (most - len(said)))] for said in several.values()], dtype=object)
    whole = len({len(said) for said in units.values()}) == 1
    kappa, alpha = fleiss_kappa(padded) if whole else None, krippendorff_alpha(padded)
    return Agreement(
        Estimate.within(kappa, kappa_interval(padded, seed, of_task), len(several)),
        Estimate.within(alpha, alpha_interval(padded, seed, of_task), len(several)),
        len(several),
    )


def report_judges(
    tasks: Sequence[StudyTask], kept: Sequence[Kept], options: CollectOptions | None = None
) -> list[JudgeReport]:
    """Every judge, in the order of their names, and whom the rule names."""
    options = options or CollectOptions()
    said: dict[int, list[Kept]] = defaultdict(list)
    own: dict[str, list[Kept]] = defaultdict(list)
    for one in kept:
        own[one.judge].append(one)
        if not tasks[one.task].truth:
            said[one.task].append(one)
    reports = []
    for judge in sorted(own, key=_by_number):
        mine = own[judge]
        checks = [one for one in mine if tasks[one.task].truth]
        shares = [share for one in mine if (share := _shared(one, said.get(one.task, ()))) is not None]
        reports.append(
            JudgeReport(
                judge,
                len(mine) - len(checks),
                len(shares),
                len(checks),
                sum(failed(tasks[one.task], one.answers) for one in checks),
                float(np.mean(shares)) if shares else None,
                float(np.median([one.seconds for one in mine])),
            )
        )
    return [_named(one, reports, options) for one in reports]


def _by_number(name: str) -> tuple[str, int, str]:
    head, _, tail = name.rpartition("-")
    return (head, int(tail), "") if tail.isascii() and tail.isdigit() and len(tail) < 10 else (name, -1, "")


def _shared(one: Kept, all_: Sequence[Kept]) -> float | None:
    """The share of a judge's answers to a task that most of the others give; None where none can be compared."""
    others = [other for other in all_ if other.judge != one.judge]
    right = []
    for place, said in enumerate(one.answers):
        ranked = Counter(other.answers[place] for other in others).most_common(2)
        if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
            right.append(said == ranked[0][0])
    return float(np.mean(right)) if right else None


def _named(one: JudgeReport, all_: Sequence[JudgeReport], options: CollectOptions) -> JudgeReport:
    from scipy.stats import binom

    why, level = [], LEVEL / len(all_)
    inattentive = one.failed >= FEWEST_FAILED and one.failed > options.failed * one.checks
    if inattentive and binom.sf(one.failed - 1, one.checks, SLIPS) < level:
        why.append(f"failed {one.failed} of {one.checks} attention checks")
    known = [other.agreement for other in all_ if other.agreement is not None]
    if one.agreement is not None:
        median = float(np.median(known))
        wrong = round(one.compared * (1 - one.agreement))
        chance = float(binom.sf(wrong - 1, one.compared, max(1 - median, LEAST_APART)))
        if median - one.agreement > options.gap and chance < level:
            why.append(f"agrees with the others in {one.agreement:.1%}, the median judge in {median:.1%}")
    return replace(one, named="; ".join(why))
