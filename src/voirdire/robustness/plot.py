"""Accuracy by partition with its intervals, drawn from a run of `robustness score` or `robustness rankers`.

One line a ranker (one in all for `score`), vertical bars for the 95 % intervals, the accuracy on the clean questions as
a dashed line, and that under random questions, where it was measured, beside the last partition. The drawing is made
here, without a browser or a network; a page holds all of its scripts.
"""

import re
from pathlib import Path
from typing import Any

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import UsageError
from voirdire.runs import Run

__all__ = ["ENDINGS", "drawing", "plot_partitions"]

ENDINGS = (".svg", ".png", ".html")
NAME = re.compile(r"accuracy(?:\[(?P<ranker>.+)\])?:(?:partition(?P<partition>\d)|control)")
RANDOM = "random"
WIDTH, HEIGHT = 420, 280
INK, GREY = "#1f4e79", "#555555"
VEGA_LITE = "6.1"


def plot_partitions(run: Run, path: str | Path) -> Path:
    """Draw the run to a file whose ending says how: .svg, .png, .html."""
    out = Path(path)
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{out}: the ending says what to draw, and may be {', '.join(ENDINGS)}")
    check_output(out)
    made = drawing(run)
    import vl_convert

    if ending == ".png":
        data = vl_convert.vegalite_to_png(made, vl_version=VEGA_LITE, scale=2)
    elif ending == ".svg":
        data = vl_convert.vegalite_to_svg(made, vl_version=VEGA_LITE).encode()
    else:
        data = vl_convert.vegalite_to_html(made, vl_version=VEGA_LITE, bundle=True).encode()
    write_atomic(out, data)
    return out


def drawing(run: Run) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    points = _points(run)
    if not points:
        raise UsageError(
            f"the run is of `{run.title}`, which has no accuracy by partition; "
            "`robustness score` and `robustness rankers` have it"
        )
    several = len({point["ranker"] for point in points}) > 1
    across: dict[str, Any] = {
        "x": {
            "field": "partition",
            "type": "ordinal",
            "sort": [*map(str, range(1, 8)), RANDOM],
            "title": "partition, from the least noise to the most",
            "axis": {"labelAngle": 0},
        },
        "color": {"field": "ranker", "type": "nominal", "sort": None} if several else {"value": INK},
    }
    if several:
        # Beside each other, so that no interval hides another.
        across["xOffset"] = {"field": "ranker", "type": "nominal", "sort": None}

    def layer(mark: dict[str, Any], field: str, **more: Any) -> dict[str, Any]:
        up = {"field": field, "type": "quantitative", "title": "accuracy (%)", "scale": {"zero": False}}
        return {"mark": mark, "encoding": {**across, "y": up, **more}}

    line = layer({"type": "line", "opacity": 0.5}, "accuracy")
    line["transform"] = [{"filter": f"datum.partition != '{RANDOM}'"}]
    layers = [
        layer({"type": "rule"}, "low", y2={"field": "high"}),
        line,
        layer({"type": "point", "filled": True, "size": 45, "opacity": 1}, "accuracy"),
    ]
    clean = run.measures["accuracy"].value if "accuracy" in run.measures else None
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": points},
        "layer": layers if clean is None else [*layers, *_clean_line(clean)],
    }


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


def _clean_line(clean: float) -> list[dict[str, Any]]:
    data = {"values": [{"clean": clean, "label": f"clean: {clean:.2f}"}]}
    up = {"field": "clean", "type": "quantitative"}
    text = {"type": "text", "align": "left", "dy": -7, "color": GREY}
    return [
        {"data": data, "mark": {"type": "rule", "strokeDash": [5, 4], "color": GREY}, "encoding": {"y": up}},
        {"data": data, "mark": text, "encoding": {"y": up, "x": {"value": 4}, "text": {"field": "label"}}},
    ]
