"""What the runs of the robustness exam say, in sentences.

A difference is called one where its 95 % interval leaves out zero, and a fall over partitions where Page's test does.
"""

from voirdire.figures import ALPHA, short, show_p
from voirdire.section.content import Finding, Model, Tone
from voirdire.section.context import CONTROL
from voirdire.section.phrases import told
from voirdire.robustness.section.names import NEAREST, column, conditions_of, rankers_of
from voirdire.robustness.section.slices import ANSWERS, DROP, Slices
from voirdire.section.phrases import apart
from voirdire.runs import Estimate

__all__ = ["on_accuracy", "on_rankers", "on_score"]

CHANGED = 0.01
"""Up to this share of changed answers a model may not hear what is added."""


def on_score(model: Model, slices: Slices) -> list[Finding]:
    """What related questions cost, on which answers, over the partitions, beside random ones; and if it heard them."""
    clean, noisy = model.figure("accuracy"), model.figure(f"accuracy:{NEAREST}")
    drop, score = model.figure(DROP), model.figure("r_score")
    if drop.value is None or clean.value is None or noisy.value is None:
        return []
    change, tone = _change(drop)
    # Where the partition does not reach all questions, the drop is that of fewer than the first accuracy is of.
    ends = f", from {short(clean.value)} % to {short(noisy.value)} %" if drop.n == clean.n else ""
    text = f"{change} when three related questions are added{ends}; "
    if deaf := _deafness(model):
        # A model that does not listen has not stood the test, and from its answers nobody can tell it from a firm one.
        tone = "plain" if tone == "good" else tone
        text += (
            f"{deaf}, so it stands firm or hardly hears what is added; its R_score, {told(score, 2)}, cannot say which."
        )
    else:
        text += f"R_score {told(score, 2)}."
    found = [Finding(model.label, text, tone)]
    return [*found, *_on_types(model, slices), *_on_trend(model), *_on_random(model)]


def _on_types(model: Model, slices: Slices) -> list[Finding]:
    """The answers on which most and least is lost, where their intervals are apart."""
    by_type = {kind: figure for (measure, facet, kind), figure in slices.items() if (measure, facet) == (DROP, ANSWERS)}
    order = sorted(by_type, key=lambda kind: -(by_type[kind].value or 0.0))
    if len(order) < 2 or not apart(by_type[order[0]], by_type[order[-1]]):
        return []
    most, least = (f"{kind} answers: {told(by_type[kind])}" for kind in (order[0], order[-1]))
    return [Finding(model.label, f"Most points are lost on {most}; fewest on {least}.")]


def _change(drop: Estimate) -> tuple[str, Tone]:
    value = drop.value or 0.0
    if drop.low is None or drop.high is None:
        # Without an interval nobody can say whether it is one.
        return f"Accuracy changes by {short(-value)} points (no interval: too few images)", "plain"
    if drop.low > 0:
        return f"Accuracy falls {told(drop, unit=' points')}", "bad"
    if drop.high < 0:
        risen = Estimate(-value, -drop.high, -drop.low, drop.n)
        return f"Accuracy rises {told(risen, unit=' points')}", "plain"
    within = f"95 % interval of the drop {short(drop.low)} … {short(drop.high)}"
    return f"Accuracy does not change beyond noise ({within} points)", "good"


def _on_trend(model: Model) -> list[Finding]:
    tested = model.figure("trend_p").value
    if tested is None:
        return []
    last = [one for one in conditions_of([model]) if one != CONTROL][-1]
    first, end = model.figure(f"accuracy:{NEAREST}").value, model.figure(column("accuracy", last)).value
    number = last.removeprefix("partition")
    ends = f"{short(first)} % in partition 1, {short(end)} % in partition {number} (Page's test, p = {show_p(tested)})"
    if tested <= ALPHA:
        return [Finding(model.label, f"The less similar the added questions, the lower its accuracy: {ends}.", "bad")]
    return [Finding(model.label, f"Its accuracy shows no fall from the first partition to the last: {ends}.")]


def _on_random(model: Model) -> list[Finding]:
    drop = model.figure(f"drop:{CONTROL}")
    if drop.value is None:
        return []
    return [Finding(model.label, f"Random questions of the same length cost {told(drop, unit=' points')}.")]


def _deafness(model: Model) -> str:
    """R_score is blind to how good a model is, so say where noise hardly changes an answer; empty where it does."""
    items = model.run.items
    noisy = f"answer:{NEAREST}"
    if not {"answer", noisy} <= set(items.columns):
        return ""
    pairs = items.select("answer", noisy).drop_nulls()
    changed = int((pairs["answer"] != pairs[noisy]).sum())
    if changed > CHANGED * pairs.height or not pairs.height:
        return ""
    return f"it changes {changed:,} of {pairs.height:,} answers"


def on_accuracy(model: Model) -> list[Finding]:
    """Plain accuracy, and on which answers."""
    whole = model.figure("accuracy")
    kinds = [(kind, model.figure(f"accuracy[{kind}]")) for kind in ("yes/no", "number", "other")]
    parts = [f"{short(figure.value)} % on {kind}" for kind, figure in kinds if figure.value is not None]
    return [Finding(model.label, f"It answers with accuracy {told(whole, unit=' %')}: {', '.join(parts)}.")]


def on_rankers(model: Model) -> list[Finding]:
    """Whose order of questions makes accuracy fall."""
    falls = {
        ranker: corrected.value
        for ranker in rankers_of(model)
        if (corrected := model.figure(f"trend_p[{ranker}]:holm")).value is not None
    }
    found = [ranker for ranker, p in falls.items() if p <= ALPHA]
    others = [ranker for ranker in falls if ranker not in found]
    if not falls:
        return []
    text = "Accuracy falls from the first partition to the last under " + (
        ", ".join(f"{ranker} (p = {show_p(falls[ranker])})" for ranker in found) or "no ranker"
    )
    if found and others:
        text += f"; not beyond chance under {', '.join(others)}"
    return [Finding(model.label, f"{text}; p after Holm's correction.")]
