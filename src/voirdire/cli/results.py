"""How a run reaches its reader: a table, one JSON object, LaTeX, and the run's own folder.

Warnings go to stderr, except with --json, whose object holds them.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from voirdire.runs.run import Run

__all__ = ["AsJson", "Latex", "Output", "Overwrite", "check", "give", "show_json", "warn"]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print the table as LaTeX.")]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="RUN", help="Also write the run, items and all, to this folder.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Let --output take the place of an earlier run.")]


def check(as_json: bool = False, latex: bool = False, folder: str | None = None, overwrite: bool = False) -> None:
    """Refuse a call whose run could not be given as it asks, before any work is done for it."""
    from voirdire.errors import UsageError

    if as_json and latex:
        raise UsageError("--json and --latex exclude each other")
    if folder is not None:
        from voirdire.runs.store import check_place

        check_place(folder, overwrite)


def give(run: "Run", as_json: bool, latex: bool, folder: str | None, overwrite: bool) -> None:
    """Write the run where it is asked for, then print it in the form that is asked for."""
    from voirdire.exam import load, part_of
    from voirdire.tables import latex_table, text_table

    if folder is not None:
        from voirdire.runs.store import write_run

        write_run(run, folder, overwrite)
    if as_json:
        typer.echo(run.to_json())
        return
    tables = part_of(run).tables
    typer.echo(latex_table(run) if latex else (load(tables) if tables else text_table)(run))
    warn(run.warnings)


def warn(warnings: Iterable[str]) -> None:
    """Say on stderr what the reader of the figures should know."""
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)


def show_json(value: object) -> None:
    """Print one JSON object, for programs."""
    import msgspec

    typer.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())
