"""The probes of runs of exam 4, and models that were asked: each with its task and its control, its figures by their
plain keys, and its title.

A run of one task names its measures plainly and has all of them. A run of all tasks has only the headline ones, with
the task in brackets; what else a page shows of it the exam makes of its items.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from voirdire.exam import options_of
from voirdire.lazy import pl
from voirdire.metrics.key import Key
from voirdire.runs import Estimate
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.exam import JudgeOptions, ProbeOptions
from voirdire.scorekeeping.judge import judge_figures
from voirdire.scorekeeping.measures import RIGHT, TURN, confusion_turn, of_task, rules_of, turns_of
from voirdire.scorekeeping.points import TASKS, ScoreTask, tasks_of
from voirdire.scorekeeping.probe.measures import probe_figures
from voirdire.scorekeeping.probe.sample import CONTROLS
from voirdire.scorekeeping.tables import ROWS
from voirdire.section.charts import Point
from voirdire.section.content import Cell, Model, Tone
from voirdire.section.phrases import percent

ASKED = "judge"
"""The part in which a model is asked itself."""


@dataclass(frozen=True, eq=False)
class Probe:
    """One kind of probe of a run, or a model that was asked itself; `title` is what the reader calls it."""

    model: Model
    task: ScoreTask
    control: str
    title: str = ""

    @cached_property
    def options(self) -> ProbeOptions | JudgeOptions:
        """The options of its run."""
        options: ProbeOptions | JudgeOptions = options_of(self.model.run)
        return options

    @property
    def asked(self) -> bool:
        """Whether the model was asked itself, and no states were read."""
        return self.model.run.part == ASKED

    def key(self, key: Key) -> Key:
        """What the run calls a figure of this probe."""
        return of_task(key, self.task.name, self.control) if self.options.all else key

    def figure(self, key: Key) -> Estimate:
        """A figure by its plain key; one without a value where there is none."""
        estimate = self.model.run.measures.get(self.key(key))
        return estimate if estimate is not None else self.details.figure(key)

    @property
    def main_key(self) -> Key:
        """Accuracy at turn 5, or over all turns where dialogues are shorter."""
        at = RIGHT.key.at(TURN)
        return RIGHT.key if self.model.figure(self.key(at)).value is None else at

    @cached_property
    def items(self) -> "pl.DataFrame":
        """The points that it was asked."""
        items = self.model.run.items
        own = items.filter(pl.col("task") == self.task.name)
        return own if self.asked else own.filter(pl.col("control") == self.control)

    @cached_property
    def details(self) -> Measures:
        """All figures by their plain keys."""
        if not self.options.all:
            return self.model.run.measures
        return (judge_figures if self.asked else probe_figures)(self.items, self.task, self.options.seed)

    @property
    def turns(self) -> list[int]:
        """The turns for which there are figures."""
        return turns_of(self.details)

    @property
    def confusion_turn(self) -> int | None:
        """The turn at which classes are mistaken; None for all."""
        return confusion_turn(self.details)

    @cached_property
    def rules(self) -> list[str]:
        """The rules that its propositions come from."""
        return rules_of(self.items)

    def _origin(self, key: Key) -> tuple[str, str]:
        """The run, and what it calls the figure; empty where it was made of its items."""
        own = self.key(key)
        return self.model.key, str(own) if own in self.model.run.measures else ""

    def cell(self, key: Key, after: str = "", mark: Tone = "plain") -> Cell:
        """A figure in percent."""
        figure = self.figure(key)
        text = percent(figure.value) + (after if figure.value is not None else "")
        return Cell(text, *self._origin(key), figure.value, figure.low, figure.high, mark, scale=100)

    def point(self, key: Key, at: str | int, series: str = "", text: str = "") -> Point:
        """A figure in a chart, in percent."""
        figure = self.figure(key)
        series = series or self.title
        return Point(series, at, figure.value, figure.low, figure.high, *self._origin(key), text, scale=100)


def probes_of(models: Iterable[Model]) -> list[Probe]:
    """All probes of runs, and for models that were asked all tasks, with distinct titles."""
    probes = []
    for model in models:
        options = options_of(model.run)
        if model.run.part == ASKED:
            probes += [Probe(model, TASKS[task], "") for task in model.run.items["task"].unique(maintain_order=True)]
        elif options.all:
            probes += [Probe(model, task, control) for task in tasks_of(options.role) for control in CONTROLS]
        else:
            probes.append(Probe(model, TASKS[options.task], options.control or ""))
    return titled(probes)


def titled(probes: Sequence[Probe]) -> list[Probe]:
    """Each titled by its model's label, and by what else makes it distinct."""
    parts: list[list[str]] = [[probe.model.label] for probe in probes]
    differences = (
        [probe.task.name for probe in probes],
        [probe.options.role for probe in probes],
        ["asked" if probe.asked else "states" for probe in probes],
    )
    for values in differences:
        if len(set(values)) > 1:
            parts = [[*title, value] for title, value in zip(parts, values, strict=True)]
    controls = [[ROWS[probe.control]] if probe.control else [] for probe in probes]
    names = [", ".join(title + control) for title, control in zip(parts, controls, strict=True)]
    names = [
        f"{name} ({probe.model.key})" if names.count(name) > 1 else name
        for name, probe in zip(names, probes, strict=True)
    ]
    return [replace(probe, title=name) for probe, name in zip(probes, names, strict=True)]


def detailed(probes: Iterable[Probe]) -> list[Probe]:
    """The probes that charts and scoreboards are shown of: of a run of all tasks the one with the most classes."""
    latest: dict[Any, Probe] = {}
    for probe in probes:
        key = probe.model.key
        if not probe.options.all or (
            not probe.control and (key not in latest or len(probe.task.classes) > len(latest[key].task.classes))
        ):
            latest[key] = probe
    return titled(list(latest.values()))
