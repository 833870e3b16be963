"""The command `voirdire`: its verbs, and what a user sees when something goes wrong.

A verb's module imports nothing heavy at its top, so that `--help` answers at once.
"""

import io
import sys
import warnings
from functools import partial
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from voirdire._version import __version__
from voirdire.cli.command import MARKUP, Later, verb
from voirdire.cli.output import say
from voirdire.cli.verbs import exam_verbs
from voirdire.errors import CacheWarning, OutOfMemory, VoirDireError, is_out_of_memory, shorten_text
from voirdire.exam import exam_texts, load

INTERRUPTED = 130

VERBS = {
    "exam": "exam:exam",
    "init": "exam:init",
    "validate": "validate:validate",
    "convert": "convert:convert",
    "cache": "validate:cache",
    "compare": "compare:compare",
    "doctor": "validate:doctor",
    "plan": "compare:plan",
    "report": "report:report",
    "list": "validate:list_exams",
}
"""Where in this package each of our own verbs is, in the order of the list."""
WORLD = "voirdire.cli.world:world_verbs"
ASK = "voirdire.cli.ask:ask_verbs"
STUDY = "voirdire.cli.study:study_verbs"
NETWORKS = "voirdire.cli.models:models_verbs"


class _Verbs(TyperGroup):
    """All verbs: our own, one group for each exam, and the world's."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, place in VERBS.items():
            self.add_command(verb(f"voirdire.cli.{place}", name))
        self.add_command(Later("ask", lambda: str(load(ASK).__doc__), lambda: load(ASK)()))
        self.add_command(Later("study", lambda: str(load(STUDY).__doc__), lambda: load(STUDY)()))
        for name, help_ in exam_texts("help").items():
            self.add_command(Later(name, partial(str, help_), partial(exam_verbs, name)))
        self.add_command(Later("models", lambda: str(load(NETWORKS).__doc__), lambda: load(NETWORKS)()))
        self.add_command(Later("world", lambda: str(load(WORLD).__doc__), lambda: load(WORLD)()))


app = typer.Typer(
    name="voirdire",
    cls=_Verbs,
    help="Put a visual question answering or visual dialogue model on the stand.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=MARKUP,
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


def _warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """A warning of the cache on one line, without its place in the source; any other as usual."""
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
        if (message := _message(error)) is None:
            raise
        say(f"voirdire: {message}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        interrupted = isinstance(stop, KeyboardInterrupt) or stop.code == INTERRUPTED
        if interrupted:
            say("voirdire: stopped; files that were finished are kept", err=True)
            sys.exit(INTERRUPTED)
        raise


def _message(error: Exception) -> str | None:
    """The message for an error; None where it is a fault of ours."""
    if isinstance(error, VoirDireError):
        return str(error)
    if is_out_of_memory(error):
        return str(OutOfMemory.of(" ".join(word for word in sys.argv[1:3] if not word.startswith("-")), error))
    if isinstance(error, OSError):
        # Files of ours raise errors of their own; what is left is standard output, or the machine.
        return f"{shorten_text(str(error.filename or 'standard output'), 400)}: {error.strerror or error}"
    return None
