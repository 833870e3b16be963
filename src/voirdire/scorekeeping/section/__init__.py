"""The section of exam 4: does a model's state keep the score?

Runs of `scorekeeping probe` give the paper's Table 2 (where all tasks were asked), accuracy by turn, confusions and
scoreboards; those of `scorekeeping judge`, in which a model is asked itself, the same without controls; runs of
`scorekeeping humans` its Table 3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from voirdire.metrics.scoreboard import OPPOSITES_AGREE, SHIFT_ONLY_RIGHT, SHIFT_RIGHT, TRUTH_STABLE
from voirdire.scorekeeping.exam import EXAM
from voirdire.scorekeeping.humans import FLEISS_KAPPA, JUDGED, judged_runs
from voirdire.scorekeeping.judge import UNREAD
from voirdire.scorekeeping.measures import RIGHT, SEEN, by_dialogue_key, confusion_key
from voirdire.scorekeeping.probe.measures import ALPHA, WORDS, control_mark
from voirdire.scorekeeping.section.probes import Probe, board_drills, detailed, probes_of
from voirdire.scorekeeping.section.tables import (
    asked_table,
    board_table,
    confusion_chart,
    human_table,
    overlap_table,
    rule_chart,
    seen_table,
    source_chart,
    table_2,
    turn_charts,
)
from voirdire.scorekeeping.tables import ROWS
from voirdire.section.content import Chart, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import (
    apart,
    effect,
    headline,
    of_part,
    percent,
    percent_ci,
    plain_table,
    turning,
)

PARTS = ("probe", "judge", "humans")


def scorekeeping_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of this exam, whichever part they are of."""
    every = probes_of(of_part(models, "probe", "judge"))
    humans = of_part(models, "humans")
    chosen = detailed(every)
    probes, asked = ([probe for probe in every if probe.asked is asks] for asks in (False, True))
    contents: list[Table | Chart] = [*table_2(probes)]
    if asked:
        contents.append(asked_table(asked))
    if probes:
        contents.append(board_table(probes))
    if asked:
        contents.append(board_table(asked, asked=True))
    if every:
        contents += [
            *turn_charts(chosen),
            rule_chart(chosen),
            *map(confusion_chart, chosen),
            *map(source_chart, chosen),
        ]
    if read := [probe for probe in chosen if not probe.asked]:
        contents += [*seen_table(read), overlap_table(read)]
    if humans:
        contents.append(human_table(humans))
    for model in models:
        if model.run.part not in PARTS:
            contents.append(plain_table(f"scorekeeping-{model.key}", f"{model.label}: {model.run.title}", model))
    findings: list[Finding] = [
        *(finding for probe in chosen for finding in probe_findings(probe)),
        *control_findings(probes),
        *(finding for model in humans for finding in human_findings(model)),
    ]
    return Section(
        exam=EXAM.name,
        title=EXAM.title,
        asks=EXAM.question,
        headlines=[
            *(line for probe in chosen for line in _headlines(probe)),
            *(
                headline(model, JUDGED[0].key, f"{JUDGED[0].label}: share of points that people get right")
                for model in humans
            ),
        ],
        findings=findings,
        contents=contents,
        drills=board_drills(chosen, context) if chosen else [],
    )


def _headlines(probe: Probe) -> list[Headline]:
    key = probe.main_key
    at = "all turns" if key.k is None else f"turn {key.k}"
    says = f"{RIGHT.description} at {at}"
    cells = [headline(probe.model, probe.key(key), _of(probe, says), name=f"{RIGHT.label} at {at}")]
    if max(probe.task.shared) >= 0 and not probe.sampled:
        cells.append(headline(probe.model, probe.key(SHIFT_ONLY_RIGHT.key), _of(probe, SHIFT_ONLY_RIGHT.description)))
    return cells


def _of(probe: Probe, says: str) -> str:
    return f"{probe.task.name}: {says}" + (f", with {probe.control} states" if probe.control else "")


ASKS = {
    "TFxPS": "what is true and what is shared",
    "TF": "what is true",
    "PS": "what is shared",
    "PxTSFS": "what is shared, and what of that is true",
}


def probe_findings(probe: Probe) -> list[Finding]:
    """Of one probe: what it reads, its scoreboards, known sentences, turns, and its most frequent mistake."""
    return [_accuracy(probe), *_boards(probe), *_seen(probe), *_turns(probe), *_mistaken(probe)]


def _accuracy(probe: Probe) -> Finding:
    if probe.asked:
        return _asked(probe)
    key = probe.main_key
    figure, words = probe.figure(key), probe.figure(replace(WORDS.key, k=key.k))
    of = "random" if probe.control == "random" else "empty" if probe.control else "the"
    at = "" if key.k is None else f" at turn {key.k}"
    text = (
        f"A probe that learnt from {of} states reads {ASKS[probe.task.name]} ({probe.task.name}) with an accuracy of "
        f"{percent_ci(figure)}{at}"
    )
    if (differ := apart(figure, words)) is None:
        return Finding(probe.model.label, text + ".")
    if not differ:
        text += f"; that is not clearly different from what the words alone give, {percent(words.value, 1)} %"
        return Finding(probe.model.label, text + ".", "plain" if probe.control else "bad")
    better = (figure.value or 0) > (words.value or 0)
    text += f", {'more' if better else 'less'} than the words alone give, {percent(words.value, 1)} %"
    return Finding(probe.model.label, text + ".", "good" if better else "bad", effect(figure, words))


def _asked(probe: Probe) -> Finding:
    """How often the model is right, and how much of what it said could be read."""
    key = probe.main_key
    at = "" if key.k is None else f" at turn {key.k}"
    right = percent_ci(probe.figure(key))
    text = f"Asked {ASKS[probe.task.name]} ({probe.task.name}), the model is right in {right} of the points{at}"
    unread = probe.model.figure(UNREAD.key)
    if not unread.value:
        return Finding(probe.model.label, text + ".")
    text += f"; in {percent(unread.value, 1)} % of what it said no answer could be read"
    return Finding(probe.model.label, text + ".", "bad")


def _boards(probe: Probe) -> list[Finding]:
    right, only, stable, opposites = (
        probe.figure(measure.key) for measure in (SHIFT_RIGHT, SHIFT_ONLY_RIGHT, TRUTH_STABLE, OPPOSITES_AGREE)
    )
    parts = []
    if right.value is not None and only.value is not None:
        parts.append(
            f"{percent(right.value, 1)} % of the propositions become shared at the right turn, "
            f"{percent(only.value, 1)} % at that turn alone"
        )
    if stable.value is not None:
        parts.append(f"{percent(stable.value, 1)} % keep one truth value")
    if opposites.value is not None:
        parts.append(f"opposites have the same one at {percent(opposites.value, 1)} % of the turns")
    return [Finding(probe.model.label, f"Scoreboards ({probe.task.name}): {'; '.join(parts)}.")] if parts else []


def _seen(probe: Probe) -> list[Finding]:
    seen, unseen = (probe.figure(RIGHT.key.on(kind)) for kind in SEEN)
    if not apart(seen, unseen):
        return []
    text = (
        f"On sentences that the probe learnt from it is right in {percent(seen.value, 1)} % of the points, on others "
        f"in {percent(unseen.value, 1)} % ({probe.task.name})."
    )
    return [Finding(probe.model.label, text, effect=effect(seen, unseen))]


def _turns(probe: Probe) -> list[Finding]:
    """From the caption to the last turn, by way of the turn where the curve comes back."""
    turns = probe.turns
    if len(turns) < 2:
        return []
    figures = {turn: probe.figure(by_dialogue_key(turn)) for turn in turns}
    first, last = figures[turns[0]], figures[turns[-1]]
    start, end = f"{percent(first.value, 1)} % after the caption", f"{percent(last.value, 1)} % after turn {turns[-1]}"
    if (bend := turning(figures)) is not None:
        turn, extreme = bend
        text = (
            f"Accuracy is {start}, {percent(figures[turn].value, 1)} % at its {extreme}, after turn {turn}, and {end}"
        )
    elif apart(first, last):
        text = f"Accuracy {'falls' if (first.value or 0) > (last.value or 0) else 'rises'} from {start} to {end}"
    else:
        return []
    other = figures[bend[0]] if bend else last
    return [Finding(probe.model.label, f"{text} ({probe.task.name}).", effect=effect(first, other))]


def _mistaken(probe: Probe) -> list[Finding]:
    pairs = [(gold, taken) for gold in probe.task.classes for taken in probe.task.classes if gold != taken]
    figures = {pair: probe.figure(confusion_key(*pair, probe.confusion_turn)) for pair in pairs}
    known = [pair for pair in pairs if figures[pair].value]
    if not known:
        return []
    gold, taken = max(known, key=lambda pair: figures[pair].value or 0)
    text = f"Most often mistaken: {percent_ci(figures[gold, taken])} of what is {gold} is taken for {taken}."
    return [Finding(probe.model.label, text)]


def control_findings(probes: Iterable[Probe]) -> list[Finding]:
    """Of runs of all tasks: whether real states beat both controls."""
    by_run: dict[str, list[Probe]] = {}
    for probe in probes:
        if probe.options.all and probe.control:
            by_run.setdefault(probe.model.key, []).append(probe)
    return [_control_finding(some) for some in by_run.values()]


def _control_finding(controls: Sequence[Probe]) -> Finding:
    label, measures = controls[0].model.label, controls[0].model.run.measures
    marks = {probe: control_mark(measures, probe.task.name, probe.control) for probe in controls}
    others = [f"{probe.task.name}, {ROWS[probe.control]}" for probe in controls if marks[probe] != "*"]
    tested = f"paired permutation tests at p < {ALPHA}"
    if not others:
        return Finding(label, f"On every task real states are better than both controls ({tested}).", "good")
    if len(others) == len(controls):
        return Finding(label, f"On no task are real states clearly better than a control ({tested}).", "bad")
    return Finding(
        label, f"Real states are not clearly better than these controls ({tested}): {'; '.join(others)}.", "bad"
    )


def human_findings(model: Model) -> list[Finding]:
    """Of judges, and of models on the points that they judged."""
    people = model.figure(JUDGED[0].key)
    kappa = model.figure(FLEISS_KAPPA.key).value
    text = f"People get {percent_ci(people)} of the points right (TFxPS)"
    text += "" if kappa is None else f"; they agree with a κ of {kappa:.2f}"
    findings = [Finding(model.label, text + ".")]
    for name in judged_runs(model.run.measures):
        for measure in JUDGED:
            people, theirs = model.figure(measure.key), model.figure(measure.key.on(name))
            if (differ := apart(people, theirs)) is None:
                continue
            way = "less" if (theirs.value or 0) < (people.value or 0) else "more"
            comparison = f"{way} than people" if differ else "not clearly different from people"
            text = f"On judged points {name} is right in {percent(theirs.value, 1)} % ({measure.label}), {comparison} "
            findings.append(Finding(model.label, f"{text}({percent(people.value, 1)} %)."))
    return findings
