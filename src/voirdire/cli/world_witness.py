"""`voirdire world answer` and `voirdire world play`: let a witness with a known flaw answer questions, or ask them."""

from typing import Annotated

import typer

from voirdire.cli.progress import show_progress

__all__ = ["answer", "play"]

_Scenes = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The truth; by default scenes.jsonl beside the file or in a folder above it."),
]
_Seed = Annotated[int, typer.Option(help="The witness's own chance; the same seed gives the same bytes.")]
_Out = Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write; - for standard output.")]


def answer(
    witness: Annotated[
        str,
        typer.Option(metavar="NAME", help="truthful, uncertain, blind, forgetful, distractible or verbose."),
    ],
    questions: Annotated[str, typer.Option(metavar="FILE", help="VQA questions or VisDial dialogues; - for stdin.")],
    output: _Out,
    scenes: _Scenes = None,
    seed: _Seed = 0,
    k: Annotated[int | None, typer.Option("--k", min=1, help="Generations a round, for dialogues (1).")] = None,
    ranks: Annotated[bool, typer.Option("--ranks", help="Rank the 100 options of each round instead.")] = False,
) -> None:
    """Let a witness answer: VQA questions to results, VisDial dialogues to generations or ranks."""
    from voirdire.world.witnesses.paths import answer_file

    said = answer_file(witness, questions, output, scenes, seed, k, ranks)
    if said.unread:
        typer.echo(
            f"{witness} could not read {len(said.unread):,} of {said.asked:,} questions and said that it cannot tell; "
            f"the first: {said.unread[0]!r}",
            err=True,
        )
    typer.echo(f"{witness} answered {said.asked:,} questions: {output}", err=output == "-")


def play(
    witness: Annotated[str, typer.Option(metavar="NAME", help="keen, confirming, repetitive or random.")],
    games: Annotated[str, typer.Option(metavar="FILE", help="GuessWhat?! games; their questions are asked anew.")],
    output: _Out,
    scenes: _Scenes = None,
    seed: _Seed = 0,
    limit: Annotated[int, typer.Option(min=1, help="At most so many questions a game.")] = 8,
) -> None:
    """Let a questioning witness play GuessWhat?! games anew, with true answers and a guess at the end."""
    from voirdire.world.witnesses.paths import play_file

    with show_progress("play", "games") as report:
        played = play_file(witness, games, output, scenes, seed, limit, report=report)
    won = sum(game.status == "success" for game in played)
    typer.echo(f"{witness} played {len(played):,} games and won {won:,}: {output}", err=output == "-")
