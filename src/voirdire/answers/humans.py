"""Do people hold the answers of a reference set to be valid? Judges keep those that they do.

    selected     = 1/T · Σ_t 1/(J_t |C_t|) · Σ_j Σ_{a ∈ C_t} [judge j keeps a]
    selected_any = 1/T · Σ_t 1/|C_t| · |{ a ∈ C_t : at least one judge keeps a }|

C_t, J_t  the set of task t (one round's set by one method) and the number of its judges (dense-visdial, Table 2)
`:var` is the variance of a task's share over tasks (ddof 1); the paper prints it times 100, as it prints the share.
Each method has its own figures: `selected[H]`, `selected[S]`. Agreement is over single answers: Krippendorff's α, and
Fleiss' κ where every answer has the same number of judges; neither has an interval. Other intervals are over images.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import EXAM, JudgedAnswersOptions
from voirdire.formats.selections import Selections
from voirdire.metrics.measure import Key, Measure
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Estimate, Run
from voirdire.runs.limit import draw
from voirdire.runs.view import Role, View, estimate_views
from voirdire.stats import Aggregate, alpha_interval, fleiss_kappa, kappa_interval, krippendorff_alpha, std
from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

_STD = std(1)


def _variance(sums: FloatArray) -> FloatArray:
    return _STD.value(sums) ** 2


VARIANCE = Aggregate("variance (ddof 1)", 1, _STD.columns, _variance)
SELECTED = Measure.averaged(
    "selected",
    "higher",
    label="kept",
    description="share of a set that a judge keeps",
    citation="dense-visdial, Table 2",
    leads=1,
    share=True,
)
SELECTED_ANY = SELECTED.named(
    "selected_any",
    of=("selected_any",),
    label="kept by at least one judge",
    description="share of a set that at least one judge keeps",
    leads=0,
)
ALPHA = Measure.figure(
    "alpha", "higher", label="Krippendorff's α", description="agreement of the judges over single answers"
)
KAPPA = Measure.figure(
    "kappa",
    "higher",
    label="Fleiss' κ",
    description="agreement of the judges over single answers that have as many judges each",
)
MEASURES = (SELECTED, SELECTED_ANY, ALPHA, KAPPA)


def judge_sets(judgements: Selections, options: JudgedAnswersOptions | None = None, stages: Stages = UNSEEN) -> Run:
    """What judges keep of each method's reference sets, and how far they agree."""
    import polars as pl

    options = options or JudgedAnswersOptions()
    drawn = draw(judgements.image_ids, options)
    judgements = drawn.of(judgements)
    table = pl.DataFrame(
        {
            "image_id": judgements.image_ids,
            "round_id": judgements.round_ids,
            "set": list(judgements.sets),
            "judge": list(judgements.judges),
            "candidate": list(judgements.candidates),
            "selected": judgements.selected,
        }
    )
    task = ["image_id", "round_id", "set"]
    answers = table.group_by([*task, "candidate"], maintain_order=True).agg(
        pl.col("selected").mean().alias("share"), pl.col("selected").any().alias("any"), pl.col("selected")
    )
    items = answers.group_by(task, maintain_order=True).agg(
        pl.len().alias("size"),
        pl.col("selected").list.len().first().alias("judges"),
        pl.col("share").mean().alias("selected"),
        pl.col("any").mean().alias("selected_any"),
    )
    names = sorted(set(judgements.sets))
    figures = estimate_views(judged_views(items, options), seed=options.seed)
    warnings = []
    for name in names:
        of_set = answers.filter(pl.col("set") == name)
        judged = of_set["selected"].to_list()
        agreed = _agreement(judged, of_set["image_id"].to_numpy(), options.seed)
        figures |= dict(zip((ALPHA.key.on(name), KAPPA.key.on(name)), agreed, strict=True))
        counts = sorted({len(one) for one in judged})
        if counts[0] == 1:
            warnings.append(f"set {name}: some answers have one judge only, so they say nothing on agreement.")
        if len(counts) > 1:
            warnings.append(f"set {name}: {counts[0]} to {counts[-1]} judges per answer, so there is no Fleiss' κ.")
    data = {"judgements": judgements.fingerprint}
    return drawn.told(EXAM.run("humans", options, items, figures, data, warnings=warnings))


def judged_views(items: "pl.DataFrame", options: JudgedAnswersOptions) -> tuple[View, ...]:
    """What is kept of the sets of each method, and how much that varies."""
    measures = [
        measure
        for name in sorted(items["set"].unique().to_list())
        for sliced in (SELECTED.slice("set", name), SELECTED_ANY.slice("set", name))
        for measure in (sliced, sliced.variant("var", aggregate=VARIANCE, better="neither"))
    ]
    roles: dict[Key, Role] = {one.key: "aside" for one in measures if one.key.variant}
    return (View(items, tuple(measures), ("image_id", "round_id", "set"), "set", "image_id", roles),)


def _agreement(judged: Sequence[Sequence[bool]], images: npt.NDArray[np.int64], seed: int) -> tuple[Estimate, Estimate]:
    """α and κ of answers, each with its judgements and its image; who judged makes no difference to either."""
    most = max(map(len, judged))
    padded: npt.NDArray[np.float64] = np.full((len(judged), most), np.nan)
    for row, one in zip(padded, judged, strict=True):
        row[: len(one)] = one
    n = int(((~np.isnan(padded)).sum(axis=1) >= 2).sum())
    kappa = fleiss_kappa(padded) if not np.isnan(padded).any() else None
    alpha = krippendorff_alpha(padded)
    return (
        Estimate.within(alpha, alpha_interval(padded, seed, images), n),
        Estimate.within(kappa, kappa_interval(padded, seed, images), n),
    )
