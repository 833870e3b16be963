"""The section of exam 3: what did each question contribute?

Runs of `questions score` give the paper's Table 1 and effectiveness by turn, with the games to look into; those of
`questions kinds` and `questions oracle-accuracy` its Table 2; agreement of oracles with people is beside them.
"""

from collections.abc import Sequence

from voirdire.exam import measures_of
from voirdire.metrics.games import (
    EFFECTIVENESS,
    EFFECTIVENESS_FAILURE,
    EFFECTIVENESS_SUCCESS,
    LAST_REFERRING,
    SUCCESS_IF_NOT,
    SUCCESS_IF_REFERRING,
    TASK_SUCCESS,
)
from voirdire.metrics.measure import Key
from voirdire.questions.exam import EXAM
from voirdire.questions.kinds import KINDS
from voirdire.questions.oracle_accuracy import RIGHT
from voirdire.questions.section.kinds_and_oracles import (
    agreement_contents,
    agreement_headline,
    agreements_of,
    oracle_contents,
    oracle_drill,
    types_contents,
    types_drill,
)
from voirdire.questions.section.score import games_drill, score_contents
from voirdire.runs import Estimate
from voirdire.section.content import Chart, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import apart, effect, headline, of_part, percent, percent_ci, turning

PARTS = ("score", "kinds", "oracle-accuracy", "agreement")


def questions_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of this exam, whichever part they are of."""
    scored, kinds, accuracies, agreements = (of_part(models, part) for part in PARTS)
    contents: list[Table | Chart] = []
    if scored:
        contents += score_contents(scored)
    if kinds or accuracies:
        contents += types_contents(kinds, accuracies)
    contents += oracle_contents(accuracies) if accuracies else []
    contents += agreement_contents(agreements) if agreements else []
    drills = [
        *([games_drill(scored, context)] if scored else []),
        *([types_drill(kinds)] if kinds else []),
        *([oracle_drill(accuracies)] if accuracies else []),
    ]
    return Section(
        exam=EXAM.name,
        title=EXAM.title,
        asks=EXAM.question,
        headlines=[*_headlines((*scored, *accuracies)), *map(agreement_headline, agreements)],
        findings=_findings(scored, kinds, accuracies, agreements),
        contents=contents,
        drills=drills,
    )


def _headlines(models: Sequence[Model]) -> list[Headline]:
    """The figures that lead their part, each with what it is."""
    return [
        headline(model, measure.key, measure.description, measure.unit)
        for model in models
        for measure in sorted(measures_of(model.run).values(), key=lambda measure: measure.leads)
        if measure.leads and measure.key in model.run.measures
    ]


def _findings(
    scored: Sequence[Model], kinds: Sequence[Model], accuracies: Sequence[Model], agreements: Sequence[Model]
) -> list[Finding]:
    return [
        *(finding for model in scored for finding in score_findings(model)),
        *(finding for model in kinds for finding in kinds_findings(model)),
        *(finding for model in (*accuracies, *agreements) for finding in oracle_findings(model)),
    ]


FEWEST = 0.5
"""A turn that fewer than this share of the games reach says more of those games than of the turn."""


def score_findings(model: Model) -> list[Finding]:
    """Of a run of `questions score`."""
    findings = []
    effectiveness, success = model.figure(EFFECTIVENESS.key), model.figure(TASK_SUCCESS.key)
    if effectiveness.value is not None:
        text = f"Of a game's questions {percent_ci(effectiveness)} exclude a candidate"
        if success.value is not None:
            text += f"; the right object is guessed in {percent(success.value, 1)} % of the games"
        findings.append(Finding(model.label, text + "."))
    return [
        *findings,
        *_outcomes(model.label, model.figure(EFFECTIVENESS_SUCCESS.key), model.figure(EFFECTIVENESS_FAILURE.key)),
        *_turn_findings(model),
        *_last_question(model),
    ]


def _outcomes(label: str, success: Estimate, failure: Estimate) -> list[Finding]:
    """Whether games that are won have better questions; the paper found that they do not."""
    if not apart(success, failure):
        return []
    more, less = ("won", "lost") if (success.value or 0) > (failure.value or 0) else ("lost", "won")
    high, low = (success, failure) if more == "won" else (failure, success)
    text = (
        f"In games that are {more} a larger share of the questions excludes a candidate than in those that are {less}: "
        f"{percent(high.value, 1)} % against {percent(low.value, 1)} %."
    )
    return [Finding(label, text, effect=effect(success, failure))]


def _turn_findings(model: Model) -> list[Finding]:
    """From the first turn to the last one that most games reach, by way of the turn where the curve comes back."""
    figures = model.run.measures.of(EFFECTIVENESS.key.measure)
    turns = {key.k: figure for key, figure in figures.items() if key.k is not None}
    reached = [turn for turn, figure in turns.items() if (figure.n or 0) >= FEWEST * (turns[1].n or 0)]
    if not reached or reached[-1] == 1:
        return []
    last = reached[-1]
    start, end = (f"{percent(turns[turn].value, 1)} % at turn {turn}" for turn in (1, last))
    differ = apart(turns[1], turns[last])
    if differ is None:
        return []
    if (bend := turning({turn: turns[turn] for turn in reached})) is not None:
        turn, extreme = bend
        extreme_share = f"{percent(turns[turn].value, 1)} % at the {extreme}, turn {turn}"
        text = f"The share of effective questions is {start}, {extreme_share}, and {end}."
    elif not differ:
        text = f"No clear change by turn: {start} and {end} of the questions are effective."
    else:
        falls = (turns[1].value or 0) > (turns[last].value or 0)
        text = f"The share of effective questions {'falls' if falls else 'rises'} from {start} to {end}."
    other = turns[bend[0] if bend else last]
    return [Finding(model.label, text, effect=effect(turns[1], other) if bend or differ else None)]


def _last_question(model: Model) -> list[Finding]:
    measures = (LAST_REFERRING, SUCCESS_IF_REFERRING, SUCCESS_IF_NOT)
    last, if_so, if_not = (model.figure(measure.key) for measure in measures)
    if last.value is None:
        return []
    text = f"The last question is true of the target alone in {percent_ci(last)} of the games"
    differ = apart(if_so, if_not)
    if differ is None:
        return [Finding(model.label, text + ".")]
    won, otherwise = percent(if_so.value, 1), percent(if_not.value, 1)
    text += f"; then {won} % are won, otherwise {otherwise} %"
    if not differ and won != otherwise:
        text += " (the intervals overlap, so this may be chance)"
    return [Finding(model.label, text + ".", effect=effect(if_so, if_not) if differ else None)]


def kinds_findings(model: Model) -> list[Finding]:
    """Of a run of `questions kinds`: what is asked about most."""
    figures = {kind: model.run.measures[Key(kind)] for kind in KINDS}
    shares = {kind: figure for kind, figure in figures.items() if figure.value is not None}
    if not any(figure.value for figure in shares.values()):
        return []
    first, second = sorted(shares, key=lambda kind: -(shares[kind].value or 0))[:2]
    if shares[first].value == shares[second].value:
        text = (
            f"{_about(first)} and {_about(second)} are asked about alike: {percent_ci(shares[first])} of the questions"
        )
        return [Finding(model.label, f"{text[0].upper()}{text[1:]}.")]
    text = f"What is asked about most is {_about(first)}: {percent_ci(shares[first])} of the questions"
    if apart(shares[first], shares[second]) is False:
        text += f"; {_about(second)} comes so near ({percent(shares[second].value, 1)} %) that it may be as frequent"
    return [Finding(model.label, text + ".")]


def _about(kind: str) -> str:
    return {"object": "the object itself", "other": "something else", "color": "colour"}.get(kind, kind)


def oracle_findings(model: Model) -> list[Finding]:
    """Of a run of `questions oracle-accuracy` or of agreement: how often oracles are right."""
    if model.run.part == "oracle-accuracy":
        text = f"The oracle gives the recorded answer to {percent_ci(model.figure(RIGHT.key))} of the questions"
        kinds = {kind: model.figure(RIGHT.key.on(kind)) for kind in KINDS}
        known = sorted(
            (kind for kind in kinds if kinds[kind].value is not None), key=lambda kind: kinds[kind].value or 0
        )
        if known and apart(kinds[known[0]], kinds[known[-1]]):
            text += f"; it is worst on {known[0]} ({percent(kinds[known[0]].value, 1)} %) and best on {known[-1]} "
            text += f"({percent(kinds[known[-1]].value, 1)} %)"
        return [Finding(model.label, text + ".")]
    return _agreement(model)


def _agreement(model: Model) -> list[Finding]:
    agreed = {oracle: model.figure(key) for oracle, key in agreements_of(model).items()}
    ranked = sorted(agreed, key=lambda oracle: -(agreed[oracle].value or 0))
    best, last = ranked[0], ranked[-1]
    text = f"The oracle {best} gives the human answer to {percent_ci(agreed[best])} of the questions"
    if apart(agreed[best], agreed[last]):
        text += f", {last} to {percent(agreed[last].value, 1)} %"
    return [Finding(model.label, text + ".")]
