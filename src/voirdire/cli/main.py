"""The command `voirdire`: its verbs, and what a user sees when something goes wrong.

A verb's module imports nothing heavy at its top, so that `--help` answers at once.
"""

import io
import sys
import warnings
from typing import Annotated

import typer

from voirdire._version import __version__
from voirdire.cli.compare import compare
from voirdire.cli.convert import convert
from voirdire.cli.doctor import cache, doctor
from voirdire.cli.exam import exam, init
from voirdire.cli.once import Once
from voirdire.cli.output import say
from voirdire.cli.plan import plan
from voirdire.cli.report import report
from voirdire.cli.validate import list_exams, validate
from voirdire.cli.verbs import exam_verbs
from voirdire.cli.world import world
from voirdire.errors import CacheWarning, OutOfMemory, VoirDireError, is_out_of_memory, shorten_text
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
        say(f"voirdire {__version__}")
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
app.command(cls=Once)(convert)
app.command(cls=Once)(cache)
app.command(cls=Once)(compare)
app.command(cls=Once)(doctor)
app.command(cls=Once)(plan)
app.command(cls=Once)(report)
app.command("list", cls=Once)(list_exams)
for one in exams():
    app.add_typer(exam_verbs(one), name=one.name)
app.add_typer(world, name="world")


def _warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """What was made anew is said on one line; where in the source it was noticed is of use for other warnings only."""
    if issubclass(category, CacheWarning):
        return f"voirdire: {message}\n"
    return _FORMAT(message, category, filename, lineno, line)


_FORMAT = warnings.formatwarning


def _print_what_can_be() -> None:
    """Spell out what a terminal's own encoding does not have (≥ in cp1252), as stderr does, instead of giving up."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run() -> None:
    """Run the command; a fault in the input, the call or the machine is one message on stderr and exit code 2."""
    warnings.formatwarning = _warning
    _print_what_can_be()
    try:
        app()
    except Exception as error:
        if (said := _said(error)) is None:
            raise
        say(f"voirdire: {said}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt) or stop.code == INTERRUPTED
        if interrupted:
            say("voirdire: stopped; files that were finished are kept", err=True)
            sys.exit(INTERRUPTED)
        raise


def _said(error: Exception) -> str | None:
    """What to tell of an error; None where it is a fault of ours."""
    if isinstance(error, VoirDireError):
        return str(error)
    if is_out_of_memory(error):
        return str(OutOfMemory.of(" ".join(word for word in sys.argv[1:3] if not word.startswith("-")), error))
    if isinstance(error, OSError):
        # Files of ours raise errors of their own; what is left is standard output, or the machine.
        return f"{shorten_text(str(error.filename or 'standard output'), 400)}: {error.strerror or error}"
    return None
