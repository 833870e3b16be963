"""The section of exam 4: does a model's state keep the score?

Runs of `scorekeeping probe` give the paper's Table 2 (where all tasks were asked), accuracy by turn, confusions and
scoreboards; those of `scorekeeping judge`, in which a model is asked itself, the same without controls; runs of
`scorekeeping humans` its Table 3.
"""

from collections.abc import Sequence

from voirdire.metrics.scoreboard import SHIFT_ONLY_RIGHT
from voirdire.scorekeeping.exam import EXAM
from voirdire.scorekeeping.humans import JUDGED
from voirdire.scorekeeping.measures import RIGHT
from voirdire.scorekeeping.section.findings import control_findings, human_findings, probe_findings
from voirdire.scorekeeping.section.probes import Probe, detailed, probes_of
from voirdire.scorekeeping.section.scoreboards import board_drills
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
from voirdire.section.content import Chart, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import (
    headline,
    of_part,
    plain_table,
)

__all__ = ["scorekeeping_section"]

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
        headlines=[*(line for probe in chosen for line in _headlines(probe)), *map(_human_headline, humans)],
        findings=findings,
        contents=contents,
        drills=board_drills(chosen, context) if chosen else [],
    )


def _headlines(probe: Probe) -> list[Headline]:
    key = probe.main_key
    at = "all turns" if key.k is None else f"turn {key.k}"
    says = f"{RIGHT.description} at {at}"
    cells = [headline(probe.model, probe.key(key), _of(probe, says), name=f"{RIGHT.label} at {at}")]
    if max(probe.task.shared) >= 0:
        cells.append(headline(probe.model, probe.key(SHIFT_ONLY_RIGHT.key), _of(probe, SHIFT_ONLY_RIGHT.description)))
    return cells


def _of(probe: Probe, says: str) -> str:
    return f"{probe.task.name}: {says}" + (f", with {probe.control} states" if probe.control else "")


def _human_headline(model: Model) -> Headline:
    return headline(model, JUDGED[0].key, f"{JUDGED[0].label}: share of points that people get right")
