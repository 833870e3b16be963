"""What the figures of this exam's runs are made of: rounds, drawn by image; and figures that a report adds to them.

Between two models the mean of every measure is compared, not its spread over rounds; one measure of every family also
by round. What a report adds is made of the items, as all figures are: slices by round, the distribution of the truth's
ranks, and

    valid = 1/T · Σ_t [the first answer of round t is a member of its reference set, case and spacing aside]
"""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.answers.exam import RankAnswersOptions, ScoreAnswersOptions
from voirdire.answers.facets import WORDS, with_facets
from voirdire.answers.statistics import measures_of
from voirdire.formats.round_files import OPTIONS
from voirdire.metrics.diversity import DIVERSITY
from voirdire.metrics.measure import Key, Measure, mean
from voirdire.metrics.ranks import MR, MRR, NDCG, RECALLS
from voirdire.metrics.text_metric import TEXT_METRICS
from voirdire.runs import Estimate, Run, estimate
from voirdire.runs.coverage import ASKED
from voirdire.runs.estimate import Measures
from voirdire.runs.view import Role, View, with_missing_as_wrong
from voirdire.stats.aggregate import FloatArray
from voirdire.text.tokens import folded

if TYPE_CHECKING:
    import polars as pl

KS = (1, 5, 10, 15)
UNIT, NOUN, CLUSTERS, FACETS = ("image_id", "round"), "round", "image_id", ("round",)
HEADLINES = ("cider4", "bleu4", "meteor", "rouge_l", "l2")

RANK_MEASURES = (
    MR,
    replace(MRR, leads=1),
    RECALLS[0].named("recall", label="R", description="share of rounds whose true answer is among the first k"),
    replace(NDCG, leads=2),
)


def text_measures() -> tuple[Measure, ...]:
    """All measures of texts against reference sets: those of `answers bounds`."""
    return measures_of(TEXT_METRICS.names(), ["an encoder"])


def score_measures() -> tuple[Measure, ...]:
    """All measures of `answers score`: where rounds have several answers, their diversity too."""
    return (*text_measures(), *DIVERSITY)


def depths(most: int) -> list[int]:
    """The k at which several generations per round are looked at: the paper's that are there, and all of them."""
    return sorted({*(k for k in KS if k <= most), most}) if most > 1 else []


def score_views(items: "pl.DataFrame", options: ScoreAnswersOptions) -> tuple[View, ...]:
    """Of `answers score`: each measure, at each k, with its spread over rounds, its best, its spread inside rounds."""
    measures: list[Measure] = []
    roles: dict[Key, Role] = {}
    most = items["generations"].max()
    ks = depths(most if isinstance(most, int) else 0)
    for measure in _measured(items):
        if measure.key.measure in HEADLINES:
            roles[measure.key] = "headline"
        # Of one answer per round there is no diversity; none of it has a best.
        at = [measure.at(k, of=(str(key),)) for k in ks if str(key := measure.key.at(k)) in items.columns]
        for one in (measure, *at):
            spread = one.spread()
            measures += [one, spread]
            roles[spread.key] = "aside"
            extracted = one.key.as_variant("extracted")
            if str(extracted) in items.columns:
                measures.append(one.variant("extracted", of=(str(extracted),)))
                roles |= {extracted: "aside"} if one is not measure else {}
            best = str(one.key.as_variant("best"))
            if one is measure or best not in items.columns:
                continue
            measures.append(one.variant("best", of=(best,)))
            if options.within:
                within = one.variant("within", of=(str(one.key.as_variant("within")),), better="neither")
                measures.append(within)
                roles[within.key] = "aside"
    sliced, facets = with_facets(items)
    view = View(sliced, tuple(measures), UNIT, NOUN, CLUSTERS, roles, (*facets, *FACETS), words=WORDS)
    # Nothing is like no answer; how far it is from an answer nobody can say, so distances have no such figure.
    wrong = {one.name: 0.0 for one in _measured(items) if one.better == "higher"}
    return (view, *with_missing_as_wrong(view, items["generations"] == items["empty"], wrong))


def _measured(items: "pl.DataFrame") -> list[Measure]:
    """The measures over all generations of a round that the items have columns of, by encoder where it is by one."""
    known = {measure.key.measure: measure for measure in score_measures()}
    keys = [Key.parse(column) for column in items.columns]
    return [
        replace(known[key.measure], key=key, of=(str(key),))
        for key in keys
        if key.measure in known and key.k is None and not key.variant
    ]


def rank_views(items: "pl.DataFrame", options: RankAnswersOptions) -> tuple[View]:
    """Of `answers rank`: the measures of the truth's rank where there is a truth, and NDCG where it was annotated."""
    measures = [MR, MRR, *RECALLS] if items["rank"].null_count() < items.height else []
    if "ndcg" in items.columns:
        measures.append(NDCG)
    roles: dict[Key, Role] = {MRR.key: "headline", NDCG.key: "headline"}
    for one in list(measures):
        asked = one.variant(ASKED, of=tuple(str(Key(name, variant=ASKED)) for name in one.of))
        if set(asked.of) <= set(items.columns):
            measures.append(asked)
            roles[asked.key] = "aside"
    sliced, facets = with_facets(items)
    return (View(sliced, tuple(measures), UNIT, NOUN, CLUSTERS, roles, (*facets, *FACETS), words=WORDS),)


def by_round(run: Run, key: Key) -> dict[int, Estimate]:
    """One of the measures of `answers score` in each round; nothing where the items have no column of it."""
    measure = next((one for one in _measured(run.items) if one.key == key), None)
    if measure is None:
        return {}
    rounds = run.items["round"].unique().sort().to_list()
    figures = _estimated(run, *(measure.slice("round", number) for number in rounds))
    return dict(zip(rounds, figures.values(), strict=True))


def rank_bins(candidates: int = OPTIONS) -> list[tuple[int, int]]:
    """Ranks that are taken together: the first ten alone, from 11 on by tens."""
    alone = [(rank, rank) for rank in range(1, min(candidates, 10) + 1)]
    return alone + [(low, min(low + 9, candidates)) for low in range(11, candidates + 1, 10)]


def candidates_of(run: Run) -> int:
    """How many candidates a round of `answers rank` or `answers audit` has; a run says it where they are not 100."""
    return int(run.signature.options.get("candidates", OPTIONS))


def rank_share(low: int, high: int) -> Measure:
    """`gt_rank[low-high]`: the share of rounds whose true answer is ranked there."""

    def statistic(rank: npt.NDArray[np.int64]) -> FloatArray:
        return ((rank >= low) & (rank <= high)).astype(np.float64)

    return Measure(
        Key("gt_rank", slice=(str(low) if low == high else f"{low}-{high}",)),
        statistic,
        mean,
        "neither",
        label="share at rank",
        description="share of rounds whose true answer is ranked there",
        citation="dense-visdial, Figure 2",
        share=True,
    )


def rank_shares(run: Run) -> dict[tuple[int, int], Estimate]:
    """How often the true answer is ranked first, second, …, from 11 on by tens; nothing where no round has its rank."""
    items = run.items
    if "rank" not in items.columns or items["rank"].null_count() == items.height:
        return {}
    bins = rank_bins(candidates_of(run))
    return dict(zip(bins, _estimated(run, *(rank_share(*ends) for ends in bins)).values(), strict=True))


def valid_share(run: Run) -> Estimate | None:
    """The share of rounds whose first answer is a member of the reference set; None where the items have no texts."""
    items = run.items
    if not {"answers", "references"} <= set(items.columns):
        return None
    held = [
        folded(answers[0]) in {folded(one) for one in references} if answers else None
        for answers, references in zip(items["answers"].to_list(), items["references"].to_list(), strict=True)
    ]
    column = np.ma.masked_array([bool(one) for one in held], [one is None for one in held])
    measure = Measure(Key("valid"), _as_number, mean, "higher", of=("valid",))
    images = items[CLUSTERS].to_numpy()
    return estimate({"valid": column}, [measure], seed=run.signature.seed or 0, clusters=images)[measure.key]


def first_answers(run: Run) -> Counter[str]:
    """How often each first answer was given, case and spacing aside; none where the items have no texts."""
    if "answers" not in run.items.columns:
        return Counter()
    return Counter(folded(answers[0]) for answers in run.items["answers"].to_list() if answers)


def _as_number(valid: npt.NDArray[np.bool_]) -> FloatArray:
    return valid.astype(np.float64)


def _estimated(run: Run, *measures: Measure) -> Measures:
    return estimate(run.items, measures, seed=run.signature.seed or 0, clusters=CLUSTERS)
