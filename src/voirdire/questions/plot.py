"""Effectiveness by turn with its intervals, drawn from runs of `questions score`.

One line per run, vertical bars for the 95 % intervals. A turn's point is `effectiveness@t`: of the games that come so
far, the share whose question t is effective.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.metrics.games import EFFECTIVENESS
from voirdire.options import Options
from voirdire.progress import UNSEEN, Stages
from voirdire.questions.exam import SCORE
from voirdire.runs import Run


def plot_turns(
    run: Sequence[tuple[str, Run]], options: Options | None = None, stages: Stages = UNSEEN, *, output: str | Path
) -> Outcome:
    """Draw runs to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    return Outcome((f"drawn: {write_chart(drawing(dict(run)), output)}",))


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
    points = [
        {"run": name, "turn": key.k, "effectiveness": figure.value, "low": figure.low, "high": figure.high}
        for key, figure in run.measures.of(EFFECTIVENESS.key.measure).items()
        if key.k is not None and figure.value is not None
    ]
    if not points and (run.exam, run.part) == ("questions", SCORE.name):
        raise UsageError(
            f"{name}: a run without effectiveness by turn: no game that was played to its end has a question"
        )
    if not points:
        raise UsageError(
            f"{name}: a run of `{run.title}`, which has no effectiveness by turn; `questions score` has it"
        )
    return points
