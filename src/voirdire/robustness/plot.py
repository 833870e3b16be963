"""Accuracy by partition with its intervals, drawn from a run of `robustness score` or `robustness rankers`.

One line a ranker (one in all for `score`), vertical bars for the 95 % intervals, the accuracy on the clean questions as
a dashed line, and that under random questions, where it was measured, beside the last partition.
"""

import re
from pathlib import Path
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.runs import Run

__all__ = ["drawing", "plot_partitions"]

NAME = re.compile(r"accuracy(?:\[(?P<ranker>.+)\])?:(?:partition(?P<partition>\d)|control)")
RANDOM = "random"


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
        "sort": [*map(str, range(1, 8)), RANDOM],
        "title": "partition, from the least noise to the most",
        "axis": {"labelAngle": 0},
    }
    up = {"field": "accuracy", "type": "quantitative", "title": "accuracy (%)", "scale": {"zero": False}}
    clean = run.measures["accuracy"].value if "accuracy" in run.measures else None
    return chart(
        points,
        across,
        up,
        "ranker",
        joined=f"datum.partition != '{RANDOM}'",
        line=None if clean is None else (clean, f"clean: {clean:.2f}"),
    )


def _points(run: Run) -> list[dict[str, Any]]:
    """One point a ranker and partition that has a figure."""
    found = ((NAME.fullmatch(name), figure) for name, figure in run.measures.items())
    return [
        {
            "ranker": match["ranker"] or "noisy",
            "partition": match["partition"] or RANDOM,
            "accuracy": figure.value,
            "low": figure.low,
            "high": figure.high,
        }
        for match, figure in found
        if match and figure.value is not None
    ]
