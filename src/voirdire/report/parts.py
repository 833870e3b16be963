"""What the sections of all exams share: runs by their part, figures in sentences, a plain table of any run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from voirdire.figures import short, show_count, show_interval
from voirdire.report.content import Cell, Headline, Model, Row, Table, cell_of
from voirdire.runs import Estimate

__all__ = [
    "grouped",
    "headline",
    "made_cell",
    "of_part",
    "plain_table",
    "rounded",
    "sets_told",
    "told",
]


def of_part(models: Iterable[Model], *parts: str) -> list[Model]:
    """The runs of these parts of an exam, in their order."""
    return [model for model in models if model.run.part in parts]


def grouped(models: Iterable[Model], roles: Sequence[str]) -> list[list[Model]]:
    """Runs that can stand in one table: those whose signatures agree in these parts (`data.references`)."""
    found: dict[tuple[Any, ...], list[Model]] = {}
    for model in models:
        flat: Mapping[str, Any] = model.run.signature.flat()
        found.setdefault(tuple(flat.get(role) for role in roles), []).append(model)
    return list(found.values())


def headline(model: Model, measure: str, says: str, unit: str = "") -> Headline:
    """One of a run's figures for the first screen."""
    return Headline(model.key, model.label, measure, says, model.figure(measure), unit)


def rounded(model: Model, measure: str, decimals: int = 2, scale: float = 1.0) -> Cell:
    """The cell of one of a run's figures with a fixed number of decimals, as a column of percentages needs it."""
    value = model.figure(measure).value
    return cell_of(model, measure, text=short(None if value is None else value * scale, decimals), scale=scale)


def made_cell(model: Model, figure: Estimate, decimals: int = 2, scale: float = 1.0) -> Cell:
    """The cell of a figure that was made of a run's items, which the run has no measure for."""
    text = short(None if figure.value is None else figure.value * scale, decimals)
    return Cell(text, model.key, "", figure.value, figure.low, figure.high, scale=scale)


def told(figure: Estimate, decimals: int = 1, scale: float = 1.0, unit: str = "") -> str:
    """A figure in a sentence with its interval: `8.7 points (95 % interval 7.9 … 9.4)`."""
    value, low, high = (None if end is None else end * scale for end in (figure.value, figure.low, figure.high))
    said = short(value, decimals) + unit
    if low is None or high is None:
        return said
    return f"{said} (95 % interval {short(low, decimals)} … {short(high, decimals)})"


def sets_told(references: str) -> str:
    """What a signature says of reference sets, in a sentence: `300 sets of 9.26 answers on average`."""
    return f"{references} answers on average"


def plain_table(name: str, title: str, model: Model) -> Table:
    """All figures of a run, one below the other: for a part that has no table of its own."""
    rows: list[Row] = [
        (measure, cell_of(model, measure), show_interval(figure.low, figure.high), show_count(figure.n))
        for measure, figure in model.run.measures.items()
    ]
    return Table(name, title, ("measure", "value", "95 % interval", "n"), tuple(rows))
