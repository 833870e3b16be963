"""What the sections of all exams share: runs by their part, figures in sentences and cells, a table of any run.

A sentence calls two shares different only where their 95 % intervals do not overlap. That is stricter than a test of
the difference: a sentence on the first screen should not be one that a test contradicts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import hypot, inf
from typing import Any

from voirdire.exam.short_answers import caveats_of
from voirdire.figures import counted, short, show_count, show_interval
from voirdire.metrics.key import Key
from voirdire.runs import Estimate
from voirdire.section.content import Cell, Headline, Model, Row, Table, Tone, cell_of

Z = 1.96
"""Half of a 95 % interval, in standard errors."""


def of_part(models: Iterable[Model], *parts: str) -> list[Model]:
    """The runs of these parts of an exam, in their order."""
    return [model for model in models if model.run.part in parts]


def grouped(models: Iterable[Model], roles: Sequence[str]) -> list[list[Model]]:
    """Runs that can stand in one table: those whose signatures agree in these parts (`data.references`)."""
    groups: dict[tuple[Any, ...], list[Model]] = {}
    for model in models:
        flat: Mapping[str, Any] = model.run.signature.flat()
        groups.setdefault(tuple(flat.get(role) for role in roles), []).append(model)
    return list(groups.values())


def headline(
    model: Model, key: Key, says: str, unit: str = "", name: str = "", caveat: str | None = None, beside: str = ""
) -> Headline:
    """One of a run's figures for the first screen; `unit`, `name` and `caveat` where not those of the measure."""
    measure = model.measure(key)
    if caveat is None:
        caveat = caveats_of(model.run).get(key, "")
    at = "" if key.k is None else f"@{key.k}"
    return Headline(
        model.key,
        model.label,
        str(key),
        says,
        model.figure(key),
        unit or measure.display_unit,
        name or f"{measure.label}{at}",
        measure.better,
        measure.scale,
        caveat,
        beside,
    )


def standard_error(figure: Estimate) -> float | None:
    """The standard error that a normal 95 % interval has: (high - low) / (2 * 1.96); None without an interval."""
    return None if figure.low is None or figure.high is None else (figure.high - figure.low) / (2 * Z)


def effect(figure: Estimate, other: Estimate | float = 0.0) -> float | None:
    """The distance of a figure from another, or from a number, in standard errors of their difference."""
    against = Estimate(other, other, other, None) if isinstance(other, float) else other
    first, second = standard_error(figure), standard_error(against)
    if figure.value is None or against.value is None or first is None or second is None:
        return None
    apart_by = abs(figure.value - against.value)
    return apart_by / together if (together := hypot(first, second)) else inf if apart_by else 0.0


def rounded(model: Model, key: Key | str, decimals: int = 2, scale: float = 1.0) -> Cell:
    """The cell of one of a run's figures with a fixed number of decimals, for a column of percentages."""
    value = model.figure(key).value
    return cell_of(model, key, text=short(None if value is None else value * scale, decimals), scale=scale)


def made_cell(model: Model, figure: Estimate, decimals: int = 2, scale: float = 1.0) -> Cell:
    """The cell of a figure that was made from a run's items, for which the run has no measure."""
    text = short(None if figure.value is None else figure.value * scale, decimals)
    return Cell(text, model.key, "", figure.value, figure.low, figure.high, scale=scale)


def with_ci(figure: Estimate, decimals: int = 1, scale: float = 1.0, unit: str = "") -> str:
    """A figure in a sentence with its interval: `8.7 points (95 % interval 7.9 … 9.4)`."""
    value, low, high = (None if end is None else end * scale for end in (figure.value, figure.low, figure.high))
    text = short(value, decimals) + unit
    if low is None or high is None:
        return text
    return f"{text} (95 % interval {short(low, decimals)} … {short(high, decimals)})"


def describe_sets(references: str) -> str:
    """A signature's reference sets in a sentence: `300 sets of 9.26 answers on average`."""
    return f"{references} answers on average"


def plain_table(name: str, title: str, model: Model) -> Table:
    """All figures of a run, one per row: for a part that has no table of its own."""
    rows: list[Row] = [
        (str(key), cell_of(model, key), show_interval(figure.low, figure.high), show_count(figure.n))
        for key, figure in model.run.measures.items()
    ]
    return Table(name, title, ("measure", "value", "95 % interval", "n"), tuple(rows))


def percent(value: float | None, decimals: int = 2) -> str:
    """`61.80`, or a dash."""
    return short(None if value is None else 100 * value, decimals)


def percent_cell(model: Model, key: Key | str, after: str = "", mark: Tone = "plain") -> Cell:
    """The cell of one of a run's shares in percent, followed by `after`."""
    cell = rounded(model, key, scale=100)
    return replace(cell, text=cell.text if cell.value is None else cell.text + after, mark=mark)


def percent_ci(figure: Estimate) -> str:
    """`61.8 % (95 % interval 59.2 … 64.1)`, for a sentence."""
    return with_ci(figure, scale=100, unit=" %")


def of_all(kept: int, every: int, noun: str) -> str:
    """How many of the items a page shows: `2,000 games`, `200 of 2,000 games, at even distances`."""
    return counted(every, noun) if kept == every else f"{kept:,} of {counted(every, noun)}, at even distances"


def apart(first: Estimate, second: Estimate) -> bool | None:
    """Whether the intervals of two figures do not overlap; None where either has none."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return None
    return first.low > second.high or second.low > first.high


def turning(figures: Mapping[int, Estimate]) -> tuple[int, str] | None:
    """The turn between the ends of a curve that is beyond both ends and apart from both, with `lowest` or `highest`.

    Of several, the one that is farthest beyond. None for a curve that, but for noise, goes from one end to the other.
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
    value, every = figures[turn].value, [figure.value for figure in figures.values() if figure.value is not None]
    extreme = {min(every): "lowest", max(every): "highest"}.get(value or 0.0)
    # A turn of few cases may be farther out without being apart from the ends.
    return None if extreme is None else (turn, extreme)
