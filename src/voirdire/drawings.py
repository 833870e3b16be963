"""Drawings and their files: figures with their intervals as a chart, or an SVG of our own.

A drawing is made here, without a browser or a network. The ending of the file says what is written: .svg, .png, or
.html, a page with the drawing and the same as a table, which needs no script.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.atomic import check_output, write_atomic
from voirdire.errors import UsageError
from voirdire.escaping import fit_line, xml
from voirdire.figures import DRAWN, show_figure

WIDTH, HEIGHT = 420, 280
INK, GREY = "#1f4e79", "#555555"
VEGA_LITE = "6.1"
SCALE = 2
"""Pixels of a PNG for one of the drawing."""
LONGEST = 500
"""Characters of a name in a chart: of a longer one its start and its end."""
UNCUT = 12
"""Characters of a name that the library never cuts. It cuts longer ones in the middle of a character that UTF-16 writes
as a pair, and then fails on the half.
"""
_PAIRED = re.compile("[\U00010000-\U0010ffff]")


def check_drawing(path: str | Path) -> Path:
    """Refuse a place where no drawing can be put, before any work is done for it."""
    out = Path(path)
    if out.suffix.lower() not in DRAWN:
        raise UsageError(f"{out}: the ending says what to draw, and may be {', '.join(DRAWN)}")
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


@dataclass(frozen=True)
class DrawnTable:
    """The table on a page beside its drawing.

    before  lines above the drawing
    note    a line above the table
    wrong   cells that are to catch the eye: row and column, from 0
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    before: Sequence[str] = ()
    note: str = ""
    wrong: Collection[tuple[int, int]] = ()


@dataclass(frozen=True, repr=False)
class DrawnChart:
    """A chart that a notebook shows and a file can hold.

    specification  as `chart` makes it
    """

    specification: Mapping[str, Any]

    def _repr_svg_(self) -> str:
        return chart_svg(self.specification)

    def save(self, path: str | Path) -> Path:
        """Write it to a file as its ending says: .svg, .png, or .html."""
        return write_chart(dict(self.specification), path)


def write_chart(chart: dict[str, Any], path: str | Path) -> Path:
    """Write a Vega-Lite specification that `chart` made to a file as its ending says."""
    out = check_drawing(path)
    if out.suffix.lower() == ".png":
        import vl_convert

        write_atomic(out, vl_convert.vegalite_to_png(_fit(chart), vl_version=VEGA_LITE, scale=SCALE))
        return out
    points, title = chart["data"]["values"], chart["layer"][0]["encoding"]["y"]["title"]
    rows = [
        [show_figure(value) if isinstance(value, float) else str(value) for value in point.values()] for point in points
    ]
    return write_svg(chart_svg(chart), out, DrawnTable(title, list(points[0]), rows))


def chart_svg(chart: Mapping[str, Any]) -> str:
    """A Vega-Lite specification as an SVG."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(_fit(chart), vl_version=VEGA_LITE)
    return drawn


def svg_pdf(svg: str) -> bytes:
    """An SVG as a PDF of one page of its size."""
    import vl_convert

    drawn: bytes = vl_convert.svg_to_pdf(svg)
    return drawn


def _fit(value: Any) -> Any:
    """The specification with texts that can be drawn: at a character that no SVG can hold the library ends the process,
    and it writes titles into expressions, in which no line separator may stand and a backslash begins an escape.
    """
    if isinstance(value, Mapping):
        fitted = {name: _fit(inner) for name, inner in value.items()}
        if isinstance(title := fitted.get("title"), str):
            fitted["title"] = title.replace("\\", "\N{SET MINUS}")
        return fitted
    if isinstance(value, list | tuple):
        return [_fit(inner) for inner in value]
    if not isinstance(value, str):
        return value
    # The whole of it would take many seconds to measure, and be cut then.
    text = fit_line(value if len(value) <= LONGEST else f"{value[: LONGEST // 2]}…{value[-LONGEST // 2 :]}")
    return text if len(text) <= UNCUT else _PAIRED.sub("\ufffd", text)


def svg_text(x: float, y: float, text: str, style: str = "") -> str:
    """A line of text in an SVG; `style` is its attributes."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{xml(text)}</text>'


def write_svg(svg: str, path: str | Path, beside: DrawnTable) -> Path:
    """Write an SVG as it is, as a PNG, or on a page, as the ending of the file says."""
    out = check_drawing(path)
    ending = out.suffix.lower()
    if ending == ".png":
        import vl_convert

        write_atomic(out, vl_convert.svg_to_png(svg, scale=SCALE))
    else:
        write_atomic(out, (svg if ending == ".svg" else _page(svg, beside)).encode())
    return out


def _page(svg: str, beside: DrawnTable) -> str:
    from markupsafe import Markup

    from voirdire.pages import part, render

    css = part("voirdire.pages", "drawing.css")
    return render("voirdire.pages", "drawing.html", beside.title, css=css, drawing=Markup(svg), beside=beside)
