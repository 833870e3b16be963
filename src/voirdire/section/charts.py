"""Charts of a report: Vega-Lite specifications made of points, and their drawing as an SVG that follows the page.

A chart is made of `Point`s, which have the run and the measure that they show; the table behind the chart is made of
the same points, so the two cannot differ. Models differ by colour and by shape. The colours are those of the page's
light theme; the page's style sheet replaces them in its dark theme, by the same names (`THEME`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voirdire.drawings import GREY, INK, chart, chart_svg
from voirdire.figures import show_figure
from voirdire.metrics.key import Key
from voirdire.section.content import Cell, Model, Table

Spec = dict[str, Any]

SERIES = (
    *("#0b5cad", "#b4450f", "#00735c", "#8f3f97", "#7a5c00"),
    *("#555b66", "#9c1458", "#3d6b00", "#006a8e", "#6b3fc4"),
)
"""Colours of models: distinct for colour-blind readers, with a contrast of 4.5:1 or more against white."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
LINES, TEXT, SOFT, ON_INK = "#d5d9e0", "#1b1f26", "#4d5663", "#fefefe"
THEME: Mapping[str, str] = {
    **{colour: f"--series-{number}" for number, colour in enumerate(SERIES, start=1)},
    INK: "--accent",
    GREY: "--soft",
    LINES: "--line",
    TEXT: "--text",
    SOFT: "--soft",
    ON_INK: "--on-accent",
}
"""Each colour of a chart, and the property of the page that replaces it."""

WIDTH, ROW = 440, 26
MARGIN = 16
"""Room for names that are longer in a reader's font than in the one they were measured with."""
FAINT, FULL, INVERT = 0.06, 1.0, 0.62
"""Opacity of a heat map's lowest and highest cell, and above which the text in a cell is light on dark."""


@dataclass(frozen=True, slots=True)
class Point:
    """One figure in a chart.

    series  the model's label, or the row of a heat map
    at      its place on the axis: a turn, a partition, a name
    value   the figure, as the run has it; low, high: the ends of its interval
    text    what is written in the cell of a heat map, if not the value
    scale   the factor by which the figure is drawn: 100 for a share in percent
    """

    series: str
    at: str | int | float
    value: float | None
    low: float | None = None
    high: float | None = None
    run: str = ""
    measure: str = ""
    text: str = ""
    scale: float = 1.0

    def drawn(self, figure: float | None) -> float | None:
        """The figure, or an end of its interval, as it is drawn."""
        return None if figure is None else figure * self.scale


def point_of(model: Model, key: Key | str, at: str | int | float, series: str = "", scale: float = 1.0) -> Point:
    """The point of one of a run's figures; `scale` 100 shows a share in percent."""
    figure = model.figure(key)
    known = str(key) if key in model.run.measures else ""
    return Point(series or model.label, at, figure.value, figure.low, figure.high, model.key, known, scale=scale)


def data_table(name: str, title: str, points: Sequence[Point], *, series: str = "model", at: str = "at") -> Table:
    """The table behind a chart: a row per point, with both ends of its interval where any point has one."""
    spread = any(point.low is not None for point in points)
    head = (series, at, "value", *(("low", "high") if spread else ()))
    rows = []
    for point in points:
        shown, *ends = (show_figure(point.drawn(figure)) for figure in (point.value, point.low, point.high))
        figure = Cell(shown, point.run, point.measure, point.value, point.low, point.high, scale=point.scale)
        rows.append((point.series, str(point.at), figure, *(ends if spread else ())))
    return Table(name, title, head, tuple(rows))


def line_chart(
    points: Sequence[Point],
    *,
    at: str,
    value: str,
    joined: str = "",
    line: tuple[float, str] | None = None,
    domain: tuple[float, float] | None = None,
    slanted: bool = False,
) -> Spec:
    """Figures from left to right with their intervals, one line per series.

    at, value  what the axes show
    joined     which points a line joins, as a condition on `datum.at`; all of them if empty
    line       the height of a dashed line, and its label
    domain     both ends of the value's axis, where they are not the data's
    slanted    whether the labels of the places are slanted, where they are many or long
    """
    scale: Spec = {"zero": False} if domain is None else {"domain": list(domain)}
    across = {
        "field": "at",
        "type": "ordinal",
        "title": at,
        "sort": _places(points),
        "axis": {"labelAngle": -40 if slanted else 0},
    }
    up = {"field": "value", "type": "quantitative", "title": value, "scale": scale}
    spec = chart(_values(points), across, up, "series", joined=joined, line=line)
    several = len(_series(points)) > 1
    if points:
        for layer in spec["layer"]:
            if "color" in layer["encoding"]:
                shaped = {"shape": _shape(points)} if several and layer["mark"]["type"] == "point" else {}
                layer["encoding"] |= {"color": _colour(points)} | shaped
    return spec | {"width": WIDTH, "height": 260}


def interval_chart(points: Sequence[Point], *, value: str, at: str = "", line: tuple[float, str] | None = None) -> Spec:
    """Figures one below the other with their intervals from left to right, as in a forest plot.

    value  what the axis shows; at  what the rows are
    line   the value of a dashed line, and its label: 0 where differences are drawn
    """
    several = len(_series(points)) > 1
    row = {"field": "at", "type": "nominal", "title": at or None, "sort": _places(points), "axis": _NAMES}
    across = {"field": "value", "type": "quantitative", "title": value, "scale": {"zero": False}}
    shared: Spec = {"y": row, "color": _colour(points)}
    if several:
        shared["yOffset"] = {"field": "series", "type": "nominal", "sort": _series(points)}
    ends = {**shared, "x": {**across, "field": "low"}, "x2": {"field": "high"}}
    dots: Spec = {**shared, "x": across}
    if several:
        dots["shape"] = _shape(points)
    layers: list[Spec] = [
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": ends},
        {"mark": {"type": "point", "filled": True, "size": 55, "opacity": 1}, "encoding": dots},
    ]
    if line is not None:
        layers.insert(0, _upright(*line))
    return _spec(points, height={"step": 14 if several else ROW}) | {"layer": layers}


def bar_chart(points: Sequence[Point], *, value: str) -> Spec:
    """Figures as horizontal bars from zero, one below the other, with their intervals where they have one."""
    several = len(_series(points)) > 1
    row = {"field": "at", "type": "nominal", "title": None, "sort": _places(points), "axis": _NAMES}
    shared: Spec = {"y": row}
    if several:
        shared["yOffset"] = {"field": "series", "type": "nominal", "sort": _series(points)}
    across = {"field": "value", "type": "quantitative", "title": value, "scale": {"zero": True}}
    layers: list[Spec] = [
        {"mark": {"type": "bar", "opacity": 0.8}, "encoding": {**shared, "x": across, "color": _colour(points)}}
    ]
    if any(point.low is not None for point in points):
        ends = {**shared, "x": {**across, "field": "low"}, "x2": {"field": "high"}}
        layers.append({"mark": {"type": "rule", "strokeWidth": 1.5, "color": TEXT}, "encoding": ends})
    return _spec(points, height={"step": 14 if several else ROW}) | {"layer": layers}


def heat_map(points: Sequence[Point], *, rows: str, columns: str, top: float | None = None) -> Spec:
    """A table whose cells are shaded by value, zero to `top` (the largest if not given): series down, `at` across.

    The text of a point, or its value, is written in the cell, so that the shade is never the only sign.
    """
    largest = top if top is not None else max((point.drawn(point.value) or 0.0 for point in points), default=0.0)
    values = [
        {**each, "shade": FAINT + (FULL - FAINT) * min(1.0, max(0.0, (each["value"] or 0.0) / (largest or 1.0)))}
        for each in _values(points)
    ]
    place = {
        "x": {
            "field": "at",
            "type": "nominal",
            "title": columns,
            "sort": _places(points),
            "axis": {"labelAngle": 0, "orient": "top", "domain": False, "ticks": False},
        },
        "y": {
            "field": "series",
            "type": "nominal",
            "title": rows,
            "sort": _series(points),
            "axis": {"domain": False, "ticks": False, "labelLimit": 220},
        },
    }
    shade = {"field": "shade", "type": "quantitative", "scale": None, "legend": None}
    ink = {"condition": {"test": f"datum.shade > {INVERT}", "value": ON_INK}, "value": TEXT}
    written = {"field": "text", "type": "nominal"}
    return _spec(points, values=values, width={"step": 76}, height={"step": 34}) | {
        "layer": [
            {"mark": {"type": "rect", "color": INK}, "encoding": {**place, "opacity": shade}},
            {"mark": {"type": "text", "fontSize": 13}, "encoding": {**place, "text": written, "color": ink}},
        ]
    }


def recoloured(spec: Mapping[str, Any], places: Mapping[str, int]) -> Spec:
    """The chart with each series in the colour and shape of its model, so that these are the same in the whole page.

    places  of the models by label; a series with another name keeps its colour and shape
    """
    layers = [recoloured(layer, places) for layer in spec.get("layer", ())]
    encoding = dict(spec.get("encoding", {}))
    for channel, at_place in (("color", colour_at), ("shape", shape_at)):
        scale = encoding.get(channel, {}).get("scale") or {}
        if "domain" in scale:
            values = [
                before if (place := place_of(series, places)) is None else at_place(place)
                for series, before in zip(scale["domain"], scale["range"], strict=True)
            ]
            encoding[channel] = {**encoding[channel], "scale": {**scale, "range": values}}
    return {**spec, **({"layer": layers} if layers else {}), **({"encoding": encoding} if encoding else {})}


def place_of(name: str, places: Mapping[str, int]) -> int | None:
    """The place of a series' model: the series is called by its label, or by its label and more (`truthful, best`)."""
    fitting = [label for label in places if name == label or name.startswith((f"{label}, ", f"{label} ("))]
    return places[max(fitting, key=len)] if fitting else None


def colour_at(place: int) -> str:
    """The colour of a model by its place among all, from 0."""
    return SERIES[place % len(SERIES)]


def shape_at(place: int) -> str:
    """The shape of a model; shapes move on by one when the colours start again, so that 60 models differ."""
    return SHAPES[(place + place // len(SERIES)) % len(SHAPES)]


def drawn_svg(spec: Mapping[str, Any]) -> str:
    """The chart as an SVG of its own, in the colours of the light theme."""
    return chart_svg({**spec, "config": {**spec.get("config", {}), **_CONFIG}})


def svg_in_page(drawn: str, name: str) -> str:
    """An SVG as an element of a page; `name` is put before its ids, which must be unique in the page."""
    drawn = drawn[drawn.index("<svg") :]
    # Only inside tags: a text in a chart may look like an id, and stays as it is.
    drawn = _TAG.sub(lambda tag: _ID.sub(rf"\g<1>{name}-", tag[0]), drawn)
    # The page's style sheet sets the size, and the caption beside the chart says what it shows.
    width, height = (float(size) for size in re.findall(r'\b(?:width|height)="([\d.]+)"', drawn)[:2])
    box = f'viewBox="{-MARGIN} 0 {width + MARGIN:.0f} {height:.0f}" style="--width:{width + MARGIN:.0f}px"'
    return re.sub(r"<svg[^>]*>", f'<svg {box} aria-hidden="true">', drawn, count=1)


_TAG, _ID = re.compile(r"<[^<>]*>"), re.compile(r'(\bid="|url\(#|href="#)')
_NAMES: Spec = {"labelLimit": 260, "ticks": False, "domain": False, "labelPadding": 8}
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
_CONFIG: Spec = {
    "aria": False,
    "background": None,
    "font": _FONT,
    "view": {"stroke": None},
    "range": {"category": list(SERIES), "symbol": list(SHAPES)},
    "axis": {
        "labelColor": TEXT,
        "titleColor": SOFT,
        "titleFontWeight": "normal",
        "labelFontSize": 13,
        "titleFontSize": 13,
        "gridColor": LINES,
        "domainColor": LINES,
        "tickColor": LINES,
    },
    "legend": {"labelColor": TEXT, "labelFontSize": 13, "orient": "top", "labelLimit": 260, "columns": 3, "offset": 22},
    "text": {"color": TEXT, "font": _FONT, "fontSize": 13},
}


def _series(points: Sequence[Point]) -> list[str]:
    return list(dict.fromkeys(point.series for point in points))


def _places(points: Sequence[Point]) -> list[str | int | float]:
    return list(dict.fromkeys(point.at for point in points))


def _values(points: Sequence[Point]) -> list[Spec]:
    return [
        {
            "series": point.series,
            "at": point.at,
            "value": point.drawn(point.value),
            "low": point.drawn(point.low),
            "high": point.drawn(point.high),
            "text": point.text or show_figure(point.drawn(point.value)),
        }
        for point in points
    ]


def _spec(points: Sequence[Point], *, values: list[Spec] | None = None, width: Any = WIDTH, height: Any) -> Spec:
    data = {"values": _values(points) if values is None else values}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "height": height,
        "data": data,
    }


def _colour(points: Sequence[Point]) -> Spec:
    series = _series(points)
    if len(series) == 1:
        # Without a legend; `recoloured` gives it the colour of its model.
        return _by_series(series, [INK]) | {"legend": None}
    # By default the symbols of a legend are as pale as the lines.
    return _by_series(series, list(map(colour_at, range(len(series))))) | {"legend": {"symbolOpacity": 1}}


def _shape(points: Sequence[Point]) -> Spec:
    series = _series(points)
    return _by_series(series, list(map(shape_at, range(len(series)))))


def _by_series(series: list[str], by: Sequence[Any]) -> Spec:
    """An encoding that distinguishes series; the same domain in each, so that their legends become one."""
    return {"field": "series", "type": "nominal", "title": None, "scale": {"domain": series, "range": list(by)}}


def _upright(value: float, label: str) -> Spec:
    data = {"values": [{"value": value, "label": label}]}
    across = {"field": "value", "type": "quantitative"}
    text = {"type": "text", "align": "left", "dx": -2, "dy": -5, "baseline": "bottom", "color": GREY}
    return {
        "data": data,
        "encoding": {"x": across},
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [5, 4], "color": GREY}},
            {"mark": text, "encoding": {"y": {"value": 0}, "text": {"field": "label"}}},
        ],
    }
