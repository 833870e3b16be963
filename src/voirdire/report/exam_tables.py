"""`voirdire EXAM table`: the tables of an exam's paper, made of runs, with marks of significance and tested claims.

An exam declares its tables (`PaperTable`); here those that the given runs have figures for are made, marked and written
as text, Markdown, LaTeX or CSV. Marks are those of `verdict.comparison`: of runs of one part each is compared with the
first that it can be compared with, and a figure that differs after Holm's correction has stars. The best figure of a
measure is in bold. Claims of one call are corrected together.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from voirdire.errors import UsageError
from voirdire.escaping import fit, latex, latex_comment
from voirdire.exam import Exam, load, part_of
from voirdire.exam.short_answers import caveats_of
from voirdire.figures import ALPHA, DAGGER, NONE, short, show_p, stars
from voirdire.metrics.key import Key
from voirdire.report.table_export import csv_table, markdown_table
from voirdire.runs import Run
from voirdire.section.content import Cell, Model, Row, Table
from voirdire.section.printed import Groups, PaperClaim
from voirdire.stats import holm
from voirdire.tables import BestFigure, aligned, slug, tabular
from voirdire.verdict.comparison import compare_alike
from voirdire.verdict.paper_tables import IntervalForm

TableForm = Literal["text", "md", "latex", "csv"]
FORMS: tuple[TableForm, ...] = ("text", "md", "latex", "csv")
LEGEND = "* p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001 after Holm's correction, against {}"

Place = tuple[str, str]
"""A run's key, and the name of one of its measures."""


@dataclass(frozen=True, eq=False)
class MadeTables:
    """The tables that runs have figures for, in the order of the paper.

    p       corrected, of each figure that was compared with that of another model
    best    the figures that are the best of their measure in a table, by its name
    barred  why a figure ranks nobody: it has a dagger, no stars, and is never the best
    foot    a line for each run: its label, part and signature
    """

    tables: Sequence[Table]
    p: Mapping[Place, float] = field(default_factory=dict)
    best: Mapping[str, frozenset[Place]] = field(default_factory=dict)
    barred: Mapping[Place, str] = field(default_factory=dict)
    foot: Sequence[str] = ()


def make_tables(
    exam: Exam,
    runs: Iterable[tuple[str, Run]],
    numbers: Sequence[str] = (),
    groups: Groups | None = None,
    *,
    seed: int = 0,
    compared: bool = True,
) -> MadeTables:
    """The tables of an exam's papers that runs, each with its model's label, have figures for.

    numbers   only these, by their numbers in the paper
    groups    labels of models by the name of their group, for claims about groups
    compared  whether figures are compared, for marks
    """
    models = [Model(fit(label), f"{at}-{slug(label)}", run) for at, (label, run) in enumerate(runs, start=1)]
    _check(exam, models, numbers, groups or {})
    tables: list[Table] = []
    claims: list[PaperClaim] = []
    for declared in exam.tables:
        own = [model for model in models if model.run.part in declared.parts.split()]
        if not own or (numbers and not set(numbers) & set(declared.numbers.split())):
            continue
        found = [table for table in load(declared.make)(models=own) if not numbers or _number(table) in (*numbers, "")]
        tables += found
        if found and declared.claims:
            claims += load(declared.claims)(models=own, groups=groups or {}, seed=seed)
    if not tables:
        wanted = f" {', '.join(numbers)}" if numbers else ""
        raise UsageError(f"no figures of table{wanted or 's'}; {_known(exam)}")
    p, firsts = _compared(models, seed) if compared else ({}, [])
    barred = {(model.key, str(key)): reason for model in models for key, reason in caveats_of(model.run).items()}
    p = {place: value for place, value in p.items() if place not in barred}
    legend, labels = LEGEND.format(" or ".join(firsts)), {model.key: model.label for model in models}
    for at, table in enumerate(tables):
        places = [(cell.run, cell.measure) for cell in _cells(table)]
        notes = [f"{legend}."] if any(p.get(place, 1.0) <= ALPHA for place in places) else []
        reasons = dict.fromkeys((labels[place[0]], barred[place]) for place in places if place in barred)
        notes += [f"{DAGGER} no rank; {label}: {reason}." for label, reason in reasons]
        tables[at] = replace(table, note=" ".join(filter(None, [table.note, *notes])))
    if claims:
        tables.append(_claims_table(exam, claims))
    best = {table.name: frozenset(_best(table, models, barred)) for table in tables}
    foot = [f"{model.label}|{model.run.title}|{model.run.signature}" for model in models]
    return MadeTables(tables, p, best, barred, foot)


def _number(table: Table) -> str:
    """The number of one of the paper's tables; empty where a table stands for several of them."""
    match = re.match(r"Table (\d+):", table.title)
    return match[1] if match else ""


def _known(exam: Exam) -> str:
    tables = "; ".join(f"{table.numbers.replace(' ', ', ')} ({table.title}) of {table.parts}" for table in exam.tables)
    return f"there are: {tables or 'no tables'}"


def _check(exam: Exam, models: Sequence[Model], numbers: Sequence[str], groups: Groups) -> None:
    for model in models:
        if model.run.exam != exam.name:
            raise UsageError(f"{model.label} is a run of `{model.run.title}`, not of {exam.name}")
    known = {number for table in exam.tables for number in table.numbers.split()}
    for number in numbers:
        if number not in known:
            raise UsageError(f"`number` must be that of a table, got {number}; {_known(exam)}")
    names = [name for table in exam.tables for name in table.groups]
    labels = {model.label for model in models}
    for name, members in groups.items():
        if name not in names:
            raise UsageError(
                f"`group` must be one of {', '.join(names) or 'none: no claim is about groups'}, got {name}"
            )
        for label in members:
            if label not in labels:
                raise UsageError(f"`group` {name} names {label}, which no run is called; there are {', '.join(labels)}")


def _compared(models: Sequence[Model], seed: int) -> tuple[dict[Place, float], list[str]]:
    """Corrected p of each figure against the first model that it can be compared with, and who these are."""
    p: dict[Place, float] = {}
    firsts: list[str] = []
    labels = {model.key: model.label for model in models}
    for title in dict.fromkeys(model.run.title for model in models):
        own = [model for model in models if model.run.title == title]
        if len(own) < 2 or not part_of(own[0].run).views:
            continue
        families, _ = compare_alike([model.key for model in own], [model.run for model in own], seed=seed)
        for comparison in (comparison for family in families for comparison in family):
            first, second = comparison.labels
            firsts.append(labels[first])
            for compared in (*comparison.measures, *comparison.slices):
                if compared.p_holm is not None and compared.difference:
                    p[second, compared.measure.name] = compared.p_holm
    return p, list(dict.fromkeys(firsts))


def _cells(table: Table) -> list[Cell]:
    return [cell for row in table.rows for cell in row if isinstance(cell, Cell)]


def _best(table: Table, models: Sequence[Model], barred: Container[Place]) -> Iterable[Place]:
    """The best figures of measures that several models have."""
    by_key = {model.key: model for model in models}
    of_measure: dict[str, dict[str, float]] = {}
    for cell in _cells(table):
        if cell.measure and cell.value is not None and (cell.run, cell.measure) not in barred:
            of_measure.setdefault(cell.measure, {})[cell.run] = cell.value
    for measure, values in of_measure.items():
        better = by_key[next(iter(values))].measure(Key.parse(measure)).better
        if len(values) > 1 and better != "neither":
            top = (max if better == "higher" else min)(values.values())
            yield from ((run, measure) for run, value in values.items() if value == top)


def _claims_table(exam: Exam, claims: Sequence[PaperClaim]) -> Table:
    rows: list[Row] = []
    for claim, corrected in zip(claims, holm([claim.p for claim in claims]), strict=True):
        holds = "not tested" if corrected is None else "not shown"
        if corrected is not None and corrected <= ALPHA:
            holds = "holds" if (claim.difference or 0.0) > 0 else "the opposite holds"
        difference = short(None if claim.difference is None else claim.difference * claim.scale, claim.decimals)
        ends = NONE
        if claim.low is not None and claim.high is not None:
            ends = " … ".join(short(end * claim.scale, claim.decimals) for end in (claim.low, claim.high))
        figure = Cell(difference, value=claim.difference, low=claim.low, high=claim.high, scale=claim.scale)
        rows.append((claim.says, figure, ends, show_p(claim.p), show_p(corrected), claim.test, holds))
    head = ("claim", "difference", "95 % interval", "p", "p (Holm)", "test", "verdict")
    note = "A difference above 0 is what the paper says; it holds where p is at most 0.05 after Holm's correction."
    return Table(f"{exam.name}-claims", "What the paper says of these tables", head, tuple(rows), note)


def tables_in(printed: MadeTables, form: TableForm = "text", interval: IntervalForm | None = None) -> str:
    """The tables in one text; with `interval` each figure has its own behind it, as CSV always has."""
    if form == "csv":
        return "\n".join(csv_files(printed).values())
    blocks = [_block(table, printed, form, interval) for table in printed.tables]
    foot = "\n".join(map(latex_comment, printed.foot) if form == "latex" else printed.foot if form == "text" else ())
    return "\n\n".join(filter(None, [*blocks, foot])) + "\n"


def csv_files(printed: MadeTables) -> dict[str, str]:
    """Each table as CSV, by its name: figures in full with their intervals, and p where they were compared."""
    return {table.name: csv_table(_with_p(table, printed)) for table in printed.tables}


def _block(table: Table, printed: MadeTables, form: TableForm, interval: IntervalForm | None) -> str:
    rows = [[_shown(cell, table, printed, interval) for cell in row] for row in table.rows]
    plain = [[cell if isinstance(cell, str) else cell.figure + cell.rest for cell in row] for row in rows]
    if form == "text":
        return "\n".join(
            [table.title, "", *aligned(table.columns, plain), *([f"\n{table.note}"] if table.note else [])]
        )
    if form == "md":
        return markdown_table(replace(table, rows=tuple(map(tuple, plain))))
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{latex(table.title)}}}\label{{tab:{table.name}}}",
            *tabular(table.columns, rows),
            *([latex_comment(table.note)] if table.note else []),
            r"\end{table}",
        ]
    )


def _shown(cell: Cell | str, table: Table, printed: MadeTables, interval: IntervalForm | None) -> str | BestFigure:
    if isinstance(cell, str):
        return cell
    place = (cell.run, cell.measure)
    marks = DAGGER if place in printed.barred else stars(printed.p.get(place))
    rest = ("" if table.spells_ends else _interval(cell, interval)) + marks
    return BestFigure(cell.text, rest) if place in printed.best.get(table.name, ()) else cell.text + rest


def _interval(cell: Cell, form: IntervalForm | None) -> str:
    if form is None or cell.low is None or cell.high is None:
        return ""
    if form == "brackets":
        return f" [{cell.interval.replace(' … ', ', ')}]"
    number = cell.text.partition(" ")[0].rpartition(".")[2] if "." in cell.text else ""
    return f" ± {short((cell.high - cell.low) / 2 * cell.scale, len(number))}"


def _with_p(table: Table, printed: MadeTables) -> Table:
    """The table with a column of p behind each column in which any figure was compared."""
    compared = [
        any(isinstance(row[at], Cell) and (row[at].run, row[at].measure) in printed.p for row in table.rows)  # type: ignore[union-attr]
        for at in range(len(table.columns))
    ]
    head = [name for at, column in enumerate(table.columns) for name in (column, f"{column} p")[: 1 + compared[at]]]
    rows = [
        tuple(cell for at, own in enumerate(row) for cell in (own, _p(own, printed))[: 1 + compared[at]])
        for row in table.rows
    ]
    return replace(table, columns=tuple(head), rows=tuple(rows))


def _p(cell: Cell | str, printed: MadeTables) -> Cell:
    value = printed.p.get((cell.run, cell.measure)) if isinstance(cell, Cell) else None
    return Cell("" if value is None else show_p(value), value=value)
