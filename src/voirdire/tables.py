"""Tables in the terminal and for a paper (LaTeX, package booktabs); and a run's figures as either.

A measure's variants are in its row: `cider4` with `cider4:std` and `cider4:best` as further columns. A condition in
which it was measured again (`accuracy:partition1`) has a row of its own, with its interval.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from voirdire.atomic import atomic_folder, check_above
from voirdire.errors import UsageError
from voirdire.escaping import latex, latex_comment, one_line, sheet_cell, visible
from voirdire.exam import measures_of
from voirdire.figures import show_count, show_figure, show_interval, show_p

if TYPE_CHECKING:
    from voirdire.metrics.key import Key
    from voirdire.metrics.measure import Measure
    from voirdire.runs.estimate import Estimate, Measures
    from voirdire.runs.run import Run

Table = tuple[list[str], list[list[str]]]


@dataclass(frozen=True, slots=True)
class BestFigure:
    """A cell whose figure is the best of its row, so in bold, and what stands behind it: an interval, stars."""

    figure: str
    rest: str = ""


def tabular(head: Sequence[str], rows: Iterable[Iterable[str | BestFigure]]) -> list[str]:
    """The lines of a LaTeX table: the first column to the left, figures to the right."""
    return [
        rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        r"\toprule",
        _latex_row(head),
        r"\midrule",
        *map(_latex_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _latex_cell(cell: str | BestFigure) -> str:
    return latex(cell) if isinstance(cell, str) else rf"\textbf{{{latex(cell.figure)}}}{latex(cell.rest)}"


def _latex_row(cells: Iterable[str | BestFigure]) -> str:
    row = " & ".join(map(_latex_cell, cells)) + r" \\"
    # After the end of a row, or a rule, LaTeX would take a bracket or a star for an argument.
    return "{}" + row if row.startswith(("[", "*")) else row


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], rule: bool = True) -> list[str]:
    """The lines of a table for the terminal: the first column to the left, figures to the right."""
    return ["  ".join(row).rstrip() for row in padded(head, rows, rule)]


def padded(head: Sequence[str], rows: Iterable[Sequence[str]], rule: bool = True) -> list[list[str]]:
    """The cells of such a table, each as wide as its column."""
    head, *body = ([one_line(cell) for cell in row] for row in (head, *rows))
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return [
        [cell.ljust(w) if at == 0 else cell.rjust(w) for at, (cell, w) in enumerate(zip(row, widths, strict=True))]
        for row in (head, *([["─" * width for width in widths]] if rule else []), *body)
    ]


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    """A table as CSV, in which no cell is a formula for a spreadsheet."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([sheet_cell(visible(cell)) for cell in row] for row in rows)
    return buffer.getvalue()


def slug(text: str) -> str:
    """A text as a part of an anchor or of a file's name: `my-model`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def check_csv_folder(folder: Path) -> None:
    """Refuse a folder of tables that could not be written, before any work is done for it."""
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists():
        raise UsageError(f"{folder} is there already; name a folder that is not there yet, for one CSV file per table")
    check_above(folder)


def write_csv_folder(folder: Path, tables: Mapping[str, str]) -> None:
    """Write one file per table, named as it is, all of them or none."""
    check_csv_folder(folder)
    with atomic_folder(folder, replace=False) as partial:
        for name, text in tables.items():
            (partial / f"{name}.csv").write_bytes(text.encode())


def text_table(run: "Run", measures: "Measures | None" = None) -> str:
    """A run's measures for a person, all or those given, and below them what they depend on."""
    table = _table(run.measures if measures is None else measures, measures_of(run))
    return "\n".join([*aligned(*table), "", f"{run.title}|{run.signature}"])


def latex_table(run: "Run") -> str:
    """The same table for a paper, with the signature as a comment."""
    return "\n".join([latex_comment(f"{run.title}|{run.signature}"), *tabular(*_table(run.measures, measures_of(run)))])


def _table(measures: "Measures", about: "Mapping[str, Measure]") -> Table:
    """Head and rows: one row per measure, one more column for each kind of variant that any of them has."""
    rows: dict[Key, dict[str, Estimate]] = {}
    for key, estimate in measures.items():
        rows.setdefault(key.as_variant(""), {})[key.variant] = estimate
    variants = list(dict.fromkeys(variant for row in rows.values() for variant in row if variant))
    head = ["measure", "value", "95 % interval", *variants, "n"]
    lines = []
    for key, row in rows.items():
        known = about.get(key.measure)
        show = show_p if known is not None and known.unit == "p" else show_figure
        own = row.get("")
        interval = show_interval(own.low, own.high) if own is not None else show_interval(None, None)
        others = [row.get(variant) for variant in variants]
        figures = [show(None if estimate is None else estimate.value) for estimate in (own, *others)]
        lines.append([str(key), figures[0], interval, *figures[1:], show_count(next(iter(row.values())).n)])
    return head, lines
