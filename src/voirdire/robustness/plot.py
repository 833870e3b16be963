"""The figures of vqa-robustness, drawn from runs of `robustness score` and `robustness rankers`.

    accuracy   by partition; of one run with the clean accuracy as a dashed line, of several models with a line each and
               their clean accuracies before the first partition (Figures 5-1, 6 and 9)
    drop       the points lost by partition, of runs of `score` (Figure 5-2)
    r-score    the R_score as a function of the distance of two accuracies, with the runs on it (Figure 3)

One line per model, or per ranker where a run has several, with vertical bars for the 95 % intervals. Accuracy under
random questions, where it was measured, stands beside the last partition.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.drawings import HEIGHT, INK, WIDTH, chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.metrics.r_score import r_score
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import PARTITIONS, PlotRobustnessOptions
from voirdire.robustness.views import ACCURACY, CONTROL, DROP, NEAREST, R_SCORE, partition
from voirdire.runs import Run

RANDOM, CLEAN, CURVE = "random", "clean", "R_score"
PLACES = {partition(number): str(number) for number in range(1, PARTITIONS + 1)} | {CONTROL: RANDOM}
"""Where the figures of a condition stand."""
MEASURES = {"accuracy": (ACCURACY, "accuracy (%)"), "drop": (DROP, "accuracy lost (points)")}
BEYOND, STEPS = 1.25, 400
"""How far beyond the limit the R_score is drawn, as a factor, and in how many steps."""

Points = list[dict[str, Any]]


def draw_robustness(
    run: Sequence[tuple[str, Run]] | None = None,
    options: PlotRobustnessOptions | None = None,
    stages: Stages = UNSEEN,
    *,
    output: str | Path,
) -> Outcome:
    """Draw named runs to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    return Outcome((f"drawn: {write_chart(drawing(dict(run or ()), options), output)}",))


def drawing(runs: Mapping[str, Run], options: PlotRobustnessOptions | None = None) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    options = options or PlotRobustnessOptions()
    if options.figure == "r-score":
        return _r_score_drawing(runs, options)
    if not runs:
        raise UsageError("`run` must be given to draw accuracies; the R_score alone is drawn without")
    measure, title = MEASURES[options.figure]
    points: Points = []
    for name, run in runs.items():
        figures = _points(name if len(runs) > 1 else "", run, measure.key.measure)
        if not figures:
            raise UsageError(f"{name} is a run of `{run.title}`, which has no {options.figure} by partition")
        points += figures
    line = None
    for name, run in runs.items() if measure is ACCURACY else ():
        clean = run.measures.figure(ACCURACY.key)
        if clean.value is not None and len(runs) == 1:
            line = (clean.value, f"clean: {clean.value:.2f}")
        elif clean.value is not None:
            points.append(_point(name, CLEAN, clean))
    across = {
        "field": "partition",
        "type": "ordinal",
        "sort": [CLEAN, *PLACES.values()],
        "title": "partition, from the least noise to the most",
        "axis": {"labelAngle": 0},
    }
    up = {"field": "value", "type": "quantitative", "title": title, "scale": {"zero": False}}
    joined = f"datum.partition != '{RANDOM}' && datum.partition != '{CLEAN}'"
    return chart(points, across, up, "series", joined=joined, line=line)


def _points(name: str, run: Run, measure: str) -> Points:
    """One point per ranker and partition that has a figure; slices of a run of `score` are types, not rankers."""
    return [
        _point(", ".join(filter(None, (name, *key.slice))) or "noisy", PLACES[key.condition], figure)
        for key, figure in run.measures.of(measure).items()
        if key.condition in PLACES and figure.value is not None and (run.part == "rankers" or not key.slice)
    ]


def _point(series: str, place: str, figure: Any) -> dict[str, Any]:
    return {"series": series, "partition": place, "value": figure.value, "low": figure.low, "high": figure.high}


def _r_score_drawing(runs: Mapping[str, Run], options: PlotRobustnessOptions) -> dict[str, Any]:
    """R_score against |A_clean − A_noisy|, and each run at its distance under the nearest questions."""
    distances = np.linspace(0, min(BEYOND * options.m, 100), STEPS + 1)
    scores = r_score(distances, np.zeros_like(distances), options.t, options.m)
    points: Points = [
        {"series": CURVE, "distance": distance, "value": score}
        for distance, score in zip(distances.tolist(), scores.tolist(), strict=True)
    ]
    for name, run in runs.items():
        drop, score = run.measures.figure(DROP.key.under(NEAREST)), run.measures.figure(R_SCORE.key)
        if drop.value is None or score.value is None:
            raise UsageError(f"{name} is a run of `{run.title}`, which has no R_score; `robustness score` has it")
        given = run.options.get("t"), run.options.get("m")
        if given != (options.t, options.m):
            raise UsageError(
                f"{name} was scored with t = {given[0]} and m = {given[1]}; the curve is of {options.t} and {options.m}"
            )
        points.append({"series": name, "distance": abs(drop.value), "value": score.value})
    across = {"field": "distance", "type": "quantitative", "title": "|A_clean − A_noisy| (points)"}
    up = {"field": "value", "type": "quantitative", "title": "R_score", "scale": {"domain": [0, 1]}}
    shared = {"x": across, "y": up}
    of_runs = {"field": "series", "type": "nominal", "sort": None, "title": None}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": points},
        "layer": [
            {
                "transform": [{"filter": f"datum.series == '{CURVE}'"}],
                "mark": {"type": "line", "color": INK},
                "encoding": shared,
            },
            {
                "transform": [{"filter": f"datum.series != '{CURVE}'"}],
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": shared | ({"color": of_runs, "shape": of_runs} if runs else {}),
            },
        ],
    }
