"""The views of a stored run, whichever exam it is of."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from voirdire.answers import views as answers
from voirdire.errors import UsageError
from voirdire.questions import views as questions
from voirdire.robustness import views as robustness
from voirdire.runs import Run
from voirdire.runs.view import View
from voirdire.scorekeeping import views as scorekeeping

if TYPE_CHECKING:
    import polars as pl

__all__ = ["views_of"]

Views = Callable[["pl.DataFrame", Mapping[str, Any]], tuple[View, ...]]

PARTS: dict[tuple[str, str], Views] = {
    ("answers", "score"): answers.score_views,
    ("answers", "rank"): answers.rank_views,
    ("robustness", "score"): robustness.score_views,
    ("robustness", "accuracy"): robustness.accuracy_views,
    ("questions", "score"): questions.score_views,
    ("questions", "kinds"): questions.kinds_views,
    ("scorekeeping", "probe"): scorekeeping.probe_views,
}


def views_of(run: Run) -> tuple[View, ...]:
    """What the run's figures were made of; a part that says nothing of one model against another is refused."""
    if (run.exam, run.part) not in PARTS:
        parts = ", ".join(" ".join(part) for part in PARTS)
        raise UsageError(f"`{run.title}` has no figures by which models are compared; these parts have: {parts}")
    return PARTS[run.exam, run.part](run.items, run.options)
