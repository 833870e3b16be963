"""Tables in the terminal and for a paper (LaTeX, package booktabs); and a run's figures as either.

A measure's variants stand in its row: `cider4` with `cider4:std` and `cider4:best` as further columns. A condition in
which it was measured again (`accuracy:partition1`) has a row of its own, with its interval.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from voirdire.escaping import latex, latex_comment, one_line
from voirdire.exam import measures_of
from voirdire.figures import show_count, show_figure, show_interval, show_p

if TYPE_CHECKING:
    from voirdire.metrics.key import Key
    from voirdire.metrics.measure import Measure
    from voirdire.runs.estimate import Estimate, Measures
    from voirdire.runs.run import Run

__all__ = ["aligned", "latex_table", "tabular", "text_table"]

Table = tuple[list[str], list[list[str]]]


def tabular(head: Sequence[str], rows: Iterable[Iterable[str]]) -> list[str]:
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


def _latex_row(cells: Iterable[str]) -> str:
    row = " & ".join(map(latex, cells)) + r" \\"
    # After the end of a row, or a rule, LaTeX would take a bracket or a star for an argument.
    return "{}" + row if row.startswith(("[", "*")) else row


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]], rule: bool = True) -> list[str]:
    """The lines of a table for the terminal: the first column to the left, figures to the right."""
    head, *given = ([one_line(cell) for cell in row] for row in (head, *rows))
    widths = [max(map(len, column)) for column in zip(head, *given, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(w) if at == 0 else cell.rjust(w) for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, *([["─" * width for width in widths]] if rule else []), *given)
    ]
    return [line.rstrip() for line in lines]


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
    made = []
    for key, row in rows.items():
        known = about.get(key.measure)
        show = show_p if known is not None and known.unit == "p" else show_figure
        own = row.get("")
        interval = show_interval(own.low, own.high) if own is not None else show_interval(None, None)
        others = [row.get(variant) for variant in variants]
        figures = [show(one.value if one is not None else None) for one in (own, *others)]
        made.append([str(key), figures[0], interval, *figures[1:], show_count(next(iter(row.values())).n)])
    return head, made
