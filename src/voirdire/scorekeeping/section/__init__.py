"""The section of exam 4: does a model's state keep the score?

Runs of `scorekeeping probe` give the paper's Table 2 (where all tasks were asked), accuracy by turn, confusions and
scoreboards; runs of `scorekeeping humans` its Table 3.
"""

from collections.abc import Sequence

from voirdire.exams import EXAMS
from voirdire.section.content import Chart, Finding, Headline, Model, Section, Table
from voirdire.section.context import Context
from voirdire.section.phrases import headline, of_part, plain_table
from voirdire.scorekeeping.section.boards import board_drills
from voirdire.scorekeeping.section.charts import confusion_chart, rule_chart, source_chart, turn_charts
from voirdire.scorekeeping.section.findings import control_findings, human_findings, probe_findings
from voirdire.scorekeeping.section.probes import Probe, detailed, probes_of
from voirdire.scorekeeping.section.tables import board_table, human_table, seen_table, table_2
from voirdire.scorekeeping.probe_measures import TURN

__all__ = ["scorekeeping_section"]

PARTS = ("probe", "humans")


def scorekeeping_section(models: Sequence[Model], context: Context) -> Section:
    """All runs of this exam, whichever part they are of."""
    probing, humans = (of_part(models, part) for part in PARTS)
    probes = probes_of(probing)
    shown = detailed(probes)
    contents: list[Table | Chart] = [*table_2(probes)]
    if probes:
        contents += [board_table(probes), *turn_charts(shown), rule_chart(shown), *map(confusion_chart, shown)]
        contents += [*map(source_chart, shown), *seen_table(shown)]
    if humans:
        contents.append(human_table(humans))
    for model in models:
        if model.run.part not in PARTS:
            contents.append(plain_table(f"scorekeeping-{model.key}", f"{model.label}: {model.run.title}", model))
    findings: list[Finding] = [
        *(one for probe in shown for one in probe_findings(probe)),
        *control_findings(probes),
        *(one for model in humans for one in human_findings(model)),
    ]
    return Section(
        exam="scorekeeping",
        title="Scorekeeping",
        asks=next(exam.asks for exam in EXAMS if exam.name == "scorekeeping"),
        headlines=[*(one for probe in shown for one in _headlines(probe)), *map(_human_headline, humans)],
        findings=findings,
        contents=contents,
        drills=board_drills(shown, context) if shown else [],
        cites=("scorekeeping", "visdial"),
    )


def _headlines(probe: Probe) -> list[Headline]:
    name = probe.main_measure
    says = f"points that are right at {f'turn {TURN}' if '@' in name else 'all turns'}"
    found = [headline(probe.model, probe.name(name), _of(probe, says))]
    if max(probe.task.shared) >= 0:
        says = "propositions that become shared at the right turn alone"
        found.append(headline(probe.model, probe.name("shift_only_right"), _of(probe, says)))
    return found


def _of(probe: Probe, says: str) -> str:
    return f"{probe.task.name}: {says}" + (f", with {probe.control} states" if probe.control else "")


def _human_headline(model: Model) -> Headline:
    return headline(model, "tfxps", "TFxPS: points that people get right")
