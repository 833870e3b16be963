"""A report's tables alone: in Markdown, in LaTeX (package booktabs), and in CSV, in one file or one per table.

A chart is represented by the table behind it. CSV has figures in full, with both ends of their intervals; the others
show them as the page does. No text becomes code: neither a formula in a spreadsheet, nor a command, nor markup.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from voirdire.escaping import latex, latex_comment, markdown
from voirdire.section.content import ENDS, Cell, Table, tables_of
from voirdire.tables import csv_text, tabular

if TYPE_CHECKING:
    from voirdire.report.make import Report
    from voirdire.section.content import Model

TableFormat = Literal["md", "latex", "csv"]

_COUNT = re.compile(r"\d{1,3}(?:,\d{3})+")


def tables_text(report: "Report", form: TableFormat) -> str:
    """The report's tables in one text."""
    tables = [table for section in report.sections for table in tables_of(section.contents)]
    if form == "csv":
        return csv_text([row for table in tables for row in [*_csv_rows(table), []]][:-1])
    write = markdown_table if form == "md" else _latex
    runs = (latex_comment(f"{model.label}|{model.run.title}|{model.run.signature}") for model in report.models)
    head = _markdown_head(report) if form == "md" else "\n".join(runs)
    models = {model.key: model for model in report.models}
    return "\n\n".join([head, *(write(_with_coverage(table, models)) for table in tables)]) + "\n"


def _with_coverage(table: Table, models: "Mapping[str, Model]") -> Table:
    """The table with a note on which of its figures are not of all that was asked."""
    uncovered: dict[tuple[str, str], dict[str, None]] = {}
    for cell in (cell for row in table.rows for cell in row if isinstance(cell, Cell) and cell.run in models):
        model = models[cell.run]
        if cell.value is not None and (coverage := model.coverage(cell.measure)):
            measures = uncovered.setdefault((model.label, coverage), {})
            measures |= {cell.measure: None} if cell.measure else {}
    if not uncovered:
        return table
    notes = [
        label + (f" ({', '.join(measures)})" if measures else "") + f": {coverage}"
        for (label, coverage), measures in uncovered.items()
    ]
    return replace(table, note=" ".join(filter(None, (table.note, f"Not of all that was asked: {'; '.join(notes)}."))))


def csv_table(table: Table) -> str:
    """One table as CSV."""
    return csv_text(_csv_rows(table, title=False))


def csv_tables(report: "Report") -> dict[str, str]:
    """Each of the report's tables as CSV, by its name."""
    return {table.name: csv_table(table) for section in report.sections for table in tables_of(section.contents)}


def _rows(table: Table) -> list[list[str]]:
    """The texts of all cells, with their intervals where these have no columns of their own."""

    def text(cell: Cell | str) -> str:
        if isinstance(cell, str):
            return cell
        return cell.text if table.spells_ends or not cell.interval else f"{cell.text} ({cell.interval})"

    return [list(map(text, row)) for row in table.rows]


def _markdown_head(report: "Report") -> str:
    lines = ["# Voir Dire: " + ", ".join(map(markdown, report.labels)), ""]
    for section in report.sections:
        if (verdict := report.verdicts.get(section.exam)) is not None:
            lines.append(f"- {markdown(f'{section.title}: {verdict.sentence}', starts=True)}")
        for finding in section.findings:
            sentence = f"{finding.label}: {finding.text}" if finding.label else finding.text
            lines.append(f"- {markdown(sentence, starts=True)}")
    return "\n".join(lines)


def markdown_table(table: Table) -> str:
    """One table in Markdown."""

    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(map(markdown, cells)) + " |"

    rule = "| --- |" + " ---: |" * (len(table.columns) - 1)
    lines = [f"## {markdown(table.title)}", "", row(table.columns), rule, *map(row, _rows(table))]
    return "\n".join([*lines, *(["", markdown(table.note, starts=True)] if table.note else [])])


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
    """Head and rows; a column with any interval is followed by both ends of it, and columns of ends are left out."""
    wide = [
        any(isinstance(cell := row[at], Cell) and cell.low is not None for row in table.rows)
        for at in range(len(table.columns))
    ]
    kept = [(at, name) for at, name in enumerate(table.columns) if name not in ENDS or not any(wide)]
    head = [each for at, name in kept for each in (name, *((f"{name} low", f"{name} high") if wide[at] else ()))]
    rows = [[each for at, _ in kept for each in _exact(row[at], wide[at])] for row in table.rows]
    return [*([["# " + table.title]] if title else []), head, *rows]


def _exact(cell: Cell | str, wide: bool) -> list[str]:
    """The figure in full, not its shortened form; counts without commas."""
    if isinstance(cell, str):
        text = cell.replace(",", "") if _COUNT.fullmatch(cell) else cell
        return [text, "", ""] if wide else [text]
    value = cell.text if cell.value is None else repr(cell.value * cell.scale)
    ends = ["" if end is None else repr(end * cell.scale) for end in (cell.low, cell.high)]
    return [value, *ends] if wide else [value]
