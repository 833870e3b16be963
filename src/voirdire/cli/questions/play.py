"""`voirdire questions play`: games between a questioner, an oracle and a guesser."""

from typing import Annotated

import typer

from voirdire.cli.progress import show_progress

__all__ = ["play"]

TRUTH = "truth"


def play(
    questioner: Annotated[
        str, typer.Option(metavar="Q", help="Who asks: keen, confirming, repetitive or random, or one of a plug-in.")
    ],
    games: Annotated[str, typer.Option(metavar="FILE", help="GuessWhat?! games; their questions are asked anew.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Where to write the games; - for standard output.")
    ],
    oracle: Annotated[
        str, typer.Option(metavar="O", help="Who answers: truth (of the scenes), scenes:FILE or model:FILE.")
    ] = TRUTH,
    guesser: Annotated[
        str, typer.Option(metavar="G", help="Who guesses: consistent, random or salient, or one of a plug-in.")
    ] = "consistent",
    scenes: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="What they see; by default scenes.jsonl beside the games or in a folder above them."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many questions a game.")] = 8,
    seed: Annotated[int, typer.Option(help="Of questioner and guesser; the same seed gives the same bytes.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Let a questioner, an oracle and a guesser play the games of a file anew, in the layout of model games."""
    import msgspec

    from voirdire.errors import UsageError
    from voirdire.questions.oracles import ORACLES, make_oracle
    from voirdire.world.witnesses.files import play_file

    name = oracle.partition(":")[0]
    if oracle != TRUTH and name not in ORACLES.names():
        known = ", ".join([*(one for one in ORACLES.names() if one != "table"), TRUTH])
        raise UsageError(f"there is no oracle {oracle!r} to play with; there are: {known}")
    if name == "table":
        raise UsageError("a table has answers to questions that were asked before; these games ask new ones")
    if as_json and output == "-":
        raise UsageError("--json prints to standard output; write the games to a file")
    answers = None if oracle == TRUTH else make_oracle(oracle)
    with show_progress("play", "games") as report:
        played = play_file(
            questioner, games, output, scenes, seed, limit, oracle=answers, guesser=guesser, report=report
        )
    won = sum(game.status == "success" for game in played)
    asked = sum(len(game.qas) for game in played)
    if as_json:
        typer.echo(msgspec.json.encode({"games": len(played), "won": won, "questions": asked, "path": output}).decode())
        return
    typer.echo(
        f"{questioner} asked {asked:,} questions in {len(played):,} games, {oracle} answered, {guesser} found "
        f"{won:,} targets: {output}",
        err=output == "-",
    )
