"""What the figures of this exam's runs are made of: rounds, drawn by image.

Between two models the mean of every measure is compared, not its spread over rounds; one measure of every family also
by round.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from voirdire.answers.statistics import measures_of
from voirdire.metrics.measure import Measure, std
from voirdire.metrics.ranks import MR, MRR, NDCG, RECALLS
from voirdire.runs.view import Role, View

if TYPE_CHECKING:
    import polars as pl

__all__ = ["depths", "rank_views", "score_views"]

KS = (1, 5, 10, 15)
UNIT, CLUSTERS, FACETS = ("image_id", "round"), "image_id", ("round",)
HEADLINES = ("cider4", "bleu4", "meteor", "rouge_l", "l2")


def depths(most: int) -> list[int]:
    """The k at which several generations a round are looked at: the paper's that are there, and all of them."""
    return sorted({*(k for k in KS if k <= most), most}) if most > 1 else []


def score_views(items: "pl.DataFrame", options: Mapping[str, Any]) -> tuple[View]:
    """Of `answers score`: each measure, at each k, with its spread over rounds, its best, its spread inside rounds."""
    measures: list[Measure] = []
    roles: dict[str, Role] = {}
    most = items["generations"].max()
    for measure in measures_of(options["families"], options["encoders"]):
        if measure.name.partition("[")[0] in HEADLINES:
            roles[measure.name] = "headline"
        for k in (None, *depths(most if isinstance(most, int) else 0)):
            one = measure if k is None else measure.variant(f"@{k}", of=(f"{measure.name}@{k}",))
            spread = one.variant(":std", aggregate=std(), better="neither")
            measures += [one, spread]
            roles[spread.name] = "aside"
            if k is None:
                continue
            measures.append(one.variant(":best", of=(f"{one.name}:best",)))
            if options["within"]:
                within = one.variant(":within", of=(f"{one.name}:within",), better="neither")
                measures.append(within)
                roles[within.name] = "aside"
    return (View(items, tuple(measures), UNIT, CLUSTERS, roles, FACETS),)


def rank_views(items: "pl.DataFrame", options: Mapping[str, Any]) -> tuple[View]:
    """Of `answers rank`: the measures of the truth's rank where there is a truth, and NDCG where it was annotated."""
    measures = [MR, MRR, *RECALLS] if items["rank"].null_count() < items.height else []
    if "ndcg" in items.columns:
        measures.append(NDCG)
    roles: dict[str, Role] = {MRR.name: "headline", NDCG.name: "headline"}
    return (View(items, tuple(measures), UNIT, CLUSTERS, roles, FACETS),)
