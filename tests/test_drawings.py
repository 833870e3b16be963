"""Charts with intervals and files of drawings."""

import json
from xml.etree import ElementTree

import pytest

from voirdire.drawings import DrawnTable, chart, chart_svg, check_drawing, write_chart, write_svg
from voirdire.errors import OutputError, UsageError

POINTS = [{"who": who, "at": at, "value": 0.5, "low": 0.4, "high": 0.6} for who in "ab" for at in (1, 2)]
X = {"field": "at", "type": "ordinal"}
Y = {"field": "value", "type": "quantitative", "title": "how much"}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'


def test_one_series_is_plain_and_several_stand_beside_each_other():
    one = chart(POINTS[:2], X, Y, "who")
    assert all("xOffset" not in layer["encoding"] for layer in one["layer"])
    several = chart(POINTS, X, Y, "who")
    assert all(layer["encoding"]["xOffset"]["field"] == "who" for layer in several["layer"])
    assert one["data"]["values"] == POINTS[:2]


def test_bars_go_from_low_to_high():
    rule, line, points = chart(POINTS, X, Y, "who", joined="datum.at < 2")["layer"]
    assert (rule["encoding"]["y"]["field"], rule["encoding"]["y2"]["field"]) == ("low", "high")
    assert line["transform"] == [{"filter": "datum.at < 2"}]
    assert points["encoding"]["y"]["field"] == "value"


def test_a_dashed_line_has_its_label():
    assert "base: 0.30" in json.dumps(chart(POINTS, X, Y, "who", line=(0.3, "base: 0.30"))["layer"])
    assert len(chart(POINTS, X, Y, "who")["layer"]) == 3


@pytest.mark.parametrize(("ending", "start"), [(".svg", b"<svg"), (".PNG", b"\x89PNG"), (".html", b"<!DOCTYPE html")])
def test_files_by_their_ending(tmp_path, ending, start):
    made = write_chart(chart(POINTS, X, Y, "who"), tmp_path / "new" / f"a{ending}")
    assert made.read_bytes().lstrip().startswith(start)
    own = write_svg(SVG, tmp_path / f"b{ending}", DrawnTable("title", ("a",), (("b",),)))
    assert own.read_bytes().startswith(start)


def test_what_cannot_be_drawn(tmp_path):
    with pytest.raises(UsageError, match=r"may be \.svg, \.png, \.html"):
        check_drawing(tmp_path / "a.pdf")
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(OutputError, match="folder"):
        check_drawing(tmp_path / "a.svg")


def test_a_page_has_the_drawing_and_its_figures(tmp_path):
    text = write_chart(chart(POINTS, X, Y, "who"), tmp_path / "a.html").read_text()
    assert "<title>how much</title>" in text
    assert "<script" not in text
    assert text.count("<tr>") == 1 + len(POINTS)
    assert "<tr><td>a</td><td>1</td><td>0.5000</td><td>0.4000</td><td>0.6000</td></tr>" in text


def test_cells_that_are_wrong_are_marked(tmp_path):
    rows = (("<b>", "no"), ("c", "d"))
    beside = DrawnTable("t", ("a", "b"), rows, before=("above",), note="below", wrong={(0, 1)})
    text = write_svg(SVG, tmp_path / "a.html", beside).read_text()
    assert '<tr><td>&lt;b&gt;</td><td class="wrong">no</td></tr>' in text
    assert "<tr><td>c</td><td>d</td></tr>" in text
    assert text.index("<p>above</p>") < text.index(SVG) < text.index("<p>below</p>")


@pytest.mark.parametrize("name", ["\x00", "\x1b[31m", "\ud800", "a\u2028b", "a\nb", "\ufffe"])
def test_any_name_can_be_drawn(name):
    points = [*POINTS, {**POINTS[0], "who": name}]
    made = chart(points, {**X, "sort": [name, 1]}, Y, "who")
    assert name not in chart_svg(made)


def test_of_a_long_name_the_start_and_the_end_are_drawn():
    names = ["x" * 9_000 + end for end in "ab"]
    drawn = chart_svg(chart([{**POINTS[0], "who": name} for name in names], X, Y, "who"))
    assert len(drawn) < 20_000
    assert drawn.count('aria-roledescription="point"') == 2


def test_a_name_that_is_cut_between_the_halves_of_a_character():
    """The library cuts long names by UTF-16 and fails on half a character."""
    names = ["model " + "\N{ROCKET}" * 40, "\N{ROCKET} model"]
    drawn = chart_svg(chart([{**POINTS[0], "who": name} for name in names], X, Y, "who"))
    assert "\N{ROCKET} model" in drawn
    assert "\N{ROCKET}" * 2 not in drawn


def test_a_backslash_in_a_title_begins_no_escape():
    drawn = chart_svg(chart(POINTS, X, {**Y, "title": r"share \bold"}, "who"))
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
