"""The answers exam in a report: are the answers that a model gives among the valid ones?"""

from collections.abc import Sequence

from voirdire.answers.exam import EXAM
from voirdire.answers.score import MEMBERS
from voirdire.answers.section.charts import by_k, overlap_chart, rank_chart, round_chart, similarity_chart
from voirdire.answers.section.drill import ranked_rounds, scored_rounds
from voirdire.answers.section.findings import on_audit, on_humans, on_overlap, on_ranks, on_similarity
from voirdire.answers.section.measures import base_keys, bounded_keys, leading, readable, says
from voirdire.answers.section.tables import (
    audit_table,
    diversity_table,
    generations_table,
    humans_table,
    judged_keys,
    overlap_table,
    ranks_table,
    similarity_table,
    texts_table,
)
from voirdire.metrics.key import Key
from voirdire.section.content import Chart, Drill, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import grouped, headline, of_part, plain_table, sets_told

__all__ = ["answers_section"]

PARTS = ("score", "bounds", "rank", "audit", "overlap", "humans")
RANKS = (Key("mrr"), Key("ndcg"))
AUDIT = (Key("irrelevant_gt"), Key("gt_rank", slice=("1",)))


def answers_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of the exam, whichever part they are of."""
    made = _Made()
    scored, bounds = of_part(models, "score"), of_part(models, "bounds")
    ranked, audited = of_part(models, "rank"), of_part(models, "audit")
    _similarity(made, scored, bounds, context)
    _ranks(made, ranked, audited, context)
    if overlaps := of_part(models, "overlap"):
        made.contents += [overlap_table("answers-overlap", overlaps), overlap_chart("answers-overlap-data", overlaps)]
        for model in overlaps:
            made.findings += on_overlap(model)
            if not scored and not ranked:
                made.headlines.append(_headline(model, Key("precision")))
    if judged := of_part(models, "humans"):
        made.contents.append(humans_table("answers-humans", judged))
        for model in judged:
            made.findings += on_humans(model)
            made.headlines += [_headline(model, key) for key in judged_keys(model)]
    for model in models:
        if model.run.part not in PARTS:
            made.contents.append(plain_table(f"answers-{model.key}", f"{model.label}: {model.run.title}", model))
    return Section(EXAM.name, EXAM.title, EXAM.question, made.headlines, made.findings, made.contents, made.drills)


def _headline(model: Model, key: Key) -> Headline:
    """One of a run's figures for the first screen, in the words and the unit of its measure."""
    measure = model.measure(key)
    return headline(model, key, measure.description, measure.unit)


class _Made:
    """A section while it is put together."""

    def __init__(self) -> None:
        self.headlines: list[Headline] = []
        self.findings: list[Finding] = []
        self.contents: list[Table | Chart] = []
        self.drills: list[Drill] = []

    def add(self, *contents: Table | Chart | None) -> None:
        self.contents += [one for one in contents if one is not None]


def _similarity(made: _Made, scored: Sequence[Model], bounds: Sequence[Model], context: Context) -> None:
    """Tables 4, 6 and 7 and Figure 3: once for each file of reference sets."""
    groups = grouped([*scored, *bounds], ["data.references"])
    for number, group in enumerate(groups, start=1):
        models, limits = of_part(group, "score"), of_part(group, "bounds")
        suffix = f"-{number}" if len(groups) > 1 else ""
        made.add(similarity_table(f"answers-similarity{suffix}", models, limits, _sets(group[0], len(groups) > 1)))
        if not models:
            made.headlines += [
                headline(model, key.on(MEMBERS), f"{readable(model, key)} of each valid answer against the others")
                for model in limits
                for key in leading(limits, bounded_keys(limits), 1)
            ]
            continue
        made.add(
            similarity_chart(f"answers-similarity-data{suffix}", models),
            texts_table(f"answers-texts{suffix}", models),
            generations_table(f"answers-generations{suffix}", models),
            diversity_table(f"answers-diversity{suffix}", models),
            *by_k(f"answers-k{suffix}", models),
            round_chart(f"answers-rounds-data{suffix}", models),
        )
        made.drills.append(scored_rounds(f"answers-rounds{suffix}", models, context))
        for model in models:
            made.findings += on_similarity(model, limits)
            for key in leading([model], base_keys([model]), 2):
                made.headlines.append(headline(model, key, says(model, key)))


def _sets(model: Model, several: bool) -> str:
    about = model.run.signature
    name = f" (file {about.data['references'][:8]})" if several and about.data.get("references") else ""
    return f"{sets_told(about.references) if about.references else 'reference sets'}{name}"


def _ranks(made: _Made, ranked: Sequence[Model], audited: Sequence[Model], context: Context) -> None:
    """Tables 3 and 5, Figure 2 and §3.2.1."""
    labels = {model.label for model in ranked}
    with_ranks = [*ranked, *(one for one in audited if one.label not in labels and "rank" in one.run.items.columns)]
    if ranked:
        made.add(ranks_table("answers-ranks", ranked))
    made.add(rank_chart("answers-ranks-data", with_ranks), audit_table("answers-audit", audited))
    if with_ranks:
        made.drills.append(ranked_rounds("answers-ranked", with_ranks, context))
    for model in ranked:
        made.findings += on_ranks(model)
        made.headlines += [_headline(model, key) for key in RANKS if model.figure(key).value is not None]
    for model in audited:
        made.findings += on_audit(model)
        made.headlines += [_headline(model, key) for key in AUDIT if key in model.run.measures]
