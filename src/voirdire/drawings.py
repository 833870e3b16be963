"""Drawings and their files: figures with their intervals as a chart, or an SVG of our own.

A drawing is made here, without a browser or a network; a page holds all of its scripts. The ending of the file says
what is written: .svg, .png or .html.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import UsageError

__all__ = ["ENDINGS", "GREY", "INK", "chart", "check_drawing", "write_chart", "write_svg"]

ENDINGS = (".svg", ".png", ".html")
WIDTH, HEIGHT = 420, 280
INK, GREY = "#1f4e79", "#555555"
VEGA_LITE = "6.1"
SCALE = 2
"""Pixels of a PNG for one of the drawing."""


def check_drawing(path: str | Path) -> Path:
    """Refuse a place where no drawing can be put, before any work is done for it."""
    out = Path(path)
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"{out}: the ending says what to draw, and may be {', '.join(ENDINGS)}")
    check_output(out)
    return out


def chart(
    points: Sequence[dict[str, Any]],
    x: dict[str, Any],
    y: dict[str, Any],
    series: str,
    *,
    joined: str = "",
    line: tuple[float, str] | None = None,
) -> dict[str, Any]:
    """Figures with vertical bars from their `low` to their `high`, as a Vega-Lite specification with its data inside.

    x, y    the encodings, each with the field that it shows
    series  the field that tells lines apart; lines of several values stand beside each other
    joined  which points a line joins, as a condition on `datum`; all of them if empty
    line    a height at which a dashed line is drawn, and what is written on it
    """
    several = len({point[series] for point in points}) > 1
    across: dict[str, Any] = {
        "x": x,
        "color": {"field": series, "type": "nominal", "sort": None} if several else {"value": INK},
    }
    if several:
        # Beside each other, so that no interval hides another.
        across["xOffset"] = {"field": series, "type": "nominal", "sort": None}

    def layer(mark: dict[str, Any], **up: Any) -> dict[str, Any]:
        return {"mark": mark, "encoding": {**across, "y": y, **up}}

    path = layer({"type": "line", "opacity": 0.5})
    if joined:
        path["transform"] = [{"filter": joined}]
    layers = [
        layer({"type": "rule"}, y={**y, "field": "low"}, y2={"field": "high"}),
        path,
        layer({"type": "point", "filled": True, "size": 45, "opacity": 1}),
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": list(points)},
        "layer": layers if line is None else [*layers, *_dashed(*line)],
    }


def _dashed(height: float, label: str) -> list[dict[str, Any]]:
    data = {"values": [{"height": height, "label": label}]}
    up = {"field": "height", "type": "quantitative"}
    text = {"type": "text", "align": "left", "dy": -7, "color": GREY}
    return [
        {"data": data, "mark": {"type": "rule", "strokeDash": [5, 4], "color": GREY}, "encoding": {"y": up}},
        {"data": data, "mark": text, "encoding": {"y": up, "x": {"value": 4}, "text": {"field": "label"}}},
    ]


def write_chart(made: dict[str, Any], path: str | Path) -> Path:
    """Write a Vega-Lite specification to a file as its ending says."""
    out = check_drawing(path)
    import vl_convert

    ending = out.suffix.lower()
    if ending == ".png":
        data = vl_convert.vegalite_to_png(made, vl_version=VEGA_LITE, scale=SCALE)
    elif ending == ".svg":
        data = vl_convert.vegalite_to_svg(made, vl_version=VEGA_LITE).encode()
    else:
        data = vl_convert.vegalite_to_html(made, vl_version=VEGA_LITE, bundle=True).encode()
    write_atomic(out, data)
    return out


def write_svg(svg: str, page: str, path: str | Path) -> Path:
    """Write an SVG as it is, as a PNG, or the page that holds it, as the ending of the file says."""
    out = check_drawing(path)
    ending = out.suffix.lower()
    if ending == ".png":
        import vl_convert

        write_atomic(out, vl_convert.svg_to_png(svg, scale=SCALE))
    else:
        write_atomic(out, (svg if ending == ".svg" else page).encode())
    return out
