"""The run of a model that was asked as tables for a person: all tasks, then one in detail, in percent as the paper."""

from voirdire.exam import options_of
from voirdire.metrics.key import Key
from voirdire.runs import Run
from voirdire.runs.coverage import ASKED
from voirdire.runs.estimate import Measures
from voirdire.scorekeeping.judging.measures import judge_figures
from voirdire.scorekeeping.measures import BY_DIALOGUE, CONFUSION, RIGHT, TURN, of_task, rules_of
from voirdire.scorekeeping.tables import detail_tables, joined, percent
from voirdire.scorekeeping.tasks import TASKS
from voirdire.tables import text_table

_IN_DETAIL = {BY_DIALOGUE.key.measure, CONFUSION.key.measure}


def judge_tables(run: Run) -> str:
    """Accuracy by task, then by turn, polarity, rule and class of the one with the most classes, then all measures."""
    import polars as pl

    options = options_of(run)
    if options.task is not None:
        details = detail_tables(run.measures, TASKS[options.task], rules_of(run.items))
        leading = Measures({key: figure for key, figure in run.measures.items() if _leads(key)})
        return f"{details}\n\n{text_table(run, leading)}"
    task = next(iter(TASKS.values()))
    items = run.items.filter(pl.col("task") == task.name)
    blocks = [task_table(run)]
    if items.height:
        details = detail_tables(judge_figures(items, task, options.seed), task, rules_of(items))
        blocks += [f"{task.name}, in percent:", details]
    return "\n\n".join([*blocks, text_table(run)])


def task_table(run: Run) -> str:
    """Accuracy at turn 5 and over all turns of every task; with what was not read as wrong, where that is any."""
    shown = {f"accuracy at turn {TURN}": RIGHT.key.at(TURN), "accuracy, all turns": RIGHT.key}
    asked = {f"{name}, unread as wrong": key.as_variant(ASKED) for name, key in shown.items()}
    rows = []
    for name, key in {**shown, **asked}.items():
        figures = [run.measures.figure(of_task(key, task)) for task in TASKS]
        if any(one.value is not None for one in figures):
            rows.append([name, *map(percent, figures)])
    return joined([["asked, in percent", *TASKS], *rows])


def _leads(key: Key) -> bool:
    """Whether the tables in detail do not show it."""
    return key.measure not in _IN_DETAIL and key.k in (None, TURN) and not key.slice
