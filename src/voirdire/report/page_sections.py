"""Sections as the page's templates take them: charts drawn, items packed, figures with run, measure and signature."""

import base64
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from voirdire.drawings import svg_pdf
from voirdire.figures import counted, name_list, show_count, show_figure, shown_in
from voirdire.report.leaders import MANY, ExamVerdict, Lead
from voirdire.report.packed_items import CHUNK, Packed, pack_drill
from voirdire.report.page_rankings import PageRanking, page_rankings
from voirdire.report.scales import from_zero, spanned, strip
from voirdire.report.table_export import csv_table
from voirdire.runs import Estimate
from voirdire.section.charts import SERIES, drawn_svg, place_of, recoloured, svg_in_page
from voirdire.section.content import Cell, Chart, Drill, Finding, Fold, Headline, Model, Section, Table

_NUMBER = re.compile(r"[-−+]?[\d,.]+(e[-+]?\d+)?\s?%?|–|")
_UNBROKEN = re.compile(r" (?=[↑↓]$|…)")
"""Where no line may break: before an arrow at the end, and before the dots of an interval."""
_BETTER = {"higher": "↑ higher is better", "lower": "↓ lower is better", "neither": "neither way is better"}


@dataclass(frozen=True, slots=True)
class _Figure:
    """A cell as the page shows it; `tip` is empty where it is no figure of a run, `interval` where none is shown.

    covers  how much of what was asked it covers, where that is not all
    """

    text: str
    run: str = ""
    measure: str = ""
    value: str = ""
    mark: str = "plain"
    tip: str = ""
    interval: str = ""
    dot: int = 0
    covers: str = ""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    right: bool
    dot: int = 0


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
    pdf: str


@dataclass(frozen=True, slots=True)
class _Group:
    """Consecutive contents of one kind, which are set side by side where there is room; or the tables of a fold."""

    charts: list[_Chart]
    tables: list[_Table]
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class _HeadlineCell:
    """A figure of the first screen; `place`: whether its model leads or is tied; `caveat`: why it may mislead.

    official  the official figure beside one by short answers
    """

    figure: _Figure
    unit: str
    interval: str
    strip: Markup
    place: str
    caveat: str
    covers: str = ""
    official: _Figure | None = None


@dataclass(frozen=True, slots=True)
class _HeadlineColumn:
    """A measure of the first screen, with both ends of the scale that its figures are drawn on."""

    measure: str
    name: str
    better: str
    says: str
    ends: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _HeadlineRow:
    label: str
    dot: int
    cells: list[list[_HeadlineCell]]


@dataclass(frozen=True, slots=True)
class _Headlines:
    columns: list[_HeadlineColumn]
    rows: list[_HeadlineRow]


@dataclass(frozen=True, slots=True)
class PageDrill:
    """The items behind a section; `dots` are the numbers of the models' colours."""

    name: str
    title: str
    note: str
    count: str
    chunk: int
    packed: Packed
    dots: str


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section; `entries` are its lines in the page's contents.

    rankings  of four models or more, in place of their headline figures, which are folded then
    why       why figures by short answers lead; never folded
    """

    id: str
    title: str
    asks: str
    verdict: ExamVerdict | None
    headlines: _Headlines | None
    rankings: list[PageRanking]
    why: Sequence[str]
    notes: Sequence[str]
    findings: Sequence[Finding]
    groups: list[_Group]
    drills: list[PageDrill]
    entries: list[_Entry]

    @property
    def holds(self) -> str:
        """What is folded: `5 charts, 12 tables and the items behind them`."""
        charts = sum(len(group.charts) for group in self.groups)
        tables = sum(len(group.tables) for group in self.groups)
        parts = [counted(number, noun) for number, noun in ((charts, "chart"), (tables, "table")) if number]
        return name_list([*parts, *(["the items behind them"] if self.drills else [])] or ["nothing more"])


class SectionRenderer:
    """Makes of sections what the templates show; it has the runs, for the signatures of figures."""

    def __init__(self, models: Iterable[Model]) -> None:
        self.runs = {model.key: model for model in models}
        labels = dict.fromkeys(model.label for model in self.runs.values())
        self.places = {label: place for place, label in enumerate(labels)}

    def dot(self, name: str) -> int:
        """The number of the colour that a model has in the whole page; 0 where a name is not a model's."""
        place = place_of(name, self.places)
        return 0 if place is None else place % len(SERIES) + 1

    def section(self, section: Section, verdict: ExamVerdict | None = None) -> PageSection:
        """One section, its charts drawn and its items packed."""
        return PageSection(
            section.exam,
            section.title,
            section.asks,
            verdict,
            self._headlines(section.headlines, verdict) if section.headlines else None,
            page_rankings(section.headlines, verdict, self),
            section.why,
            section.notes,
            section.findings,
            self._groups(section.contents),
            [self._drill(drill) for drill in section.drills],
            # Without folded tables, which would make the list of contents longer than the window.
            [
                *(_entry(content) for content in section.contents if not isinstance(content, Fold)),
                *(_Entry(drill.name, drill.title) for drill in section.drills),
            ],
        )

    def _groups(self, contents: Iterable[Table | Chart | Fold]) -> list[_Group]:
        groups: list[_Group] = []
        for content in contents:
            if isinstance(content, Fold):
                groups.append(_Group([], [self._table(table) for table in content.tables], content))
                continue
            if not groups or groups[-1].fold or bool(groups[-1].charts) != isinstance(content, Chart):
                groups.append(_Group([], []))
            if isinstance(content, Chart):
                groups[-1].charts.append(self._chart(content))
            else:
                groups[-1].tables.append(self._table(content))
        return groups

    def _chart(self, chart: Chart) -> _Chart:
        drawn = drawn_svg(recoloured(chart.spec, self.places))
        pdf = base64.b64encode(svg_pdf(drawn)).decode()
        in_page = Markup(svg_in_page(drawn, chart.data.name))
        return _Chart(chart.title, chart.says, in_page, self._table(chart.data), pdf)

    def _table(self, table: Table) -> _Table:
        columns = [
            _Column(_unbroken(name), at > 0 and all(_is_number(row[at]) for row in table.rows), self.dot(name))
            for at, name in enumerate(table.columns)
        ]
        rows = [[self._figure(cell, not table.spells_ends) for cell in row] for row in table.rows]
        packed = base64.b64encode(csv_table(table).encode()).decode()
        return _Table(table.name, table.title, columns, rows, table.note, packed, table.folded)

    def _figure(self, cell: Cell | str, with_ci: bool) -> _Figure:
        if isinstance(cell, str):
            return _Figure(_unbroken(cell), dot=self.dot(cell))
        interval = _unbroken(cell.interval) if with_ci else ""
        if not cell.run or cell.value is None:
            return _Figure(cell.text, mark=cell.mark, interval=interval)
        tip = self.tip(cell.run, cell.measure, cell)
        covers = self.runs[cell.run].coverage(cell.measure)
        return _Figure(cell.text, cell.run, cell.measure, repr(cell.value), cell.mark, tip, interval, covers=covers)

    def tip(self, key: str, measure: str, figure: Cell | Estimate) -> str:
        """The figure in full, its interval, and the signature of its run."""
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

    def _headlines(self, headlines: Sequence[Headline], verdict: ExamVerdict | None) -> _Headlines:
        columns: dict[str, list[Headline]] = {}
        for headline in headlines:
            columns.setdefault(headline.measure, []).append(headline)
        labels = list(dict.fromkeys(each.label for each in headlines))
        ends = from_zero
        if len(labels) >= MANY:
            labels, ends = _ranked(labels, next(iter(columns.values()))), spanned
        scales = {measure: ends(same) for measure, same in columns.items()}
        leads = verdict.leads if verdict else {}
        rows = []
        for label in labels:
            cells = [
                [self._headline(each, scales[measure], leads.get(measure)) for each in same if each.label == label]
                for measure, same in columns.items()
            ]
            rows.append(_HeadlineRow(label, self.dot(label), cells))
        return _Headlines([_column(same[0], scales[measure]) for measure, same in columns.items()], rows)

    def _headline(self, headline: Headline, scale: tuple[float, float], lead: Lead | None) -> _HeadlineCell:
        figure, factor = headline.figure, headline.scale
        if figure.value is None:
            return _HeadlineCell(_Figure(show_figure(None)), "", "", Markup(""), "", "")
        tip = self.tip(headline.run, headline.measure, figure)
        ends = [None if end is None else end * factor for end in (figure.low, figure.high)]
        interval = " … ".join(shown_in(end, headline.unit) for end in ends) if None not in ends else ""
        text = shown_in(figure.value * factor, headline.unit)
        covers = self.runs[headline.run].coverage(headline.measure)
        if (readings := self.runs[headline.run].run.readings) is not None and readings.complete:
            covers = "; ".join(filter(None, (covers, str(readings))))
        shown = _Figure(text, headline.run, headline.measure, repr(figure.value), tip=tip)
        place = ""
        if lead is not None and not headline.caveat:
            tie = "" if lead.few or headline.label not in lead.tied else "tie"
            place = "leads" if headline.label == lead.leader else tie
        drawn = strip(figure, factor, scale, self.dot(headline.label))
        official = self.official(headline) if headline.beside else None
        return _HeadlineCell(shown, headline.unit, interval, drawn, place, headline.caveat, covers, official)

    def official(self, headline: Headline) -> _Figure:
        """The official figure, to be read beside one by short answers."""
        figure, factor = self.runs[headline.run].figure(headline.beside), headline.scale
        if figure.value is None:
            return _Figure(show_figure(None))
        text = shown_in(figure.value * factor, headline.unit)
        tip = self.tip(headline.run, headline.beside, figure)
        return _Figure(text, headline.run, headline.beside, repr(figure.value), tip=tip)

    def official_text(self, headline: Headline) -> str:
        """The same as a text; empty where the figure is an official one."""
        if not headline.beside:
            return ""
        unit = f" {headline.unit}" if headline.unit else ""
        return f"official: {self.official(headline).text}{unit}"

    def _drill(self, drill: Drill) -> PageDrill:
        dots = " ".join(str(self.dot(label)) for label in drill.labels)
        count = show_count(len(drill.items))
        return PageDrill(drill.name, drill.title, drill.note, count, CHUNK, pack_drill(drill), dots)


def _unbroken(text: str) -> str:
    return _UNBROKEN.sub("\N{NO-BREAK SPACE}", text)


def _entry(content: Table | Chart) -> _Entry:
    return _Entry((content.data if isinstance(content, Chart) else content).name, content.title)


def _is_number(cell: Cell | str) -> bool:
    text = cell if isinstance(cell, str) else cell.text
    return bool(_NUMBER.match(text) and (text[:1].isdigit() or text[:1] in "-−+–" or not text))


def _column(headline: Headline, scale: tuple[float, float]) -> _HeadlineColumn:
    unit = f" {headline.unit}" if headline.unit else ""
    ends = (f"{scale[0]:g}", f"{scale[1]:g}{unit}")
    name = headline.name or headline.measure
    return _HeadlineColumn(headline.measure, name, _BETTER[headline.better], headline.says, ends)


def _ranked(labels: Sequence[str], first: Sequence[Headline]) -> list[str]:
    """The models by their figure of the first measure, the best first; those without one last, in their order."""
    way = -1 if first[0].better == "lower" else 1
    values = {each.label: way * each.figure.value for each in first if each.figure.value is not None}
    return sorted(labels, key=lambda label: -values.get(label, -math.inf))
