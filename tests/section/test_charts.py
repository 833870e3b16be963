"""Charts: every helper draws its points, in colours that the page can change, and the table behind holds the same."""

import html
import re

import pytest

from voirdire.section.charts import (
    SERIES,
    THEME,
    Point,
    Spec,
    bar_chart,
    data_table,
    drawn_svg,
    heat_map,
    interval_chart,
    line_chart,
    svg_in_page,
)

ONE = [Point("first", at, value, value - 0.1, value + 0.1) for at, value in [("a", 0.3), ("b", 0.5), ("c", 0.8)]]
TWO = [*ONE, *(Point("second & <b>", point.at, 0.4, 0.3, 0.5) for point in ONE)]
CHARTS = {
    "line": line_chart(ONE, at="turn", value="share", line=(0.5, "clean"), domain=(0, 1)),
    "lines": line_chart(TWO, at="turn", value="share"),
    "intervals": interval_chart(TWO, value="accuracy"),
    "forest": interval_chart(ONE, value="difference", line=(0.0, "no difference")),
    "bars": bar_chart(TWO, value="share"),
    "heat": heat_map(TWO, rows="gold", columns="predicted"),
}


def svg(spec: Spec, name: str) -> str:
    """The chart as an element of a page."""
    return svg_in_page(drawn_svg(spec), name)


COLOUR = re.compile(r'(?:fill|stroke)="(#[0-9a-f]+)"')


@pytest.mark.parametrize("name", CHARTS)
def test_every_colour_is_one_that_the_page_can_change(name: str) -> None:
    drawn = svg(CHARTS[name], name)
    assert drawn.startswith("<svg ")
    assert set(COLOUR.findall(drawn)) - set(THEME) - {"#000"} == set()
    assert "rgb(" not in drawn


@pytest.mark.parametrize("name", CHARTS)
def test_ids_do_not_clash_on_a_page(name: str) -> None:
    drawn = svg(CHARTS[name], "chart-7")
    assert all(found.startswith("chart-7-") for found in re.findall(r'\bid="([^"]*)"', drawn))


def marks(spec: Spec, kind: str) -> int:
    """How many marks of a kind are drawn outside of axes and legends."""
    groups = re.findall(rf'<g class="mark-{kind} role-mark[^"]*"[^>]*>(.*?)</g>', svg(spec, "x"), re.DOTALL)
    return sum(group.count("<path") + group.count("<line") + group.count("<text") for group in groups)


def test_each_point_is_drawn_once() -> None:
    assert marks(CHARTS["lines"], "symbol") == 6
    assert marks(CHARTS["intervals"], "symbol") == 6
    assert marks(CHARTS["intervals"], "rule") == 6
    assert marks(CHARTS["bars"], "rect") == 6
    assert marks(CHARTS["heat"], "text") == 6


def test_models_are_told_apart_by_colour_and_shape_in_one_legend() -> None:
    drawn = svg(CHARTS["intervals"], "x")
    assert drawn.count(">first<") == 1
    assert drawn.count(">second &amp; &lt;b&gt;<") == 1
    assert SERIES[0] in drawn
    assert SERIES[1] in drawn


def test_many_models_still_differ() -> None:
    points = [Point(f"model {number}", "a", 0.5) for number in range(60)]
    encoding = interval_chart(points, value="x")["layer"][1]["encoding"]
    pairs = set(zip(encoding["color"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True))
    assert len(pairs) == 60


def test_the_table_behind_a_chart_holds_its_points() -> None:
    table = data_table("by-turn", "By turn", [Point("first", 1, 0.25, 0.2, 0.3, "run-1", "effectiveness@1")], at="turn")
    assert table.columns == ("model", "turn", "value", "low", "high")
    (row,) = table.rows
    assert row[:2] == ("first", "1")
    assert (row[2].text, row[2].run, row[2].measure, row[2].value) == ("0.2500", "run-1", "effectiveness@1", 0.25)  # type: ignore[union-attr]
    assert data_table("x", "x", [Point("first", 1, 0.25)]).columns == ("model", "at", "value")


def test_a_chart_without_a_figure_is_drawn_empty() -> None:
    for made in (
        line_chart([], at="turn", value="share"),
        heat_map([], rows="a", columns="b"),
        bar_chart([], value="v"),
    ):
        assert svg(made, "x").startswith("<svg ")


def test_a_label_that_looks_like_an_id_stays_as_it_is() -> None:
    label = 'id="x" url(#y)'
    drawn = svg(bar_chart([Point("first", label, 0.5)], value="share"), "chart-7")
    assert f">{label}</text>" in html.unescape(drawn)
