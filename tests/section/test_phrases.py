"""Shares in percent, and when two figures may be called different."""

import polars as pl

from voirdire.metrics.key import Key
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.section.content import Cell, Model
from voirdire.section.phrases import apart, of_all, percent, percent_cell, percent_ci, turning

LOW, HIGH = Estimate(0.4, 0.3, 0.5, 20), Estimate(0.7, 0.6, 0.8, 20)


def model(**measures: Estimate) -> Model:
    figures = Measures({Key(name): figure for name, figure in measures.items()})
    return Model("one", "one-run", Run("questions", {}, pl.DataFrame(), figures, Signature(version="0")))


def test_percent() -> None:
    assert [percent(0.618), percent(None), percent(1, 0), percent(0.0456, 1)] == ["61.80", "–", "100", "4.6"]


def test_a_cell_holds_the_share_and_shows_percent() -> None:
    shares = model(accuracy=LOW, nothing=Estimate(None, None, None, 0))
    assert percent_cell(shares, "accuracy", " *", "bad") == Cell(
        "40.00 *", "one-run", "accuracy", 0.4, 0.3, 0.5, "bad", 100
    )
    assert percent_cell(shares, "nothing", " *") == Cell("–", "one-run", "nothing", scale=100)
    assert percent_cell(shares, "unknown") == Cell("–", "one-run", "", scale=100)


def test_in_a_sentence() -> None:
    assert percent_ci(LOW) == "40.0 % (95 % interval 30.0 … 50.0)"
    assert percent_ci(Estimate(0.4, None, None, 1)) == "40.0 %"


def test_intervals_that_do_not_meet_are_apart() -> None:
    assert apart(LOW, HIGH) is True
    assert apart(HIGH, LOW) is True
    assert apart(LOW, Estimate(0.6, 0.5, 0.7, 20)) is False
    assert apart(LOW, Estimate(0.6, None, None, 1)) is None


def test_how_much_is_shown() -> None:
    assert of_all(1, 1, "game") == "1 game"
    assert of_all(2000, 2000, "game") == "2,000 games"
    assert of_all(200, 2000, "game") == "200 of 2,000 games, at even distances"


def test_where_a_curve_comes_back() -> None:
    def curve(*values: float, half: float = 0.02) -> dict[int, Estimate]:
        return {turn: Estimate(value, value - half, value + half, 20) for turn, value in enumerate(values)}

    assert turning(curve(0.9, 0.5, 0.4, 0.7)) == (2, "lowest")
    assert turning(curve(0.5, 0.7, 0.9, 0.8)) == (2, "highest")
    assert turning(curve(0.9, 0.5, 0.4, 0.3)) is None
    assert turning(curve(0.9, 0.3)) is None
    # Below both ends, but not apart from the last one.
    assert turning(curve(0.9, 0.5, 0.4, 0.43)) is None
    assert turning({turn: Estimate(0.5, None, None, 1) for turn in range(3)}) is None
