"""Shares as two of the exams' papers give them: in percent; and when two of them may be called different.

A difference is called one only where the 95 % intervals of both figures are apart. That asks for more than a test of
the difference would: a sentence on the first screen should not be one that a test takes back.
"""

from collections.abc import Mapping
from dataclasses import replace

from voirdire.figures import counted, short
from voirdire.report.content import Cell, Model, Tone
from voirdire.report.parts import rounded, told
from voirdire.runs import Estimate

__all__ = ["apart", "of_all", "percent", "percent_cell", "share_told", "turning"]


def percent(value: float | None, decimals: int = 2) -> str:
    """`61.80`, or a dash."""
    return short(None if value is None else 100 * value, decimals)


def percent_cell(model: Model, measure: str, after: str = "", mark: Tone = "plain") -> Cell:
    """The cell of one of a run's shares in percent; `after` is written behind it."""
    cell = rounded(model, measure, scale=100)
    return replace(cell, text=cell.text if cell.value is None else cell.text + after, mark=mark)


def share_told(figure: Estimate) -> str:
    """`61.8 % (95 % interval 59.2 … 64.1)`, for a sentence."""
    return told(figure, scale=100, unit=" %")


def of_all(kept: int, every: int, noun: str) -> str:
    """How much of what there is a page shows: `2,000 games`, `200 of 2,000 games, at even distances`."""
    return counted(every, noun) if kept == every else f"{kept:,} of {counted(every, noun)}, at even distances"


def apart(first: Estimate, second: Estimate) -> bool | None:
    """Whether the intervals of two figures do not meet; None where one of them has none."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return None
    return first.low > second.high or second.low > first.high


def turning(figures: Mapping[int, Estimate]) -> tuple[int, str] | None:
    """The turn between the ends of a curve that lies outside of both and is apart from both; is it `lowest`, `highest`?

    Of several the one that is farthest outside. None of a curve that, but for noise, goes from one end to the other.
    """
    first, *between, last = figures
    known = [figures[first].value or 0.0, figures[last].value or 0.0]

    def outside(turn: int) -> float:
        value = figures[turn].value or 0.0
        return max(min(known) - value, value - max(known))

    beyond = [
        turn
        for turn in between
        if outside(turn) > 0 and all(apart(figures[turn], figures[end]) for end in (first, last))
    ]
    if not beyond:
        return None
    turn = max(beyond, key=outside)
    return turn, "lowest" if (figures[turn].value or 0.0) < min(known) else "highest"
