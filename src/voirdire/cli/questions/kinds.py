"""`voirdire questions kinds`: what the questions of games are about."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.progress import stage
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["kinds"]


def kinds(
    games: Annotated[
        str, typer.Option(metavar="FILE", help="Games of any layout: GuessWhat?!, logs without objects, 20 questions.")
    ],
    keywords: Annotated[
        str | None,
        typer.Option(metavar="TSV", help="Words and their types, in place of ours: a word, a tab, a type a line."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="TSV", help="Another such list; also prints how far the two agree.")
    ] = None,
    exclusive_object: Annotated[
        bool, typer.Option("--exclusive-object", help="Count object only where no other keyword is in the question.")
    ] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Shares of object, color, shape, size, texture, location, action and other questions, and of order questions."""
    from voirdire.questions.files import kinds_files
    from voirdire.questions.kind_shares import KindOptions

    check(as_json, latex, output, overwrite)
    options = KindOptions(exclusive_object, seed)
    with contextlib.ExitStack() as shown:
        reading, sorting = stage(shown, "read", "files"), stage(shown, "sort", "steps")
        run = kinds_files(games, keywords, against, options, reading=reading, report=sorting)
    give(run, as_json, latex, output, overwrite)
