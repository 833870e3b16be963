"""Accuracy by partition with its intervals, drawn from a run of `robustness score` or `robustness rankers`.

One line per ranker (one in all for `score`), vertical bars for the 95 % intervals, the accuracy on the clean questions
as a dashed line, and that under random questions, where it was measured, beside the last partition.
"""

from pathlib import Path
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.options import Options
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import PARTITIONS
from voirdire.robustness.views import ACCURACY, CONTROL, partition
from voirdire.runs import Run

RANDOM = "random"
PLACES = {partition(number): str(number) for number in range(1, PARTITIONS + 1)} | {CONTROL: RANDOM}
"""Where the figures of a condition stand."""


def draw_partitions(run: Run, output: str, options: Options | None = None, stages: Stages = UNSEEN) -> Outcome:
    """Draw the run, and say where."""
    return Outcome((f"drawn: {plot_partitions(run, output)}",))


def plot_partitions(run: Run, path: str | Path) -> Path:
    """Draw the run to a file whose ending says how: .svg, .png, .html."""
    check_drawing(path)
    return write_chart(drawing(run), path)


def drawing(run: Run) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    points = _points(run)
    if not points:
        raise UsageError(
            f"the run is of `{run.title}`, which has no accuracy by partition; "
            "`robustness score` and `robustness rankers` have it"
        )
    across = {
        "field": "partition",
        "type": "ordinal",
        "sort": list(PLACES.values()),
        "title": "partition, from the least noise to the most",
        "axis": {"labelAngle": 0},
    }
    up = {"field": "accuracy", "type": "quantitative", "title": "accuracy (%)", "scale": {"zero": False}}
    clean = run.measures.figure(ACCURACY.key).value
    return chart(
        points,
        across,
        up,
        "ranker",
        joined=f"datum.partition != '{RANDOM}'",
        line=None if clean is None else (clean, f"clean: {clean:.2f}"),
    )


def _points(run: Run) -> list[dict[str, Any]]:
    """One point per ranker and partition that has a figure; slices of a run of `score` are types, not rankers."""
    return [
        {
            "ranker": ", ".join(key.slice) or "noisy",
            "partition": PLACES[key.condition],
            "accuracy": figure.value,
            "low": figure.low,
            "high": figure.high,
        }
        for key, figure in run.measures.of(ACCURACY.key.measure).items()
        if key.condition in PLACES and figure.value is not None and (run.part == "rankers" or not key.slice)
    ]
