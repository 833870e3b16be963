"""`voirdire scorekeeping board`: the scoreboard of one dialogue, gold and predicted side by side."""

import shutil
from typing import Annotated

import typer

from voirdire.cli.results import AsJson

__all__ = ["board"]


def board(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, from `probe -o RUN`.")],
    dialogue: Annotated[int, typer.Option(min=0, metavar="ID", help="The dialogue's place in its file, from 0.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT", help="Draw it: a file in .html, .svg or .png.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="Where the run has several: TFxPS, TF, PS or PxTSFS.")
    ] = None,
    dialogues: Annotated[
        str | None, typer.Option(metavar="FILE", help="The file of the dialogues, to show what was said.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a probe took for true and shared, turn by turn, beside what is; errors are marked."""
    from voirdire.drawings import check_drawing
    from voirdire.errors import UsageError
    from voirdire.runs import read_run
    from voirdire.scorekeeping.board import make_board
    from voirdire.scorekeeping.board_drawing import draw_board
    from voirdire.scorekeeping.dialogues import read_dialogues

    if output is not None:
        check_drawing(output)
    spoken = None
    if dialogues is not None:
        known = read_dialogues(dialogues)
        if dialogue >= len(known):
            raise UsageError(f"--dialogue {dialogue}: {dialogues} has {len(known):,} dialogues, counted from 0")
        spoken = known[dialogue]
    made = make_board(read_run(run), dialogue, task, run, spoken)
    if output is not None:
        draw_board(made, output)
    if as_json:
        typer.echo(made.to_json())
        return
    for line in made.lines(shutil.get_terminal_size((100, 24)).columns):
        typer.echo(line)
    if output is not None:
        typer.echo(f"drawn: {output}")
