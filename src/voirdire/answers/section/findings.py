"""The sentences of the answers exam, each made of a run's figures or counted from its items."""

from collections.abc import Sequence

from voirdire.answers.score import MEMBERS
from voirdire.answers.section.tables import base_keys, judged_keys, ks_of, leading, readable
from voirdire.answers.views import candidates_of, first_answers, valid_share
from voirdire.exam.short_answers import by_short_answers
from voirdire.figures import short
from voirdire.metrics.key import Key
from voirdire.section.content import Finding, Model
from voirdire.section.phrases import with_ci

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
