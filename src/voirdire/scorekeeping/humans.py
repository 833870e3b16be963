"""How well do people keep score? Judges say of a proposition whether it is true and whether it is shared.

    accuracy = 1/N · Σ_i 1/|J_i| · Σ_{j ∈ J_i} [judge j gives point i its gold class]

J_i  the judges of point i: a proposition of a dialogue at a turn. Where all judges judge all points this is the mean of
     the judges' accuracies.
A judge chooses one of four classes (`tfxps`); from that choice follow `tf` (true or false), `ps` (private or shared)
and `pxtsfs` (private; true and shared; false and shared). `fleiss_kappa` is their agreement on the four classes; it has
no interval. Intervals are over dialogues.

A run of `scorekeeping probe` can be scored on the same points: `tfxps[RUN]` where its task is TFxPS, and so on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from voirdire._version import __version__
from voirdire.errors import UsageError
from voirdire.formats.judgements import Judgements
from voirdire.metrics.measure import Measure, identity, mean
from voirdire.runs import Estimate, Run, Signature, estimate
from voirdire.scorekeeping.judged_points import join_run
from voirdire.stats import fleiss_kappa

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JudgesOptions", "score_judges"]

TASKS = {
    "tfxps": "true or false, and private or shared",
    "tf": "true or false",
    "ps": "private or shared",
    "pxtsfs": "private, true and shared, or false and shared",
}


@dataclass(frozen=True)
class JudgesOptions:
    """What is counted.

    exclude  the dialogues whose points are left out
    common   whether points that a run lacks are left out of all figures; otherwise they are errors
    seed     of the resamples
    """

    exclude: tuple[int, ...] = ()
    common: bool = False
    seed: int = 0


def score_judges(
    judgements: Judgements, options: JudgesOptions | None = None, runs: Mapping[str, Run] | None = None
) -> Run:
    """Accuracy and agreement of judges, and the accuracy of a probe's runs, each by its name, on the same points."""
    options, runs = options or JudgesOptions(), runs or {}
    points = _points(judgements, options.exclude)
    warnings: list[str] = []
    models: dict[str, str] = {}
    for name, run in runs.items():
        for joined in join_run(points, name, run, options.common):
            column = f"{joined.task}[{name}]"
            models[column] = f"{TASKS[joined.task]}: the probe of {name}"
            points = points.with_columns(joined.right.alias(column))
    if models and options.common:
        shared = points.drop_nulls(list(models))
        if not shared.height:
            raise UsageError("--common: no point of the judges is in all of the runs")
        if shared.height < points.height:
            left = points.height - shared.height
            warnings.append(f"{left} of {points.height} points are not in all of the runs and are left out.")
        points = shared
    measures = [Measure(name, identity, mean, "higher", description=text, of=(name,)) for name, text in TASKS.items()]
    measures += [Measure(name, identity, mean, "higher", description=text, of=(name,)) for name, text in models.items()]
    figures = estimate(points.drop("classes"), measures, seed=options.seed, clusters="dialogue")
    kappa, unequal = _agreement(points["classes"].to_list())
    data = {"judgements": judgements.fingerprint}
    shown = {name: figures[name] for name in TASKS} | {"fleiss_kappa": kappa}
    return Run(
        exam="scorekeeping",
        part="humans",
        options={**asdict(options), "exclude": list(options.exclude), "runs": list(runs)},
        items=points.drop("classes"),
        measures=shown | {name: figures[name] for name in models},
        signature=Signature(
            version=__version__,
            data=data,
            seed=options.seed,
            options={"common": options.common, "exclude": ",".join(map(str, sorted(options.exclude)))},
        ),
        fingerprints=data
        | {f"{name}: {role}": hash_ for name, run in runs.items() for role, hash_ in run.fingerprints.items()},
        warnings=(*warnings, *unequal),
    )


def _points(judgements: Judgements, exclude: Sequence[int]) -> "pl.DataFrame":
    """One row a point: its gold labels, the share of judges that are right on each task, and the classes they chose."""
    import polars as pl

    if not len(judgements):
        raise UsageError("--judgements: the table has the names of its columns and no judgement")
    known = set(judgements.dialogues.tolist())
    if unknown := sorted(set(exclude) - known):
        some = ", ".join(map(str, sorted(known)[:5]))
        raise UsageError(f"--exclude: no judgement is of dialogue {', '.join(map(str, unknown))}; there are {some}, …")
    true, true_gold = judgements.true, judgements.true_gold
    shared, shared_gold = judgements.shared, judgements.shared_gold
    tf, ps = true == true_gold, shared == shared_gold
    table = pl.DataFrame(
        {
            "split": list(judgements.splits),
            "dialogue": judgements.dialogues,
            "turn": judgements.turns,
            "index": judgements.indices,
            "proposition": list(judgements.propositions),
            "rule": list(judgements.rules),
            "turn_shared": judgements.turns_shared,
            "true": true_gold,
            "shared": shared_gold,
            "classes": 2 * true.astype(int) + shared,
            "tfxps": tf & ps,
            "tf": tf,
            "ps": ps,
            # What is private is not told apart.
            "pxtsfs": ps & (tf | ~shared_gold),
        }
    )
    kept = table.filter(~pl.col("dialogue").is_in(list(exclude)))
    if not kept.height:
        raise UsageError("--exclude: no judgement is left")
    fixed = [name for name in kept.columns if name not in ("classes", *TASKS)]
    return kept.group_by(fixed, maintain_order=True).agg(
        pl.len().alias("judges"), pl.col("classes"), *(pl.col(task).mean() for task in TASKS)
    )


def _agreement(classes: list[list[int]]) -> tuple[Estimate, list[str]]:
    """κ over the points, where each has the same number of judges."""
    counts = sorted({len(one) for one in classes})
    if len(counts) > 1:
        warning = f"{counts[0]} to {counts[-1]} judges a point, so there is no Fleiss' κ."
        return Estimate(None, None, None, len(classes)), [warning]
    return Estimate(fleiss_kappa(classes), None, None, len(classes)), []
