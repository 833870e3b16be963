"""What the runs of the robustness exam say, in sentences.

A difference is called one where its 95 % interval leaves out zero, and a fall over partitions where Page's test does.
"""

from voirdire.figures import ALPHA, short, show_p
from voirdire.robustness.score import changed_answers
from voirdire.robustness.section.conditions import NUMBERS, conditions_of, rankers_of
from voirdire.robustness.views import ACCURACY, ANSWER_TYPES, CONTROL, DROP, NEAREST, R_SCORE, TREND_P
from voirdire.runs import Estimate
from voirdire.runs.estimate import Measures
from voirdire.section.content import Finding, Model, Tone
from voirdire.section.phrases import apart, effect, told


def on_score(model: Model, figures: Measures) -> list[Finding]:
    """What related questions cost, on which answers, over the partitions, beside random ones; and if it heard them.

    figures  what the model loses by answer type
    """
    clean, noisy = model.figure(ACCURACY.key), model.figure(ACCURACY.key.under(NEAREST))
    drop, score = model.figure(DROP.key.under(NEAREST)), model.figure(R_SCORE.key)
    if drop.value is None or clean.value is None or noisy.value is None:
        return []
    change, tone = _change(drop)
    # Where the partition does not reach all questions, the drop is that of fewer than the first accuracy is of.
    ends = f", from {short(clean.value)} % to {short(noisy.value)} %" if drop.n == clean.n else ""
    text = f"{change} when three related questions are added{ends}; "
    if hardly := changed_answers(model.run.items):
        # A model that does not listen has not stood the test, and from its answers nobody can tell it from a firm one.
        tone = "plain" if tone == "good" else tone
        text += (
            f"it changes {hardly[0]:,} of {hardly[1]:,} answers, so it stands firm or hardly hears what is added; its "
            f"R_score, {told(score, 2)}, cannot say which."
        )
    else:
        text += f"R_score {told(score, 2)}."
    found = [Finding(model.label, text, tone, effect(drop))]
    return [*found, *_on_types(model, figures), *_on_trend(model), *_on_random(model)]


def unheard(model: Model) -> str:
    """Why what noise costs a model may mislead: from a model that does not listen it takes nothing."""
    hardly = changed_answers(model.run.items)
    if hardly is None:
        return ""
    return f"it changes {hardly[0]:,} of {hardly[1]:,} answers: it stands firm, or does not hear what is added"


def _on_types(model: Model, figures: Measures) -> list[Finding]:
    """The answers on which most and least is lost, where their intervals are apart."""
    lost = figures.of(DROP.key.measure)
    order = sorted(lost, key=lambda key: -(lost[key].value or 0.0))
    if len(order) < 2 or not apart(lost[order[0]], lost[order[-1]]):
        return []
    most, least = (f"{key.slice[0]} answers: {told(lost[key])}" for key in (order[0], order[-1]))
    size = effect(lost[order[0]], lost[order[-1]])
    return [Finding(model.label, f"Most points are lost on {most}; fewest on {least}.", effect=size)]


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
    tested = model.figure(TREND_P.key).value
    if tested is None:
        return []
    last = [one for one in conditions_of([model]) if one in NUMBERS][-1]
    first, end = (model.figure(ACCURACY.key.under(one)).value for one in (NEAREST, last))
    number = NUMBERS[last]
    ends = f"{short(first)} % in partition 1, {short(end)} % in partition {number} (Page's test, p = {show_p(tested)})"
    if tested <= ALPHA:
        return [Finding(model.label, f"The less similar the added questions, the lower its accuracy: {ends}.", "bad")]
    return [Finding(model.label, f"Its accuracy shows no fall from the first partition to the last: {ends}.")]


def _on_random(model: Model) -> list[Finding]:
    drop = model.figure(DROP.key.under(CONTROL))
    if drop.value is None:
        return []
    text = f"Random questions of the same length cost {told(drop, unit=' points')}."
    return [Finding(model.label, text, effect=effect(drop))]


def on_accuracy(model: Model) -> list[Finding]:
    """Plain accuracy, and on which answers."""
    kinds = [(kind, model.figure(ACCURACY.key.on(kind))) for kind in ANSWER_TYPES]
    parts = [f"{short(figure.value)} % on {kind}" for kind, figure in kinds if figure.value is not None]
    whole = told(model.figure(ACCURACY.key), unit=" %")
    return [Finding(model.label, f"It answers with accuracy {whole}: {', '.join(parts)}.")]


def on_rankers(model: Model) -> list[Finding]:
    """Whose order of questions makes accuracy fall."""
    falls = {
        ", ".join(ranker.slice): corrected.value
        for ranker in rankers_of(model)
        if (corrected := model.figure(TREND_P.key.on(*ranker.slice).as_variant("holm"))).value is not None
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
