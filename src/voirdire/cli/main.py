"""The command `voirdire`: its verbs, and what a user sees when something goes wrong.

A verb's module imports nothing heavy at its top, so that `--help` answers at once.
"""

import sys
from typing import Annotated

import typer

from voirdire._version import __version__
from voirdire.cli.compare import compare
from voirdire.cli.doctor import cache, doctor
from voirdire.cli.exam import exam, init
from voirdire.cli.once import Once
from voirdire.cli.plan import plan
from voirdire.cli.report import report
from voirdire.cli.validate import list_exams, validate
from voirdire.cli.verbs import exam_verbs
from voirdire.cli.world import world
from voirdire.errors import VoirDireError
from voirdire.exam import exams

__all__ = ["app", "run"]

INTERRUPTED = 130

app = typer.Typer(
    name="voirdire",
    help="Put a visual question answering or visual dialogue model on the stand.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Else words in square brackets are taken for markup, and paragraphs keep the line breaks of the source.
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"voirdire {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Put a visual question answering or visual dialogue model on the stand."""


app.command(cls=Once)(exam)
app.command(cls=Once)(init)
app.command(cls=Once)(validate)
app.command(cls=Once)(cache)
app.command(cls=Once)(compare)
app.command(cls=Once)(doctor)
app.command(cls=Once)(plan)
app.command(cls=Once)(report)
app.command("list", cls=Once)(list_exams)
for one in exams():
    app.add_typer(exam_verbs(one), name=one.name)
app.add_typer(world, name="world")


def run() -> None:
    """Run the command; a fault in the input or the call is one message on stderr and exit code 2."""
    try:
        app()
    except VoirDireError as error:
        typer.echo(f"voirdire: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        # Files of ours raise errors of their own; what is left is standard output, or the machine.
        typer.echo(f"voirdire: {error.filename or 'standard output'}: {error.strerror or error}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt) or stop.code == INTERRUPTED
        if interrupted:
            typer.echo("voirdire: stopped; files that were finished are kept", err=True)
            sys.exit(INTERRUPTED)
        raise
