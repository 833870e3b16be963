"""What the figures of this exam's runs are made of: points, drawn by dialogue.

Between two models the real states are compared, task by task; what a probe makes of a control's states is no figure of
the model. One probe is also compared by turn, polarity, rule, and seen and unseen sentences.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from voirdire.runs.view import View
from voirdire.scorekeeping.probe.tasks import TASKS
from voirdire.scorekeeping.probe_measures import headline_views
from voirdire.scorekeeping.probe_measures import probe_views as views_of_task
from voirdire.scorekeeping.probe_names import of_task

if TYPE_CHECKING:
    import polars as pl

__all__ = ["probe_views"]


def probe_views(items: "pl.DataFrame", options: Mapping[str, Any]) -> tuple[View, ...]:
    """Of `scorekeeping probe`: all measures of its task or, of a run of all tasks, the headline ones of each."""
    import polars as pl

    if not options["every"]:
        return views_of_task(items, TASKS[options["task"]])
    real = items.filter(pl.col("control") == "")
    kinds = real["task"].unique(maintain_order=True).to_list()
    return tuple(
        _named(view, kind)
        for kind in kinds
        for view in headline_views(real.filter(pl.col("task") == kind), TASKS[kind])
    )


def _named(view: View, task: str) -> View:
    measures = tuple(replace(measure, name=of_task(measure.name, task)) for measure in view.measures)
    return replace(view, measures=measures, roles={of_task(name, task): role for name, role in view.roles.items()})
