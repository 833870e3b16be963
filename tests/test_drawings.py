"""Charts with intervals and files of drawings."""

import json

import pytest

from voirdire.drawings import chart, check_drawing, write_chart, write_svg
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
    own = write_svg(SVG, "<!DOCTYPE html><p>page</p>", tmp_path / f"b{ending}")
    assert own.read_bytes().startswith(start)


def test_what_cannot_be_drawn(tmp_path):
    with pytest.raises(UsageError, match=r"may be \.svg, \.png, \.html"):
        check_drawing(tmp_path / "a.pdf")
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(OutputError, match="folder"):
        check_drawing(tmp_path / "a.svg")
