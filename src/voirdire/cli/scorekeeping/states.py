"""`voirdire scorekeeping states`: dialogue states of a text encoder, turn by turn."""

from typing import Annotated

import typer

from voirdire.cli.progress import show_progress

__all__ = ["states"]


def states(
    dialogues: Annotated[str, typer.Option(metavar="FILE", help="VisDial dialogues, official JSON or as text.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write: .h5, .hdf5 or .npz.")],
    encoder: Annotated[
        str, typer.Option(metavar="NAME", help="What makes vectors: minilm, static, st:PATH, …")
    ] = "minilm",
    role: Annotated[
        str,
        typer.Option(metavar="A|Q", help="Who listens: the answerer, also to the next question, or the questioner."),
    ] = "A",
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that work side by side.")] = 1,
) -> None:
    """Write the states of a text encoder, a vector a dialogue and turn. Killed and called again, it goes on."""
    from voirdire.engine import Here, Processes
    from voirdire.scorekeeping.dialogues import read_dialogues
    from voirdire.scorekeeping.states import encode_states

    found = read_dialogues(dialogues)
    engine = Here() if workers == 1 else Processes(workers)
    with show_progress("states", "dialogues") as report:
        made = encode_states(found, encoder, output, role, engine=engine, report=report)  # type: ignore[arg-type]
    count, turns, width = made.states.shape
    typer.echo(f"{count:,} dialogues, {turns} turns, {width:,} dimensions: {output}")
