"""`voirdire scorekeeping sheet` and `collect`: sheets for new judgements, and filled sheets as judgements."""

from typing import Annotated

import typer

__all__ = ["collect", "sheet"]

_Propositions = Annotated[
    str, typer.Option(metavar="FILE", help="Propositions of these dialogues, from `scorekeeping propositions`.")
]
_Dialogues = Annotated[str, typer.Option(metavar="FILE", help="VisDial dialogues, official JSON or as text.")]


def sheet(
    propositions: _Propositions,
    dialogues: _Dialogues,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="A table to fill in (.csv), or a page (.html).")
    ],
    points: Annotated[int, typer.Option(min=1, help="How many propositions to judge, each of another dialogue.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn.")] = 0,
    pictures: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Where the images are; a page shows them.")
    ] = None,
) -> None:
    """Write a sheet for judges: a dialogue up to some turn and a proposition, a hundred times. It shows no label."""
    from voirdire.formats.propositions import read_propositions
    from voirdire.scorekeeping.dialogues import read_dialogues
    from voirdire.scorekeeping.sheet import draw_rows
    from voirdire.scorekeeping.sheet_files import write_sheet

    rows = draw_rows(read_propositions(propositions), read_dialogues(dialogues), points, seed)
    typer.echo(f"{len(rows):,} propositions to judge: {write_sheet(rows, output, pictures)}")


def collect(
    sheets: Annotated[list[str], typer.Argument(metavar="CSV…", help="Filled sheets, one or more a judge.")],
    propositions: _Propositions,
    dialogues: _Dialogues,
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write; - for stdout.")],
) -> None:
    """Make one table of judgements from filled sheets, with the labels, for `scorekeeping humans`."""
    from voirdire.figures import counted
    from voirdire.formats.judgements import write_judgements
    from voirdire.formats.propositions import read_propositions
    from voirdire.scorekeeping.dialogues import read_dialogues
    from voirdire.scorekeeping.sheet_files import collect as run

    judged = run(sheets, read_propositions(propositions), read_dialogues(dialogues))
    write_judgements(judged, output)
    made = f"{counted(len(judged), 'judgement')} of {counted(len(set(judged.judges)), 'judge')}"
    typer.echo(f"{made}: {output}", err=output == "-")
