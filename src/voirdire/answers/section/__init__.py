"""The answers exam in a report: are the answers that a model gives among the valid ones?"""

from collections.abc import Sequence

from voirdire.answers.exam import EXAM
from voirdire.answers.score import MEMBERS
from voirdire.answers.section.charts import by_k, overlap_chart, rank_chart, round_chart, similarity_chart
from voirdire.answers.section.drill import ranked_rounds, scored_rounds
from voirdire.answers.section.findings import on_audit, on_humans, on_overlap, on_ranks, on_similarity
from voirdire.answers.section.tables import (
    audit_table,
    base_keys,
    bounded_keys,
    diversity_table,
    generations_table,
    humans_table,
    judged_keys,
    leading,
    overlap_table,
    ranks_table,
    readable,
    similarity_table,
    texts_table,
)
from voirdire.exam.short_answers import by_short_answers, lead_by_short_answers, why_short_answers
from voirdire.live.replies import odd_replies
from voirdire.metrics.key import Key
from voirdire.section.content import Chart, Drill, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import describe_sets, grouped, headline, of_part, plain_table

__all__ = ["answers_section"]

PARTS = ("score", "bounds", "rank", "audit", "overlap", "humans")
RANKS = (Key("mrr"), Key("ndcg"))
AUDIT = (Key("irrelevant_gt"), Key("gt_rank", slice=("1",)))


def answers_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of the exam, whichever part they are of."""
    draft = _Draft()
    scored, bounds = of_part(models, "score"), of_part(models, "bounds")
    ranked, audited = of_part(models, "rank"), of_part(models, "audit")
    _similarity(draft, scored, bounds, context)
    _ranks(draft, ranked, audited, context)
    if overlaps := of_part(models, "overlap"):
        draft.contents += [overlap_table("answers-overlap", overlaps), overlap_chart("answers-overlap-data", overlaps)]
        for model in overlaps:
            draft.findings += on_overlap(model)
            if not scored and not ranked:
                draft.headlines.append(_headline(model, Key("precision")))
    if judged := of_part(models, "humans"):
        draft.contents.append(humans_table("answers-humans", judged))
        for model in judged:
            draft.findings += on_humans(model)
            draft.headlines += [_headline(model, key) for key in judged_keys(model)]
    for model in models:
        if model.run.part not in PARTS:
            draft.contents.append(plain_table(f"answers-{model.key}", f"{model.label}: {model.run.title}", model))
    parts = draft.headlines, draft.findings, draft.contents, draft.drills
    return Section(EXAM.name, EXAM.title, EXAM.question, *parts, notes=draft.notes)


def _headline(model: Model, key: Key) -> Headline:
    """One of a run's figures for the first screen, in the words of its measure."""
    measure = model.measure(key)
    return headline(model, key, measure.description or measure.label)


def _by_short(model: Model, key: Key) -> Headline:
    """The same figure by the short answers inside generations, with the official one beside."""
    short_key = by_short_answers(key, model.run)
    if short_key == key:
        return _headline(model, key)
    measure = model.measure(key)
    says = f"{measure.description or measure.label}, by short answers"
    return headline(model, short_key, says, name=f"{measure.label}, short answers", beside=str(key))


def _odd_replies(model: Model) -> list[str]:
    """A line on generations that are no answers; none where its items have no texts."""
    items = model.run.items
    if not {"answers", "references"} <= set(items.columns):
        return []
    given = (text for texts in items["answers"] for text in texts)
    blank = (" " for _ in range(int(items["empty"].sum())))
    people = (texts[0] for texts in items["references"] if len(texts))
    return odd_replies(model.label, (*given, *blank), people)


class _Draft:
    """A section while it is put together."""

    def __init__(self) -> None:
        self.headlines: list[Headline] = []
        self.findings: list[Finding] = []
        self.contents: list[Table | Chart] = []
        self.drills: list[Drill] = []
        self.notes: list[str] = []

    def add(self, *contents: Table | Chart | None) -> None:
        self.contents += [content for content in contents if content is not None]


def _similarity(draft: _Draft, scored: Sequence[Model], bounds: Sequence[Model], context: Context) -> None:
    """Tables 4, 6 and 7 and Figure 3: once for each file of reference sets."""
    if by_short := lead_by_short_answers([model.run for model in scored]):
        draft.notes.append(why_short_answers([(model.label, model.run) for model in scored]))
    draft.notes += [note for model in scored for note in _odd_replies(model)]
    groups = grouped([*scored, *bounds], ["data.references"])
    for number, group in enumerate(groups, start=1):
        models, limits = of_part(group, "score"), of_part(group, "bounds")
        suffix = f"-{number}" if len(groups) > 1 else ""
        draft.add(similarity_table(f"answers-similarity{suffix}", models, limits, _sets(group[0], len(groups) > 1)))
        if not models:
            draft.headlines += [
                headline(model, key.on(MEMBERS), f"{readable(model, key)} of each valid answer against the others")
                for model in limits
                for key in leading(limits, bounded_keys(limits), 1)
            ]
            continue
        draft.add(
            similarity_chart(f"answers-similarity-data{suffix}", models),
            texts_table(f"answers-texts{suffix}", models),
            generations_table(f"answers-generations{suffix}", models),
            diversity_table(f"answers-diversity{suffix}", models),
            *by_k(f"answers-k{suffix}", models),
            round_chart(f"answers-rounds-data{suffix}", models),
        )
        draft.drills.append(scored_rounds(f"answers-rounds{suffix}", models, context))
        for model in models:
            draft.findings += on_similarity(model, limits, by_short)
            draft.headlines += [
                _by_short(model, key) if by_short else _headline(model, key)
                for key in leading([model], base_keys([model]), 2)
            ]


def _sets(model: Model, several: bool) -> str:
    about = model.run.signature
    name = f" (file {about.data['references'][:8]})" if several and about.data.get("references") else ""
    return f"{describe_sets(about.references) if about.references else 'reference sets'}{name}"


def _ranks(draft: _Draft, ranked: Sequence[Model], audited: Sequence[Model], context: Context) -> None:
    """Tables 3 and 5, Figure 2 and §3.2.1."""
    labels = {model.label for model in ranked}
    more = (model for model in audited if model.label not in labels and "rank" in model.run.items.columns)
    with_ranks = [*ranked, *more]
    if ranked:
        draft.add(ranks_table("answers-ranks", ranked))
    draft.add(rank_chart("answers-ranks-data", with_ranks), audit_table("answers-audit", audited))
    if with_ranks:
        draft.drills.append(ranked_rounds("answers-ranked", with_ranks, context))
    for model in ranked:
        draft.findings += on_ranks(model)
        draft.headlines += [_headline(model, key) for key in RANKS if model.figure(key).value is not None]
    for model in audited:
        draft.findings += on_audit(model)
        draft.headlines += [_headline(model, key) for key in AUDIT if key in model.run.measures]
