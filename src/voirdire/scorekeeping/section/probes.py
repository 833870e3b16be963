"""The probes of runs of exam 4: each with its task and its control, its figures by their plain names, and its title.

A run of one task names its measures plainly and has all of them. A run of all tasks has only the headline ones, with
the task in brackets; what else a page shows of it is made here, of its items, as the exam itself makes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from voirdire.section.charts import Point
from voirdire.section.content import NOTHING, Cell, Model, Tone
from voirdire.section.phrases import percent
from voirdire.runs import Estimate
from voirdire.scorekeeping.probe.sample import CONTROLS
from voirdire.scorekeeping.probe.tasks import TASKS, Task
from voirdire.scorekeeping.probe_measures import TURN, probe_figures
from voirdire.scorekeeping.probe_names import of_task
from voirdire.scorekeeping.probe_tables import ROWS

__all__ = ["Probe", "detailed", "probes_of"]


@dataclass(frozen=True, eq=False)
class Probe:
    """One kind of probe of a run; `title` is what the reader calls it."""

    model: Model
    task: Task
    control: str
    title: str = ""

    @property
    def every(self) -> bool:
        """Whether its run asks all tasks."""
        return bool(self.model.run.options.get("every"))

    @property
    def role(self) -> str:
        """Whose states: A, the answerer's, or Q, the questioner's."""
        return str(self.model.run.options.get("role", "A"))

    def name(self, measure: str) -> str:
        """What the run calls a measure of this probe."""
        return of_task(measure, self.task.name, self.control) if self.every else measure

    def figure(self, measure: str) -> Estimate:
        """A figure by its plain name; one without a value where there is none."""
        found = self.model.run.measures.get(self.name(measure))
        return found or self.details.get(measure) or NOTHING

    @property
    def main_measure(self) -> str:
        """Accuracy at turn 5, or over all turns where dialogues are shorter."""
        at = f"accuracy@{TURN}"
        figure = self.model.run.measures.get(self.name(at))
        return at if figure is not None and figure.value is not None else "accuracy"

    @cached_property
    def details(self) -> Mapping[str, Estimate]:
        """All figures by their plain names."""
        run = self.model.run
        if not self.every:
            return run.measures
        import polars as pl

        items = run.items.filter((pl.col("task") == self.task.name) & (pl.col("control") == self.control))
        return probe_figures(items, self.task, int(run.options["seed"]))

    def _origin(self, measure: str) -> tuple[str, str]:
        """The run, and what it calls the figure; empty where it was made here."""
        name = self.name(measure)
        return self.model.key, name if name in self.model.run.measures else ""

    def cell(self, measure: str, after: str = "", mark: Tone = "plain") -> Cell:
        """A figure in percent."""
        figure = self.figure(measure)
        text = percent(figure.value) + (after if figure.value is not None else "")
        return Cell(text, *self._origin(measure), figure.value, figure.low, figure.high, mark, scale=100)

    def point(self, measure: str, at: str | int, series: str = "", text: str = "") -> Point:
        """A figure in a chart, in percent."""
        figure = self.figure(measure)
        series = series or self.title
        return Point(series, at, figure.value, figure.low, figure.high, *self._origin(measure), text, scale=100)


def probes_of(models: Iterable[Model]) -> list[Probe]:
    """All probes of runs of `scorekeeping probe`, with titles that tell them apart."""
    found = []
    for model in models:
        options = model.run.options
        if options.get("every"):
            tasks = [task for task in TASKS.values() if str(options["role"]) in task.roles]
            found += [Probe(model, task, control) for task in tasks for control in CONTROLS]
        else:
            found.append(Probe(model, TASKS[str(options["task"])], str(options.get("control") or "")))
    return titled(found)


def titled(probes: Sequence[Probe]) -> list[Probe]:
    """Each with its model's label, and with what else is needed to tell it from the others."""
    parts: list[list[str]] = [[probe.model.label] for probe in probes]
    for values in ([probe.task.name for probe in probes], [probe.role for probe in probes]):
        if len(set(values)) > 1:
            parts = [[*one, value] for one, value in zip(parts, values, strict=True)]
    parts = [[*one, ROWS[probe.control]] if probe.control else one for one, probe in zip(parts, probes, strict=True)]
    names = [", ".join(one) for one in parts]
    names = [
        f"{name} ({probe.model.key})" if names.count(name) > 1 else name
        for name, probe in zip(names, probes, strict=True)
    ]
    return [replace(probe, title=name) for probe, name in zip(probes, names, strict=True)]


def detailed(probes: Iterable[Probe]) -> list[Probe]:
    """The probes that charts and scoreboards are shown of: of a run of all tasks the one with the most classes."""
    found: dict[Any, Probe] = {}
    for probe in probes:
        key = probe.model.key
        if not probe.every or (
            not probe.control and (key not in found or len(probe.task.classes) > len(found[key].task.classes))
        ):
            found[key] = probe
    return titled(list(found.values()))
