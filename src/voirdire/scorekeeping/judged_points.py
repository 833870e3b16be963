"""The points that people judged, found again among the points of a probe's run.

A point of the run is the judges' where dialogue, turn, gold class and the proposition's words are the same; case,
spaces and the final full stop make no difference. Propositions of one dialogue that are told apart by nothing else are
told apart by their index.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voirdire.errors import InputError, Problem, UsageError
from voirdire.runs import Run
from voirdire.scorekeeping.probe.tasks import TASKS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Joined", "join_run"]

NEEDED = ("dialogue", "index", "turn", "proposition", "task", "control", "gold", "predicted")


@dataclass(frozen=True, eq=False)
class Joined:
    """For one task of a run: the share of its seeds that are right, a value a judged point; null where it has none."""

    task: str
    right: "pl.Series"


def join_run(points: "pl.DataFrame", name: str, run: Run, common: bool = False) -> list[Joined]:
    """How a run does on judged points, task by task; controls are left aside.

    points  one row a point: dialogue, turn, index, proposition, true, shared
    common  whether points that the run lacks are null; otherwise they are errors
    """
    import polars as pl

    if run.exam != "scorekeeping" or missing_columns(run):
        raise UsageError(f"{name}: a run of `{run.title}`, which predicts no points; `scorekeeping probe` does")
    if not (run.items["control"] == "").any():
        raise UsageError(f"{name}: a run of controls alone; people are compared with a probe of real states")
    asked = ("dialogue", "turn", "index", "task", "gold", "predicted")
    items = run.items.filter(pl.col("control") == "").select(*asked, _words().alias("words"))
    judged = points.select("dialogue", "turn", pl.col("index").alias("judged"), _words().alias("words"))
    judged = judged.with_row_index("point")
    joined = []
    for task in run.items["task"].unique(maintain_order=True).to_list():
        gold = TASKS[task].label(points["true"].to_numpy(), points["shared"].to_numpy())
        keyed = judged.with_columns(pl.Series("gold", [TASKS[task].classes[place] for place in gold.tolist()]))
        found = (
            keyed.join(items.filter(pl.col("task") == task), on=["dialogue", "turn", "words", "gold"])
            .with_columns((pl.col("index") != pl.col("judged")).alias("other"))
            .filter(pl.col("other") == pl.col("other").min().over("point"))
            .group_by("point")
            .agg((pl.col("gold") == pl.col("predicted")).mean().alias("right"))
        )
        right = judged.join(found, on="point", how="left", maintain_order="left")["right"]
        if right.null_count() and not common:
            raise _lacking(name, points.filter(right.is_null()))
        joined.append(Joined(task.lower(), right))
    return joined


def missing_columns(run: Run) -> list[str]:
    """The columns of a probe's items that a run does not have."""
    return [column for column in NEEDED if column not in run.items.columns]


def _words() -> "pl.Expr":
    import polars as pl

    return pl.col("proposition").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars(" .")


def _lacking(name: str, points: "pl.DataFrame") -> InputError:
    expected = "each point that was judged, with the same words and gold labels; or --common"
    problems = [
        Problem(f"dialogue {dialogue}, turn {turn}", "", f"no proposition {text!r}", expected)
        for dialogue, turn, text in points.select("dialogue", "turn", "proposition").iter_rows()
    ]
    return InputError(name, problems)
