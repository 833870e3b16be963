"""The answers exam in a report: are the answers that a model gives among the valid ones?"""

from collections.abc import Sequence

from voirdire.answers.exam import EXAM
from voirdire.answers.score import MEMBERS
from voirdire.answers.section.drill import ranked_rounds, scored_rounds
from voirdire.answers.section.tables import (
    audit_table,
    base_keys,
    bounded_keys,
    by_k,
    diversity_table,
    generations_table,
    humans_table,
    judged_keys,
    ks_of,
    leading,
    overlap_chart,
    overlap_table,
    rank_chart,
    ranks_table,
    readable,
    round_chart,
    similarity_chart,
    similarity_table,
    texts_table,
)
from voirdire.answers.views import candidates_of, first_answers, valid_share
from voirdire.exam.short_answers import by_short_answers, lead_by_short_answers, why_short_answers
from voirdire.figures import short
from voirdire.live.replies import odd_replies
from voirdire.metrics.key import Key
from voirdire.section.content import Chart, Drill, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import describe_sets, grouped, headline, of_part, plain_table, with_ci

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
    return Section(EXAM.name, EXAM.title, EXAM.question, *parts, notes=draft.notes, why=draft.why)


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
        self.why: list[str] = []

    def add(self, *contents: Table | Chart | None) -> None:
        self.contents += [content for content in contents if content is not None]


def _similarity(draft: _Draft, scored: Sequence[Model], bounds: Sequence[Model], context: Context) -> None:
    """Tables 4, 6 and 7 and Figure 3: once for each file of reference sets."""
    if by_short := lead_by_short_answers([model.run for model in scored]):
        draft.why.append(why_short_answers([(model.label, model.run) for model in scored]))
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


MOST = 0.5
"""The share of rounds beyond which the commonest answer is reported."""


def on_similarity(model: Model, bounds: Sequence[Model], by_short: bool) -> list[Finding]:
    """How many of the answers are valid ones, how near the others come, what several answers gain, and what is odd."""
    chosen = leading([model], base_keys([model]), 1)
    if not chosen:
        return []
    key = chosen[0]
    shown = by_short_answers(key, model.run) if by_short else key
    short_answers = " by short answers" if shown != key else ""
    near = f"{readable(model, key)}{short_answers} {with_ci(model.figure(shown), 3)}"
    reached = next((bound.figure(key.on(MEMBERS)).value for bound in bounds), None)
    if reached is not None:
        near += f", where the valid answers themselves reach {short(reached, 3)}"
    valid = valid_share(model.run)
    if valid is None or valid.value is None:
        text = f"Its answers against the valid ones: {near}."
    else:
        text = f"{with_ci(valid, 1, 100, ' %')} of its first answers are, word for word, among the valid ones; {near}."
    return [Finding(model.label, text), *_on_k(model, key), *_on_oddities(model)]


def _on_k(model: Model, key: Key) -> list[Finding]:
    ks = ks_of(model)
    if not ks:
        return []
    k = ks[-1]
    whole, best = (model.figure(key.at(k).as_variant(variant)) for variant in ("", "best"))
    words = readable(model, key)
    least = min((count for count in model.run.items["generations"] if count), default=0)
    number = f"{k} answers" if least >= k else f"at most {k} answers"
    text = f"Of {number} per round the best has {words} {with_ci(best, 3)}, their mean {with_ci(whole, 3)}"
    varied = model.figure(Key("different", k))
    return [
        Finding(model.label, text + (f"; {with_ci(varied, 1)} are different." if varied.value is not None else "."))
    ]


def _on_oddities(model: Model) -> list[Finding]:
    """Answers without text, and one answer to most questions."""
    items = model.run.items
    findings = []
    if empty := int(items["empty"].sum()):
        given = int(items["generations"].sum())
        findings.append(Finding(model.label, f"{empty:,} of its {given:,} answers have no text.", "bad"))
    first = first_answers(model.run)
    if first and first.most_common(1)[0][1] > MOST * first.total():
        (text, count), total = first.most_common(1)[0], first.total()
        share = short(100 * count / total)
        findings.append(
            Finding(model.label, f"It gives one answer, “{text}”, in {share} % of {total:,} rounds.", "bad")
        )
    return findings


def on_ranks(model: Model) -> list[Finding]:
    """Where the true answer is ranked, and how well the ranking follows people's relevance."""
    first, tenth, rank = (model.figure(name) for name in ("recall@1", "recall@10", "mr"))
    gain = model.figure("ndcg")
    relevance = f"by people's relevance its rankings have NDCG {with_ci(gain, 3)}"
    if first.value is None or tenth.value is None:
        return [] if gain.value is None else [Finding(model.label, f"B{relevance[1:]}.")]
    text = (
        f"It ranks the true answer first in {with_ci(first, 1, 100, ' %')} of the rounds and beyond the tenth place in "
        f"{short(100 - 100 * tenth.value)} %; its mean rank among {candidates_of(model.run)} is {with_ci(rank, 1)}"
    )
    return [Finding(model.label, text + (f"; {relevance}." if gain.value is not None else "."))]


def on_overlap(model: Model) -> list[Finding]:
    """How much of a set is in the other one."""
    precision, recall = model.figure("precision"), model.figure("recall")
    return [
        Finding(
            model.label,
            f"Of the answers in these sets {with_ci(precision, 1, 1, ' %')} are in the sets that they are judged by, "
            f"and of those {with_ci(recall, 1, 1, ' %')} are found.",
        )
    ]


def on_humans(model: Model) -> list[Finding]:
    """What judges keep of each kind of set."""
    return [
        Finding(
            model.label,
            f"Judges keep {with_ci(model.figure(key), 1, 100, ' %')} of the answers in {key.slice[0]}.",
        )
        for key in judged_keys(model)
        if model.figure(key).value is not None
    ]


def on_audit(model: Model) -> list[Finding]:
    """What is odd about the annotation."""
    odd, full = model.figure("irrelevant_gt"), model.figure("no_full_relevance")
    if odd.value is None or full.value is None:
        return []
    return [
        Finding(
            model.label,
            f"People hold the ground truth to be irrelevant in {with_ci(odd, 1, 100, ' %')} of the annotated rounds; "
            f"in {with_ci(full, 1, 100, ' %')} no candidate is fully relevant.",
        )
    ]
