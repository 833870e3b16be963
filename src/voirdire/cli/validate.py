"""`voirdire validate`: what files are, how much they hold, what is wrong with them, and which exams they can serve."""

import contextlib
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.progress import show_progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from voirdire.formats.cross_check import CrossCheck
    from voirdire.formats.validation import Examined, Report, Validation

__all__ = ["validate"]

EXAMS_OF_NONE = "none of its own"


def validate(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files, folders, or - for standard input.")],
    against: Annotated[
        str | None, typer.Option(metavar="FILE", help="Compare the ids of each file with those of this one.")
    ] = None,
    round_base: Annotated[
        int | None,
        typer.Option(min=0, max=1, help="From where rounds are counted, in files that leave it open."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what each file is, how much it holds, what is wrong, and which exams it can serve.

    The exit code is 0 where every file is good, and 2 where anything is wrong.
    """
    from voirdire.formats import validation

    with _progress() as report:
        result = validation.validate(files, against, round_base, report)
    if as_json:
        import msgspec

        typer.echo(msgspec.json.encode(result.to_dict()).decode())
    else:
        _show(result)
    if not result.ok:
        raise typer.Exit(2)


@contextlib.contextmanager
def _progress() -> "Iterator[Report]":
    """A bar on stderr where that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with show_progress("validate", unit="files") as report:
        yield report


def _show(result: "Validation") -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for one in result.files:
        _show_file(console, one)
    for check in result.checks:
        _show_check(console, check)
    if result.skipped:
        _line(console, "", f"{len(result.skipped):,} not a data file:", style="dim")
        for path in result.skipped:
            console.print(f"  {path}", style="dim", soft_wrap=True)
    good = sum(one.ok for one in result.files)
    parts = [f"{len(result.files):,} files examined", f"{good:,} good"]
    if good < len(result.files):
        parts.append(f"{len(result.files) - good:,} with faults")
    if result.checks:
        bad = sum(not check.ok for check in result.checks)
        parts.append(f"{len(result.checks):,} comparisons, {bad:,} with faults")
    console.print("\n" + ", ".join(parts), style="bold green" if result.ok else "bold red")


def _show_file(console: "Console", one: "Examined") -> None:
    mark = "ok" if one.ok else "unknown" if one.format is None else "fault"
    console.print(f"{mark:<8}{one.path}", style="green" if one.ok else "red", soft_wrap=True)
    if one.title is not None:
        _line(console, "what", f"{one.title} ({one.format})")
    if one.holds is not None:
        _line(console, "holds", one.holds)
    if one.format is not None:
        _line(console, "exams", ", ".join(one.exams) or EXAMS_OF_NONE)
    _list(console, "notes", one.notes, "yellow")
    problems = [str(problem) for problem in one.problems]
    if one.problem_count > len(problems):
        problems.append(f"… and {one.problem_count - len(problems):,} more")
    _list(console, "faults", problems, "red")


def _show_check(console: "Console", check: "CrossCheck") -> None:
    mark = "ok" if check.ok else "fault"
    head = f"{mark:<8}{check.path} against {check.against}"
    console.print(head, style="green" if check.ok else "red", soft_wrap=True)
    _line(console, f"{check.kind}s", f"{check.common:,} in both, {check.missing:,} missing, {check.unknown:,} unknown")
    for name, count, first in (
        ("missing", check.missing, check.first_missing),
        ("unknown", check.unknown, check.first_unknown),
    ):
        if count:
            more = f"; … and {count - len(first):,} more" if count > len(first) else ""
            _line(console, name, "; ".join(first) + more, style="" if check.ok else "red")


def _list(console: "Console", name: str, items: "Iterable[str]", style: str) -> None:
    for number, item in enumerate(items):
        _line(console, "" if number else name, item, style=style)


def _line(console: "Console", name: str, text: str, style: str = "") -> None:
    """A name in the margin and a text beside it, wrapped to the right of the margin."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=15, style="dim")
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"        {name}"), Text(text, style=style))
    console.print(grid)
