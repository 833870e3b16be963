"""The measures of a model that is asked: those of predicted points, and how much of what it said could be read.

    unread     share of the judgements of which nothing could be read; also [truth] and [sharing]

`accuracy…` is over what could be read, `accuracy…:asked` over all that was asked, the rest as wrong.
"""

from typing import TYPE_CHECKING

from voirdire.metrics.measure import Measure
from voirdire.runs.estimate import Measures
from voirdire.runs.view import View, estimate_views
from voirdire.scorekeeping.exam import JudgeOptions
from voirdire.scorekeeping.measures import POINT_MEASURES, headline, point_view, task_views, view_of_task
from voirdire.scorekeeping.tasks import TASKS, ScoreTask

if TYPE_CHECKING:
    import polars as pl

UNREAD = Measure.figure(
    "unread",
    "lower",
    label="not read",
    description="share of a model's judgements of which neither yes nor no could be read",
    share=True,
)
JUDGE_MEASURES = (*POINT_MEASURES, UNREAD)
"""All measures that a run of `scorekeeping judge` may have."""


def judge_views(items: "pl.DataFrame", options: JudgeOptions) -> tuple[View, ...]:
    """All measures of one task or, of all tasks, the headline ones of each."""
    import polars as pl

    if options.task is not None:
        return task_views(items, TASKS[options.task])
    return tuple(
        view_of_task(point_view(items.filter(pl.col("task") == kind), headline(TASKS[kind])), kind)
        for kind in items["task"].unique(maintain_order=True)
    )


def main_figures(items: "pl.DataFrame", task: ScoreTask, seed: int) -> Measures:
    """The headline figures of one task's items."""
    return estimate_views((point_view(items, headline(task)),), seed=seed)


def judge_figures(items: "pl.DataFrame", task: ScoreTask, seed: int) -> Measures:
    """All figures of one task's items."""
    return estimate_views(task_views(items, task), seed=seed)
