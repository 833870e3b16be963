"""Sections as the page shows them: charts drawn, items packed, every figure with its run, measure and signature."""

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from voirdire.figures import show_count, show_figure, show_interval
from voirdire.report.data import CHUNK, Packed, pack_drill
from voirdire.report.plain import csv_table
from voirdire.runs import Estimate
from voirdire.section.charts import svg
from voirdire.section.content import Cell, Chart, Drill, Finding, Fold, Headline, Model, Section, Table, tables_of

__all__ = ["Shower", "ShownDrill", "ShownSection"]

_NUMBER = re.compile(r"[-−+]?[\d,.]+(e[-+]?\d+)?\s?%?|–|")
_KEPT = re.compile(r" (?=[↑↓]$|…)")
"""Where no line may break: before an arrow at the end, and before the dots of an interval."""


@dataclass(frozen=True, slots=True)
class _Figure:
    """A cell as the page shows it; `tip` is empty where it is no figure of a run, `interval` where none is shown."""

    text: str
    run: str = ""
    measure: str = ""
    value: str = ""
    mark: str = "plain"
    tip: str = ""
    interval: str = ""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    right: bool


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    title: str
    columns: list[_Column]
    rows: list[list[_Figure]]
    note: str
    csv: str
    folded: bool


@dataclass(frozen=True, slots=True)
class _Chart:
    title: str
    says: str
    svg: Markup
    data: _Table


@dataclass(frozen=True, slots=True)
class _Group:
    """Contents of one kind that follow each other, to stand side by side where there is room; or tables of a fold."""

    charts: list[_Chart]
    tables: list[_Table]
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class _HeadlineCell:
    figure: _Figure
    unit: str
    interval: str
    strip: Markup


@dataclass(frozen=True, slots=True)
class _HeadlineRow:
    label: str
    cells: list[list[_HeadlineCell]]


@dataclass(frozen=True, slots=True)
class _Headlines:
    columns: list[Headline]
    rows: list[_HeadlineRow]


@dataclass(frozen=True, slots=True)
class ShownDrill:
    name: str
    title: str
    note: str
    count: str
    chunk: int
    packed: Packed


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class ShownSection:
    id: str
    title: str
    asks: str
    headlines: _Headlines | None
    findings: Sequence[Finding]
    groups: list[_Group]
    drills: list[ShownDrill]
    entries: list[_Entry]


class Shower:
    """From contents to what the templates show; knows the runs, for the signatures of figures."""

    def __init__(self, models: Iterable[Model]) -> None:
        self.runs = {model.key: model for model in models}

    def section(self, section: Section) -> ShownSection:
        """One section, its charts drawn and its items packed."""
        return ShownSection(
            section.exam,
            section.title,
            section.asks,
            self._headlines(section.headlines) if section.headlines else None,
            section.findings,
            self._groups(section.contents),
            [self._drill(drill) for drill in section.drills],
            [*map(_entry, section.contents), *(_Entry(drill.name, drill.title) for drill in section.drills)],
        )

    def _groups(self, contents: Iterable[Table | Chart | Fold]) -> list[_Group]:
        groups: list[_Group] = []
        for content in contents:
            if isinstance(content, Fold):
                groups.append(_Group([], [self._table(table) for table in content.tables], content))
                continue
            drawn = isinstance(content, Chart)
            if not groups or groups[-1].fold or bool(groups[-1].charts) != drawn:
                groups.append(_Group([], []))
            if isinstance(content, Chart):
                groups[-1].charts.append(self._chart(content))
            else:
                groups[-1].tables.append(self._table(content))
        return groups

    def _chart(self, chart: Chart) -> _Chart:
        return _Chart(chart.title, chart.says, Markup(svg(chart.spec, chart.data.name)), self._table(chart.data))

    def _table(self, table: Table) -> _Table:
        columns = [
            _Column(_unbroken(name), at > 0 and all(_is_number(row[at]) for row in table.rows))
            for at, name in enumerate(table.columns)
        ]
        rows = [[self._figure(cell, not table.spells_ends) for cell in row] for row in table.rows]
        packed = base64.b64encode(csv_table(table).encode()).decode()
        return _Table(table.name, table.title, columns, rows, table.note, packed, table.folded)

    def _figure(self, cell: Cell | str, with_interval: bool) -> _Figure:
        if isinstance(cell, str):
            return _Figure(_unbroken(cell))
        interval = _unbroken(cell.interval) if with_interval else ""
        if not cell.run or cell.value is None:
            return _Figure(cell.text, mark=cell.mark, interval=interval)
        tip = self._tip(cell.run, cell.measure, cell)
        return _Figure(cell.text, cell.run, cell.measure, repr(cell.value), cell.mark, tip, interval)

    def _tip(self, key: str, measure: str, figure: Cell | Estimate) -> str:
        """What a figure rests on: itself in full, its interval, and the signature of its run."""
        model = self.runs[key]
        ends = (
            f", 95 % interval {figure.low:.6g} … {figure.high:.6g}"
            if figure.low is not None and figure.high is not None
            else ""
        )
        n = model.run.measures[measure].n if measure else None
        over = f", n = {show_count(n)}" if n is not None else ""
        named = f"{measure} = {figure.value!r}" if measure else f"{figure.value!r} from the items of the run"
        return f"{model.label}: {named}{ends}{over}. {model.run.title}|{model.run.signature}"

    def _headlines(self, headlines: Sequence[Headline]) -> _Headlines:
        columns = list({each.measure: each for each in reversed(headlines)}.values())[::-1]
        labels = list(dict.fromkeys(each.label for each in headlines))
        rows = []
        for label in labels:
            cells = []
            for column in columns:
                same = [each for each in headlines if each.measure == column.measure]
                cells.append([self._headline(each, same) for each in same if each.label == label])
            rows.append(_HeadlineRow(label, cells))
        return _Headlines(columns, rows)

    def _headline(self, headline: Headline, same: Sequence[Headline]) -> _HeadlineCell:
        figure = headline.figure
        shown = show_figure(figure.value)
        if figure.value is None:
            return _HeadlineCell(_Figure(shown), "", "", Markup(""))
        tip = self._tip(headline.run, headline.measure, figure)
        interval = show_interval(figure.low, figure.high) if figure.low is not None else ""
        made = _Figure(shown, headline.run, headline.measure, repr(figure.value), tip=tip)
        return _HeadlineCell(made, headline.unit, interval, _strip(figure, [each.figure for each in same]))

    def _drill(self, drill: Drill) -> ShownDrill:
        return ShownDrill(drill.name, drill.title, drill.note, show_count(len(drill.items)), CHUNK, pack_drill(drill))


def _unbroken(text: str) -> str:
    return _KEPT.sub("\N{NO-BREAK SPACE}", text)


def _entry(content: Table | Chart | Fold) -> _Entry:
    (first, *_) = tables_of([content])
    return _Entry(first.name, content.title if isinstance(content, Chart) else first.title)


def _is_number(cell: Cell | str) -> bool:
    text = cell if isinstance(cell, str) else cell.text
    return bool(_NUMBER.match(text) and (text[:1].isdigit() or text[:1] in "-−+–" or not text))


def _strip(figure: Estimate, same: Sequence[Estimate]) -> Markup:
    """A figure and its interval on a line that is the same for all models: a sight of how they lie to each other."""
    known = [each for each in same if each.value is not None and each.low is not None and each.high is not None]
    if figure.value is None or figure.low is None or figure.high is None or not known:
        return Markup("")
    lowest = min(float(each.low) for each in known if each.low is not None)
    highest = max(float(each.high) for each in known if each.high is not None)
    width = highest - lowest

    def across(value: float) -> str:
        # Where all figures are one and none has a width, they stand in the middle: at an end they would seem low.
        return f"{5 + 78 * ((value - lowest) / width if width else 0.5):.1f}"

    return Markup(
        '<svg class="strip" viewBox="0 0 88 10" aria-hidden="true">'
        '<line class="ground" x1="0" x2="88" y1="5" y2="5"/>'
        '<line x1="{}" x2="{}" y1="5" y2="5"/><circle cx="{}" cy="5" r="3.5"/></svg>'
    ).format(across(figure.low), across(figure.high), across(figure.value))
