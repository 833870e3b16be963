"""Output of results: a run as a table, as one JSON object, as LaTeX, and in a folder of its own.

Whatever is printed goes through here, so that a terminal obeys nothing that stands in a user's file. A styled line is
made of pieces, each a text and a style ("bold green"; empty for none). Styles are left out where the output is no
terminal, where `NO_COLOR` is set, and where the terminal knows none. What a colour says the text must say, too.

Warnings go to stderr, except with --json, whose object holds them. Runs are named on the command line as
`[LABEL=]RUN`, where LABEL is the name of the run's model. Without a label the name is that of the run's folder, or of
the folder above where its own is named like an exam or a part of one: `runs/blind` and `runs/blind/answers` are both
of `blind`.
"""

import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.errors import UsageError
from voirdire.escaping import fit, visible
from voirdire.options import MOST_WORKERS

if TYPE_CHECKING:
    from rich.console import Console

    from voirdire.engine import Engine
    from voirdire.runs.run import Run

NARROWEST = 20

Line = Sequence[tuple[str, str]]
"""A styled line."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print the table as LaTeX.")]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="RUN", help="Also write the run, items and all, to this folder.")
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="In place of --workers: here, processes:N or, for a Ray cluster, ray[:ADDRESS].",
    ),
]
Workers = Annotated[int, typer.Option(min=1, max=MOST_WORKERS, metavar="N", help="Number of worker processes.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an earlier run in --output.")]
Runs = Annotated[
    list[str],
    typer.Argument(metavar="[LABEL=]RUN…", help="Folders of runs, from `-o RUN`; LABEL is the model's name."),
]


def check(as_json: bool = False, latex: bool = False, folder: str | None = None, overwrite: bool = False) -> None:
    """Refuse flags that contradict each other, or a folder that cannot be written, before any work is done."""
    from voirdire.errors import UsageError

    if as_json and latex:
        raise UsageError("--json and --latex exclude each other")
    if folder is not None:
        from voirdire.runs.store import check_place

        check_place(folder, overwrite)


def say(text: object, err: bool = False) -> None:
    """Print a line, or several: for a person, or one JSON object for a program."""
    typer.echo(visible(str(text)), err=err)


def give(run: "Run", as_json: bool, latex: bool, folder: str | None, overwrite: bool) -> None:
    """Write the run to its folder, then print it in the requested form."""
    from voirdire.exam import load, part_of
    from voirdire.tables import latex_table, text_table

    if folder is not None:
        from voirdire.runs.store import write_run

        write_run(run, folder, overwrite)
    if as_json:
        put_json(run.to_json())
        return
    tables = part_of(run).tables
    say(latex_table(run) if latex else (load(tables) if tables else text_table)(run))
    warn(run.warnings)


def warn(warnings: Iterable[str]) -> None:
    """Print warnings to stderr."""
    for warning in warnings:
        say(f"warning: {warning}", err=True)


def show_json(value: object, indent: int = 2) -> None:
    """Print one JSON object, for programs; without line breaks where `indent` is below 0."""
    put_json(json_text(value, indent))


def json_text(value: object, indent: int = 2) -> str:
    """One JSON object."""
    import json

    import msgspec

    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=indent).decode()
    except UnicodeEncodeError:  # A file's name in another encoding holds halves of signs, which can only be escaped.
        return json.dumps(msgspec.to_builtins(value), indent=None if indent < 0 else indent)


def put_json(text: str) -> None:
    """Print JSON; control characters are escaped, which leaves it the same JSON."""
    put_out(visible(text))


def put_out(text: str, end: str = "\n") -> None:
    """Print for a file or a program, in UTF-8 whatever the terminal's own encoding is."""
    typer.echo((text + end).encode(errors="backslashreplace"), nl=False)


def read_labelled(named: Sequence[str]) -> "list[tuple[str, Run]]":
    """Each run with the label of its model."""
    from voirdire.exam import label_and_path, read_run

    labelled = []
    for text in named:
        label, given = label_and_path(text)
        for path in _runs_in(given):
            run = read_run(path)
            labelled.append((fit(label or label_of(path, run)), run))
    return labelled


def _runs_in(path: str) -> list[str]:
    """The folder itself, or where it is no run but holds some, at whatever depth, these; without any it stays, to be
    refused by name."""
    from voirdire.runs.store import RUN

    folder = Path(path)
    if not folder.is_dir() or (folder / RUN).exists():
        return [path]
    return [str(head.parent) for head in sorted(folder.rglob(RUN))] or [path]


def label_of(path: str, run: "Run") -> str:
    """The name of a run's model where no label is given."""
    folder = Path(path).resolve()
    exams = {run.exam, run.part, run.title.replace(" ", "-")}
    return folder.parent.name if folder.name in exams and folder.parent.name else folder.name


def plain_console(err: bool = False) -> "Console":
    """A console that takes no word in brackets for a style, and none between colons for a picture; `err` is stderr."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, stderr=err)


def print_line(console: "Console", text: str, style: str = "") -> None:
    """Print a line, however long it is."""
    console.print(visible(text), style=style, soft_wrap=True)


def print_beside(console: "Console", margin: str, text: str, style: str = "") -> None:
    """Print `margin`, then `text` to the right of it, on as many lines as the console's width asks for."""
    width = max(NARROWEST, console.width - len(margin))
    for line in textwrap.wrap(visible(text), width, break_on_hyphens=False) or [""]:
        print_line(console, f"{margin}{line}", style)
        margin = " " * len(margin)


def is_colourful(err: bool = False) -> bool:
    """Whether the output, or stderr, is a terminal that may be given colours."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def unstyled(line: Line) -> str:
    """The text of a line."""
    return "".join(text for text, _ in line)


def print_styled(lines: Sequence[Line]) -> None:
    """Print lines, in colours where they can be seen."""
    if not is_colourful():
        say("\n".join(map(unstyled, lines)))
        return
    from rich.text import Text

    console = plain_console()
    for line in lines:
        console.print(Text.assemble(*((visible(text), style) for text, style in line)), soft_wrap=True)


def engine_of(workers: int, name: str | None) -> "Engine | None":
    """The engine of --workers and --engine; None where neither is given."""
    from voirdire.engine import ENGINES, Processes

    if name is not None:
        if workers != 1:
            raise UsageError("--workers and --engine exclude each other")
        return ENGINES.make(name)
    return None if workers == 1 else Processes(workers)
