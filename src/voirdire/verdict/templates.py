"""How far a model's figures depend on the words in which it was asked: its runs in several templates, side by side.

A model NAME that was asked in several templates has a run NAME@TEMPLATE for each. Two runs belong together where their
signatures differ in nothing but how the model was asked. Of three templates or more each figure's mean has an interval
that includes their choice (`stats.over_wordings`); two have a range.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from voirdire.exam import part_of
from voirdire.exam.short_answers import lead_by_short_answers, leading_views
from voirdire.metrics.measure import Measure
from voirdire.runs import Run, differences
from voirdire.runs.estimate import Estimate, ItemColumns
from voirdire.runs.view import View
from voirdire.stats.aggregate import FloatArray, cluster_sums, columns, numbered
from voirdire.stats.bootstrap import RESAMPLES, Interval, drawn_sums
from voirdire.stats.over_wordings import over_wordings

BETWEEN = "@"
"""What parts a model's name from its template's in the name of a run."""
ASKED, TEMPLATE = "options.asked", "template"


@dataclass(frozen=True)
class OneModel:
    """A model's runs of one part of an exam, by the names of the templates in which it was asked."""

    name: str
    runs: dict[str, Run]

    @property
    def title(self) -> str:
        """The exam and its part."""
        return next(iter(self.runs.values())).title


@dataclass(frozen=True, slots=True)
class OverTemplates:
    """A measure in each template, in their order, and over all: the mean, with its interval where there is one.

    leads  whether it is a headline of its exam
    """

    measure: Measure
    figures: tuple[Estimate, ...]
    mean: Estimate
    leads: bool = False

    @property
    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest figure; None where one has no value."""
        values = [figure.value for figure in self.figures if figure.value is not None]
        return (min(values), max(values)) if len(values) == len(self.figures) else None


def asked_in_several(labelled: Iterable[tuple[str, Run]]) -> list[OneModel]:
    """The models among these runs that were asked in several templates."""
    models: dict[tuple[str, str], OneModel] = {}
    for label, run in labelled:
        name, _, template = label.rpartition(BETWEEN)
        identity = str(run.signature.flat().get(f"{ASKED}.{TEMPLATE}", ""))
        if not name or not identity.startswith(f"{template}-"):
            continue
        model = models.setdefault((name, run.title), OneModel(name, {}))
        first = next(iter(model.runs.values()), run)
        if all(each.part.startswith(ASKED) for each in differences(first.signature, run.signature)):
            model.runs[template] = run
    return [model for model in models.values() if len(model.runs) > 1]


def over_templates(model: OneModel, *, seed: int = 0, resamples: int = RESAMPLES) -> list[OverTemplates]:
    """The measures that are compared between models, in each template and over all of them."""
    runs = list(model.runs.values())
    if not part_of(runs[0]).views:
        return []
    short = lead_by_short_answers(runs)
    views = [leading_views(run, short) for run in runs]
    found: list[OverTemplates] = []
    for view in views[0]:
        for measure in (each for each in view.measures if view.roles.get(each.key) not in ("aside", "slice")):
            sides = [match for others in views if (match := _view_with(others, measure)) is not None]
            if len(sides) == len(runs):
                figures = tuple(run.measures.figure(measure.key) for run in runs)
                mean = _mean(measure, sides, figures, seed, resamples)
                found.append(OverTemplates(measure, figures, mean, view.roles.get(measure.key) == "headline"))
    return found


def _view_with(views: Sequence[View], measure: Measure) -> tuple[View, Measure] | None:
    """The view that has a measure, and the measure as it is there."""
    return next(((view, own) for view in views for own in view.measures if own.key == measure.key), None)


def _mean(
    measure: Measure,
    sides: Sequence[tuple[View, Measure]],
    figures: Sequence[Estimate],
    seed: int,
    resamples: int,
) -> Estimate:
    """The mean of the figures, with the interval that includes the choice of the templates."""
    values = [figure.value for figure in figures if figure.value is not None]
    if len(values) < len(figures):
        return Estimate(None, None, None, len(sides))
    sums = list(_cluster_sums(sides))
    width = len(sums[0])
    drawn = drawn_sums(np.concatenate(sums), seed, resamples) if sums[0].shape[1] > 1 else None
    interval = None
    if drawn is not None:
        parts = (drawn[:, width * place : width * (place + 1)] for place in range(len(sums)))
        of = measure.aggregate.of
        interval = over_wordings(values, np.column_stack([of(part) for part in parts]))
    most = _most(measure)
    if interval is not None and most is not None:
        # Student's t knows no bounds.
        interval = Interval(max(interval.low, 0.0), min(interval.high, most))
    return Estimate.within(float(np.mean(values)), interval, len(sides))


def _most(measure: Measure) -> float | None:
    """The highest value of a share, or of a figure in per cent, which is never below 0; None for other measures."""
    return 1.0 if measure.share else 100.0 if measure.unit == "%" else None


def _cluster_sums(sides: Sequence[tuple[View, Measure]]) -> Iterator[FloatArray]:
    """The columns of a measure by cluster for each template; clusters are those of all, so that one draw is of all."""
    tables = [ItemColumns(view.items) for view, _ in sides]
    ids = [np.asarray(table[view.clusters]) for table, (view, _) in zip(tables, sides, strict=True)]
    numbers, count = numbered(np.concatenate(ids), sum(map(len, ids)))
    ends = np.cumsum([len(each) for each in ids])[:-1]
    for table, (_, measure), own in zip(tables, sides, np.split(numbers, ends), strict=True):
        statistics, kept = measure.statistics(table)
        yield cluster_sums(columns(statistics, measure.aggregate), own[kept], count)
