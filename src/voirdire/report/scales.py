"""The scales of the first screen, on which figures and their intervals are drawn, each the same for all models."""

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from voirdire.runs import Estimate
from voirdire.section.content import Headline

STEPS = 10
"""Into about how many steps a scale that spans figures is cut; its ends are multiples of one."""


def spanned(same: Sequence[Headline]) -> tuple[float, float]:
    """Both ends of a scale that spans the figures and their intervals, so that many models do not lie together."""
    figures = [(headline.figure, headline.scale) for headline in same]
    ends = [
        end * factor for figure, factor in figures for end in (figure.value, figure.low, figure.high) if end is not None
    ]
    lowest, highest = min(ends, default=0.0), max(ends, default=0.0)
    if lowest == highest:
        return from_zero(same)
    step = _round_up((highest - lowest) / STEPS)
    return math.floor(lowest / step) * step, math.ceil(highest / step) * step


def from_zero(same: Sequence[Headline]) -> tuple[float, float]:
    """Both ends of the scale that the figures of a measure are drawn on: it has 0 on it, and per cent go to 100."""
    figures = [(headline.figure, headline.scale) for headline in same]
    known = [end * factor for figure, factor in figures for end in (figure.value, figure.low, figure.high) if end]
    lowest, highest = min(known, default=0.0), max(known, default=0.0)
    top = 100.0 if same[0].unit == "%" and 0 <= highest <= 100 else _round_up(highest)
    return -_round_up(-lowest) + 0.0, top or (0.0 if lowest < 0 else 1.0)


def _round_up(value: float) -> float:
    """The next number that is 1, 2 or 5 times a power of ten; 0 where it is not above 0."""
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(float(f"{times * power:.1g}") for times in (1, 2, 5, 10) if value <= times * power * (1 + 1e-9))


def strip(figure: Estimate, factor: float, scale: tuple[float, float], dot: int) -> Markup:
    """A figure and its interval on a scale that is the same for all models, so that they can be compared by eye."""
    return _drawn(
        figure,
        lambda value: f"{4 + 190 * (value * factor - scale[0]) / (scale[1] - scale[0]):.1f}",
        '<svg class="strip s{}" viewBox="0 0 198 10" aria-hidden="true">'
        '<line class="ground" x1="4" x2="194" y1="5" y2="5"/><path class="ground" d="M4 1v8M194 1v8"/>'
        '<line x1="{}" x2="{}" y1="5" y2="5"/><circle cx="{}" cy="5" r="3.5"/></svg>',
        dot,
    )


def wide_strip(figure: Estimate, factor: float, scale: tuple[float, float], dot: int) -> Markup:
    """The same, as wide as its column."""
    return _drawn(
        figure,
        lambda value: f"{100 * (value * factor - scale[0]) / (scale[1] - scale[0]):.2f}%",
        '<svg class="strip s{}" aria-hidden="true"><line class="ground" x1="0" x2="100%" y1="50%" y2="50%"/>'
        '<line x1="{}" x2="{}" y1="50%" y2="50%"/><circle cx="{}" cy="50%" r="4"/></svg>',
        dot,
    )


def _drawn(figure: Estimate, across: Callable[[float], str], form: str, dot: int) -> Markup:
    """The drawing with the colour of its model, both ends of the interval and the figure in their places."""
    if figure.value is None:
        return Markup("")
    low, high = (figure.value if end is None else end for end in (figure.low, figure.high))
    return Markup(form).format(dot, across(low), across(high), across(figure.value))
