"""A run in a notebook: short, with a table, a frame and a chart."""

import polars as pl
import pytest

from voirdire.errors import UsageError
from voirdire.metrics.key import Key
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures

RUN = Run(
    exam="answers",
    part="score",
    options={},
    items=pl.DataFrame({"image_id": [1, 2]}),
    measures=Measures(
        {
            Key("cider4"): Estimate(0.5, 0.4, 0.6, 2),
            Key("cider4", variant="std"): Estimate(0.1, None, None, 2),
            Key("valid", slice=("<b>",)): Estimate(None, None, None, 0),
        }
    ),
    signature=Signature(version="0"),
)


def test_it_says_what_it_is_on_one_line() -> None:
    assert repr(RUN) == "Run('answers score', 2 items, 3 measures)"


def test_its_measures_as_a_frame() -> None:
    frame = RUN.to_frame()
    assert frame.columns == ["measure", "value", "low", "high", "n"]
    assert frame.row(0) == ("cider4", 0.5, 0.4, 0.6, 2)
    assert frame.row(2) == ("valid[<b>]", None, None, None, 0)


def test_its_table_escapes_all_texts() -> None:
    shown = RUN._repr_html_()
    assert "<caption>answers score, 2 items</caption>" in shown
    assert "<td>0.4000 … 0.6000</td>" in shown
    assert "valid[&lt;b&gt;]" in shown
    assert "<b>" not in shown


def test_a_chart_of_what_has_an_interval(tmp_path) -> None:
    chart = RUN.plot()
    assert [point["measure"] for point in chart.specification["data"]["values"]] == ["cider4"]
    assert chart._repr_svg_().startswith("<svg")
    assert chart.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UsageError, match=r"`measures` must be among those of the run, got 'meteor'; there are: cider4"):
        RUN.plot("meteor")
    with pytest.raises(UsageError, match="no measure with an interval"):
        RUN.plot("cider4:std")
