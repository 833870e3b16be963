"""Effectiveness by turn with its intervals, drawn from runs of `questions score`.

One line a run, vertical bars for the 95 % intervals. A turn's point is `effectiveness@t`: of the games that come so
far, the share whose question t is effective.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.runs import Run

__all__ = ["drawing", "plot_turns"]

NAME = re.compile(r"effectiveness@(?P<turn>\d+)")


def plot_turns(runs: Mapping[str, Run], path: str | Path) -> Path:
    """Draw runs, each by its name, to a file whose ending says how: .svg, .png, .html."""
    check_drawing(path)
    return write_chart(drawing(runs), path)


def drawing(runs: Mapping[str, Run]) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    points = [point for name, run in runs.items() for point in _points(name, run)]
    across = {"field": "turn", "type": "ordinal", "title": "turn", "axis": {"labelAngle": 0}}
    up = {
        "field": "effectiveness",
        "type": "quantitative",
        "title": "share of effective questions",
        "scale": {"domain": [0, 1]},
    }
    return chart(points, across, up, "run")


def _points(name: str, run: Run) -> list[dict[str, Any]]:
    found = ((NAME.fullmatch(measure), figure) for measure, figure in run.measures.items())
    points = [
        {
            "run": name,
            "turn": int(match["turn"]),
            "effectiveness": figure.value,
            "low": figure.low,
            "high": figure.high,
        }
        for match, figure in found
        if match and figure.value is not None
    ]
    if not points and (run.exam, run.part) == ("questions", "score"):
        raise UsageError(
            f"{name}: a run without effectiveness by turn: no game that was played to its end has a question"
        )
    if not points:
        raise UsageError(
            f"{name}: a run of `{run.title}`, which has no effectiveness by turn; `questions score` has it"
        )
    return points
