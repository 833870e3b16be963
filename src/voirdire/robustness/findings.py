"""The sentences of the robustness exam, each said only where its figures make it true.

A difference is called one where its 95 % interval leaves out zero, and a fall over partitions where Page's test finds
one. Where short answers lead, the sentences are about the figures by short answers.
"""

from voirdire.exam.short_answers import by_short_answers, caveats_of
from voirdire.figures import ALPHA, name_list, short, show_p
from voirdire.metrics.key import Key
from voirdire.robustness.section_tables import NUMBERS, conditions_of, rankers_of
from voirdire.robustness.views import ACCURACY, ANSWER_TYPES, CONTROL, DROP, NEAREST, R_SCORE, TREND_P
from voirdire.runs import Estimate
from voirdire.runs.estimate import Measures
from voirdire.section.content import Finding, Model, Tone
from voirdire.section.phrases import apart, effect, with_ci


def on_score(model: Model, figures: Measures, by_short: bool) -> list[Finding]:
    """What related questions cost, on which answers, over the partitions, beside random ones; and if they had effect.

    figures   what the model loses by answer type
    by_short  whether figures by short answers lead
    """

    def key(official: Key) -> Key:
        return by_short_answers(official, model.run) if by_short else official

    clean, noisy = model.figure(key(ACCURACY.key)), model.figure(key(ACCURACY.key.under(NEAREST)))
    drop, score = model.figure(key(DROP.key.under(NEAREST))), model.figure(key(R_SCORE.key))
    if drop.value is None or clean.value is None or noisy.value is None:
        return []
    change, tone = _change(drop, key(ACCURACY.key) != ACCURACY.key)
    # Where the partition does not reach all questions, the drop is that of fewer than the first accuracy is of.
    ends = f", from {short(clean.value)} % to {short(noisy.value)} %" if drop.n == clean.n else ""
    text = f"{change} when three related questions are added{ends}; "
    if reason := caveats_of(model.run).get(key(R_SCORE.key), ""):
        tone = "plain" if tone == "good" else tone
        text += f"R_score {with_ci(score, 2)} ranks nobody: {reason}."
    else:
        text += f"R_score {with_ci(score, 2)}."
    finding = Finding(model.label, text, tone, effect(drop))
    if by_short:
        return [finding, *_on_random(model, key(DROP.key.under(CONTROL)))]
    return [finding, *_on_types(model, figures), *_on_trend(model), *_on_random(model, DROP.key.under(CONTROL))]


def _on_types(model: Model, figures: Measures) -> list[Finding]:
    """The answers on which most and least is lost, where their intervals are apart."""
    lost = {key: figure for key, figure in figures.of(DROP.key.measure).items() if figure.value is not None}
    order = sorted(lost, key=lambda key: -(lost[key].value or 0.0))
    if len(order) < 2 or not apart(lost[order[0]], lost[order[-1]]) or (lost[order[0]].value or 0.0) <= 0:
        return []
    most, least = (f"{key.slice[0]} answers: {with_ci(lost[key])}" for key in (order[0], order[-1]))
    size = effect(lost[order[0]], lost[order[-1]])
    return [Finding(model.label, f"Most points are lost on {most}; fewest on {least}.", effect=size)]


def _change(drop: Estimate, by_short: bool) -> tuple[str, Tone]:
    value, name = drop.value or 0.0, "Accuracy by short answers" if by_short else "Accuracy"
    if drop.low is None or drop.high is None:
        # Without an interval it is unknown whether it is one.
        return f"{name} changes by {short(-value)} points (no interval: too few images)", "plain"
    if drop.low > 0:
        return f"{name} falls {with_ci(drop, unit=' points')}", "bad"
    if drop.high < 0:
        risen = Estimate(-value, -drop.high, -drop.low, drop.n)
        return f"{name} rises {with_ci(risen, unit=' points')}", "plain"
    within = f"95 % interval of the drop {short(drop.low)} … {short(drop.high)}"
    return f"{name} does not change beyond noise ({within} points)", "good"


def _on_trend(model: Model) -> list[Finding]:
    tested = model.figure(TREND_P.key).value
    if tested is None:
        return []
    last = [condition for condition in conditions_of([model]) if condition in NUMBERS][-1]
    first, end = (model.figure(ACCURACY.key.under(condition)).value for condition in (NEAREST, last))
    number, p = NUMBERS[last], f"Page's test, p = {show_p(tested)}"
    ends = f"{short(first)} % in partition 1, {short(end)} % in partition {number}"
    if tested > ALPHA:
        return [Finding(model.label, f"Its accuracy shows no fall over the partitions beyond chance: {ends} ({p}).")]
    if (end or 0.0) < (first or 0.0):
        text = f"The less similar the added questions, the lower its accuracy: {ends} ({p})."
    else:
        text = f"Its accuracy tends to fall from partition to partition ({p}), but it does not end lower: {ends}."
    return [Finding(model.label, text, "bad")]


def _on_random(model: Model, key: Key) -> list[Finding]:
    drop = model.figure(key)
    if drop.value is None:
        return []
    if drop.value >= 0:
        text = f"Random questions of the same length cost {with_ci(drop, unit=' points')}."
    else:
        gain = Estimate(-drop.value, drop.high and -drop.high, drop.low and -drop.low, drop.n)
        text = f"Random questions of the same length raise accuracy by {with_ci(gain, unit=' points')}."
    return [Finding(model.label, text, effect=effect(drop))]


def on_accuracy(model: Model, by_short: bool) -> list[Finding]:
    """Plain accuracy, and on which answers."""

    def figure(official: Key) -> Estimate:
        return model.figure(by_short_answers(official, model.run) if by_short else official)

    kinds = [(kind, figure(ACCURACY.key.on(kind))) for kind in ANSWER_TYPES]
    parts = [f"{short(each.value)} % on {kind}" for kind, each in kinds if each.value is not None]
    what = "accuracy by short answers" if by_short else "accuracy"
    text = f"It answers with {what} {with_ci(figure(ACCURACY.key), unit=' %')}"
    return [Finding(model.label, f"{text}: {', '.join(parts)}." if parts else f"{text}.")]


def on_rankers(model: Model) -> list[Finding]:
    """Whose order of questions makes accuracy fall."""
    falls = {
        ", ".join(ranker.slice): corrected.value
        for ranker in rankers_of(model)
        if (corrected := model.figure(TREND_P.key.on(*ranker.slice).as_variant("holm"))).value is not None
    }
    falling = [ranker for ranker, p in falls.items() if p <= ALPHA]
    others = [ranker for ranker in falls if ranker not in falling]
    if not falls:
        return []
    if not falling:
        text = "Page's test finds no fall of accuracy over the partitions under any ranker"
        return [Finding(model.label, f"{text}; p after Holm's correction.")]
    named = name_list([f"{ranker} (p = {show_p(falls[ranker])})" for ranker in falling])
    text = f"Page's test finds that accuracy falls over the partitions under {named}"
    if others:
        text += f", not beyond chance under {name_list(others)}"
    return [Finding(model.label, f"{text}; p after Holm's correction.")]
