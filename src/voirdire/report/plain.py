"""The tables of a report alone: in Markdown, in LaTeX (package booktabs), and in CSV, in one file or one per table.

A chart is there as the table behind it. CSV holds figures in full, with both ends of their interval; the others show
them as the page does. No text becomes code: neither a formula in a spreadsheet, nor a command, nor markup.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from voirdire.escaping import latex, latex_comment, markdown
from voirdire.report.covering import Covering
from voirdire.section.content import ENDS, Cell, Table, tables_of
from voirdire.tables import csv_text, tabular

if TYPE_CHECKING:
    from voirdire.report.make import Report
    from voirdire.section.content import Model

PlainFormat = Literal["md", "latex", "csv"]

_COUNT = re.compile(r"\d{1,3}(?:,\d{3})+")


def plain(report: "Report", form: PlainFormat) -> str:
    """The report's tables in one text."""
    tables = [table for section in report.sections for table in tables_of(section.contents)]
    if form == "csv":
        return csv_text([row for table in tables for row in [*_csv_rows(table), []]][:-1])
    write = _markdown if form == "md" else _latex
    head = _markdown_head(report) if form == "md" else _latex_head(report)
    runs, covering = {model.key: model for model in report.models}, Covering(report.models)
    return "\n\n".join([head, *(write(_noted(table, runs, covering)) for table in tables)]) + "\n"


def _noted(table: Table, runs: "Mapping[str, Model]", covering: Covering) -> Table:
    """The table, whose note says which of its figures are not of all that was asked."""
    found: dict[tuple[str, str], list[str]] = {}
    for cell in (cell for row in table.rows for cell in row if isinstance(cell, Cell) and cell.run in runs):
        if cell.value is not None and (said := covering.of(cell.run, cell.measure)):
            found.setdefault((runs[cell.run].label, said), []).append(cell.measure)
    if not found:
        return table
    told = "; ".join(f"{label}{_named_measures(names)}: {said}" for (label, said), names in found.items())
    return replace(table, note=" ".join(filter(None, (table.note, f"Not of all that was asked: {told}."))))


def _named_measures(names: list[str]) -> str:
    """Of which measures it is said, where they have names."""
    known = list(dict.fromkeys(filter(None, names)))
    return f" ({', '.join(known)})" if known else ""


def csv_table(table: Table) -> str:
    """One table as CSV."""
    return csv_text(_csv_rows(table, title=False))


def csv_tables(report: "Report") -> dict[str, str]:
    """Each of the report's tables as CSV, by its name."""
    return {table.name: csv_table(table) for section in report.sections for table in tables_of(section.contents)}


def _text(cell: Cell | str) -> str:
    return cell if isinstance(cell, str) else cell.text


def _rows(table: Table) -> list[list[str]]:
    """The texts of all cells, with their intervals where these have no columns of their own."""
    show = _text if table.spells_ends else _shown
    return [[show(cell) for cell in row] for row in table.rows]


def _shown(cell: Cell | str) -> str:
    if isinstance(cell, str) or not cell.interval:
        return _text(cell)
    return f"{cell.text} ({cell.interval})"


def _markdown_head(report: "Report") -> str:
    lines = ["# Voir Dire: " + ", ".join(map(markdown, report.labels)), ""]
    for section in report.sections:
        if (verdict := report.verdicts.get(section.exam)) is not None:
            lines.append(f"- {markdown(f'{section.title}: {verdict.sentence}', starts=True)}")
        for finding in section.findings:
            said = f"{finding.label}: {finding.text}" if finding.label else finding.text
            lines.append(f"- {markdown(said, starts=True)}")
    return "\n".join(lines)


def _markdown(table: Table) -> str:
    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(map(markdown, cells)) + " |"

    rule = "| --- |" + " ---: |" * (len(table.columns) - 1)
    lines = [f"## {markdown(table.title)}", "", row(table.columns), rule, *map(row, _rows(table))]
    return "\n".join([*lines, *(["", markdown(table.note, starts=True)] if table.note else [])])


def _latex_head(report: "Report") -> str:
    return "\n".join(latex_comment(f"{model.label}|{model.run.title}|{model.run.signature}") for model in report.models)


def _latex(table: Table) -> str:
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{latex(table.title)}}}\label{{tab:{table.name}}}",
            *tabular(table.columns, _rows(table)),
            *([latex_comment(table.note)] if table.note else []),
            r"\end{table}",
        ]
    )


def _csv_rows(table: Table, title: bool = True) -> list[list[str]]:
    """Head and rows; a column that has any interval is followed by its two ends, which then need no other column."""
    spread = [
        any(isinstance(cell := row[at], Cell) and cell.low is not None for row in table.rows)
        for at in range(len(table.columns))
    ]
    kept = [at for at, name in enumerate(table.columns) if name not in ENDS or not any(spread)]
    head = [each for at in kept for each in _named(table.columns[at], spread[at])]
    rows = [[each for at in kept for each in _exact(row[at], spread[at])] for row in table.rows]
    return [*([["# " + table.title]] if title else []), head, *rows]


def _named(name: str, wide: bool) -> list[str]:
    return [name, f"{name} low", f"{name} high"] if wide else [name]


def _exact(cell: Cell | str, wide: bool) -> list[str]:
    """The whole figure where there is one, not its shortened form; counts without commas."""
    if isinstance(cell, str):
        text = cell.replace(",", "") if _COUNT.fullmatch(cell) else cell
        return [text, "", ""] if wide else [text]
    value = cell.text if cell.value is None else repr(cell.value * cell.scale)
    ends = ["" if end is None else repr(end * cell.scale) for end in (cell.low, cell.high)]
    return [value, *ends] if wide else [value]
