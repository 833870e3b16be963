"""How a run reaches its reader: a table, one JSON object, LaTeX, and the run's own folder.

A measure's variants stand in its row: `cider4` with `cider4:std` and `cider4:best` as further columns. A condition in
which it was measured again (`accuracy:partition1`, `accuracy[lasso]:partition1`, `accuracy:control`) has a row of its
own, with its interval. Warnings go to stderr, except with --json, whose object holds them.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.figures import show_count, show_figure, show_interval, show_p
from voirdire.latex import tabular

if TYPE_CHECKING:
    from voirdire.runs.estimate import Estimate
    from voirdire.runs.run import Run

__all__ = [
    "AsJson",
    "Latex",
    "Output",
    "Overwrite",
    "Seed",
    "aligned",
    "check",
    "give",
    "latex_table",
    "show_json",
    "text_table",
    "warn",
]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print the table as LaTeX.")]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="RUN", help="Also write the run, items and all, to this folder.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Let --output take the place of an earlier run.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the resamples that the intervals come from.")]

Table = tuple[list[str], list[list[str]]]

_CONDITION = re.compile(r"partition\d+|control")


def check(as_json: bool = False, latex: bool = False, output: str | None = None, overwrite: bool = False) -> None:
    """Refuse a call whose run could not be given as it asks, before any work is done for it."""
    from voirdire.errors import UsageError

    if as_json and latex:
        raise UsageError("--json and --latex exclude each other")
    if output is not None:
        from voirdire.runs.store import check_place

        check_place(output, overwrite)


def give(
    run: "Run", as_json: bool = False, latex: bool = False, output: str | None = None, overwrite: bool = False
) -> None:
    """Write the run where it is asked for, then print it in the form that is asked for."""
    check(as_json, latex)
    if output is not None:
        from voirdire.runs.store import write_run

        write_run(run, output, overwrite)
    if as_json:
        typer.echo(run.to_json())
        return
    typer.echo(latex_table(run) if latex else text_table(run))
    warn(run.warnings)


def warn(warnings: Iterable[str]) -> None:
    """Say on stderr what the reader of the figures should know."""
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)


def show_json(value: object) -> None:
    """Print one JSON object, for programs."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def text_table(run: "Run") -> str:
    """The measures for a person, and below them what they depend on."""
    return "\n".join([*aligned(*_table(run.measures)), "", f"{run.title}|{run.signature}"])


def latex_table(run: "Run") -> str:
    """The same table for a paper (package booktabs), with the signature as a comment."""
    return "\n".join([f"% {run.title}|{run.signature}", *tabular(*_table(run.measures))])


def aligned(head: list[str], rows: list[list[str]]) -> list[str]:
    """The lines of a table for the terminal: the first column to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(w) if at == 0 else cell.rjust(w) for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in (head, ["─" * width for width in widths], *rows)
    ]
    return [line.rstrip() for line in lines]


def _table(measures: "Mapping[str, Estimate]") -> Table:
    """Head and rows: one row a measure, one column more for each kind of variant that any of them has."""
    rows: dict[str, dict[str, Estimate]] = {}
    for name, estimate in measures.items():
        base, variant = _parted(name)
        rows.setdefault(base, {})[variant] = estimate
    variants = _once(variant for row in rows.values() for variant in row if variant)
    head = ["measure", "value", "95 % interval", *variants, "n"]
    return head, [
        [
            base,
            *_shown(base, row.get("")),
            *(_shown(base, row.get(variant))[0] for variant in variants),
            show_count(next(iter(row.values())).n),
        ]
        for base, row in rows.items()
    ]


def _parted(name: str) -> tuple[str, str]:
    """`cider4@5:std` as (`cider4@5`, `std`); a colon inside the brackets of a slice parts nothing."""
    at = name.rfind(":")
    if at <= name.rfind("]") or _CONDITION.fullmatch(name, at + 1):
        return name, ""
    return name[:at], name[at + 1 :]


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _shown(base: str, estimate: "Estimate | None") -> tuple[str, str]:
    """The figure and its interval."""
    if estimate is None:
        return show_figure(None), show_interval(None, None)
    show = show_p if base.partition("[")[0].endswith("_p") else show_figure
    return show(estimate.value), show_interval(estimate.low, estimate.high)
