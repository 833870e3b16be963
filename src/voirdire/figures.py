"""How a figure is written for a person: the same in the terminal, in LaTeX and on the page.

Figures below 10 show four decimals, others two; small p-values are written with a power of ten; what has no value is a
dash.
"""

from collections.abc import Sequence

__all__ = [
    "ALPHA",
    "ARROWS",
    "DAGGER",
    "DRAWN",
    "NONE",
    "counted",
    "name_list",
    "short",
    "show_count",
    "show_difference",
    "show_figure",
    "show_interval",
    "show_p",
    "shown_in",
    "stars",
]

NONE = "–"
SMALL_P = 1e-3
ALPHA = 0.05
"""A difference counts as one where its p, corrected, is at most this."""

ARROWS = {"higher": " ↑", "lower": " ↓", "neither": ""}
"""What stands behind the name of a measure: where it is better."""

DRAWN = (".svg", ".png", ".html")
"""What the name of a file with a drawing of figures may end in."""

DAGGER = "†"
"""What stands instead of stars behind a figure that cannot rank two models."""

STARS = ((0.001, "***"), (0.01, "**"), (ALPHA, "*"))


def show_figure(value: float | None) -> str:
    """`0.4532`, `62.48`, `1,024.50`."""
    if value is None:
        return NONE
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"


def short(value: float | None, decimals: int = 1) -> str:
    """`8.7`: with so many decimals, as a sentence and a column of percentages need it; no sign before a zero."""
    return NONE if value is None else f"{round(value, decimals) + 0.0:,.{decimals}f}"


def shown_in(value: float | None, unit: str) -> str:
    """A figure in its unit: per cent and points of it have two decimals however small they are."""
    return short(value, 2) if unit in ("%", "points") else show_figure(value)


def show_p(value: float | None) -> str:
    """`0.0310`, `3.7e-10`."""
    return f"{value:.1e}" if value is not None and 0 < value < SMALL_P else show_figure(value)


def show_difference(value: float | None) -> str:
    """`+0.0310`, `-1.20`: the sign is always there, but for 0."""
    return f"+{show_figure(value)}" if value is not None and value > 0 else show_figure(value)


def stars(p: float | None) -> str:
    """`*`, `**` and `***` for a p of at most 0.05, 0.01 and 0.001."""
    return next((mark for most, mark in STARS if p is not None and p <= most), "")


def show_interval(low: float | None, high: float | None) -> str:
    """`0.41 … 0.49`, or a dash where either end is missing."""
    return NONE if low is None or high is None else f"{show_figure(low)} … {show_figure(high)}"


def show_count(number: int | None) -> str:
    """`20,640`."""
    return NONE if number is None else f"{number:,}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 image`, `2,000 images`; the plural of a noun that takes more than an s is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def name_list(names: Sequence[str], most: int | None = None) -> str:
    """`a, b and c`; of more than `most`, `a, b and 5 more`."""
    names = names if most is None or len(names) <= most else [*names[:most], f"{len(names) - most:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
