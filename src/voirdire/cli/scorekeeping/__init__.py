"""`voirdire scorekeeping`: does a model keep track of what is true and of what has been said? One thin file a verb."""

import typer

from voirdire.cli.scorekeeping.board import board
from voirdire.cli.scorekeeping.explain import explain
from voirdire.cli.scorekeeping.humans import humans
from voirdire.cli.scorekeeping.probe import probe
from voirdire.cli.scorekeeping.propositions import propositions
from voirdire.cli.scorekeeping.sheet import collect, sheet
from voirdire.cli.scorekeeping.states import states

__all__ = ["scorekeeping"]

scorekeeping = typer.Typer(
    no_args_is_help=True,
    help="Probe dialogue states: do they hold what is true, and what is shared so far?",
)


@scorekeeping.callback()
def _scorekeeping() -> None:
    """Probe dialogue states: do they hold what is true, and what is shared so far?"""


scorekeeping.command("propositions")(propositions)
scorekeeping.command("explain")(explain)
scorekeeping.command("states")(states)
scorekeeping.command("probe")(probe)
scorekeeping.command("board")(board)
scorekeeping.command("humans")(humans)
scorekeeping.command("sheet")(sheet)
scorekeeping.command("collect")(collect)
