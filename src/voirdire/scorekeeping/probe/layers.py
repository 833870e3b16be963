"""Accuracy by layer with its intervals, drawn from runs of `scorekeeping probe`, one per layer of a model.

One line per name of runs, and of these one per task and control where all were asked; vertical bars for the 95 %
intervals. A layer's point is `accuracy@5`, or `accuracy` where no scored dialogue comes so far.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome, read_run
from voirdire.metrics.key import Key
from voirdire.options import Options
from voirdire.progress import UNSEEN, Stages
from voirdire.runs import Run
from voirdire.scorekeeping.exam import PROBE
from voirdire.scorekeeping.measures import RIGHT, TURN
from voirdire.scorekeeping.score_tasks import TASKS

LAYER = "{}"
"""The placeholder of the layer's number in the name of the runs."""
Line = tuple[str, Mapping[int, Run]]
"""What a line is called, and its runs by layer."""


def read_line(name: str) -> Line:
    """The runs of a line, called as it is without the number."""
    if name.count(LAYER) != 1 or LAYER not in Path(name).name:
        raise UsageError(f"`run` must have {LAYER} for the layer's number in the name of its folders, got {name}")
    above, inside = Path(name).parent, Path(name).name
    number = re.compile(r"(\d{1,4})".join(map(re.escape, inside.split(LAYER))), re.ASCII)
    folders = [path for path in above.iterdir() if path.is_dir()] if above.is_dir() else []
    layers = {int(match[1]): folder for folder in sorted(folders) if (match := number.fullmatch(folder.name))}
    if not layers:
        raise UsageError(f"{name}: no folder of this name with a number in place of {LAYER}")
    return name, {layer: _checked(read_run(layers[layer]), layers[layer]) for layer in sorted(layers)}


def _checked(run: Run, folder: Path) -> Run:
    if (run.exam, run.part) != ("scorekeeping", PROBE.name):
        raise UsageError(
            f"{folder}: a run of `{run.title}`, which has no accuracy of a probe; `scorekeeping probe` has"
        )
    return run


def draw_layers(
    run: Sequence[Line], options: Options | None = None, stages: Stages = UNSEEN, *, output: str | Path
) -> Outcome:
    """Draw lines to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    return Outcome((f"drawn: {write_chart(drawing(dict(run)), output)}",))


def drawing(lines: Mapping[str, Mapping[int, Run]]) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    runs = [run for line in lines.values() for run in line.values()]
    turn = TURN if all(_keys(run, TURN) for run in runs) else None
    points = [point for name, line in lines.items() for point in _points(name, line, turn)]
    if not points:
        raise UsageError(f"{', '.join(lines)}: runs without any accuracy")
    across = {"field": "layer", "type": "ordinal", "title": "layer", "axis": {"labelAngle": 0}}
    title = "accuracy" if turn is None else f"accuracy at turn {turn}"
    up = {"field": "accuracy", "type": "quantitative", "title": title, "scale": {"zero": False}}
    return chart(points, across, up, "runs")


def _points(name: str, line: Mapping[int, Run], turn: int | None) -> list[dict[str, Any]]:
    """The points of a name's runs, which must have been made in the same way of the same data."""
    first, *others = line.items()
    for layer, run in others:
        if run.signature != first[1].signature:
            raise UsageError(
                f"{name}: the runs of the layers {first[0]} and {layer} differ in what was asked or of which data; "
                "`voirdire compare` says in what"
            )
    return [
        {
            "runs": ", ".join([name, *key.slice]),
            "layer": layer,
            "accuracy": run.measures.figure(key).value,
            "low": run.measures.figure(key).low,
            "high": run.measures.figure(key).high,
        }
        for layer, run in line.items()
        for key in _keys(run, turn)
    ]


def _keys(run: Run, turn: int | None) -> list[Key]:
    """The keys of a run's accuracy at a turn; in a run of all tasks, of each task and control."""
    return [
        key
        for key, figure in run.measures.of(RIGHT.key.measure).items()
        if key.k == turn
        and not (key.condition or key.variant)
        and figure.value is not None
        and (key.slice[:1] and key.slice[0] in TASKS if run.options["all"] else not key.slice)
    ]
