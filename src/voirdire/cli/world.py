"""`voirdire world`: make a world with known truth, and outputs of its witnesses.

`voirdire world DIR …` makes one; the verb's own name, `make`, may be left out.
"""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from voirdire.cli.command import group, verb
from voirdire.cli.output import say, show_json
from voirdire.cli.progress_bars import show_progress
from voirdire.options import LARGEST_SEED

MOST_SCENES = 1_000_000

_Scenes = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The truth; by default scenes.jsonl beside the file or in a folder above it."),
]
_Seed = Annotated[
    int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the witness; the same seed gives the same bytes.")
]
_Out = Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write; - for standard output.")]


class _MakeByDefault(TyperGroup):
    """A group whose first word may be a folder: what is no verb is an argument of `make`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["make", *args]
        return super().parse_args(ctx, args)


def make(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write the world's files to.")],
    scenes: Annotated[int, typer.Option(min=2, max=MOST_SCENES, help="How many scenes to make.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="The same seed gives the same bytes.")] = 0,
    pictures: Annotated[bool, typer.Option("--pictures", help="Also draw every scene.")] = False,
    text_only: Annotated[bool, typer.Option("--text-only", help="Only VQA questions, twenty a scene.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a world: scenes, and from them dialogues, questions, games and the truth, in the official formats.

    The word `make` may be left out.
    """
    from voirdire.world.build import build_world

    with show_progress("world", "steps") as report:
        manifest = build_world(folder, scenes, seed, pictures, text_only, report)
    if as_json:
        show_json(manifest, indent=-1)
        return
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            say(f"{path.stat().st_size:>14,}  {path}")
    say(f"{scenes:,} scenes of seed {seed}; look at them with: voirdire validate {folder}")


def answer(
    witness: Annotated[
        str,
        typer.Option(metavar="NAME", help="truthful, uncertain, blind, forgetful, distractible or verbose."),
    ],
    questions: Annotated[str, typer.Option(metavar="FILE", help="VQA questions or VisDial dialogues; - for stdin.")],
    output: _Out,
    scenes: _Scenes = None,
    seed: _Seed = 0,
    count: Annotated[
        int | None, typer.Option("--k", min=1, max=1_000, help="Generations per round, for dialogues (1).")
    ] = None,
    ranks: Annotated[bool, typer.Option("--ranks", help="Rank the options of each round instead.")] = False,
) -> None:
    """Let a witness answer: VQA questions to results, VisDial dialogues to generations or ranks."""
    from voirdire.world.witnesses.outputs import answer_file

    answers = answer_file(witness, questions, output, scenes, seed, count, ranks)
    if answers.unread:
        say(
            f"{witness} could not read {len(answers.unread):,} of {answers.asked:,} questions and answered that it "
            f"cannot tell; the first: {answers.unread[0]!r}",
            err=True,
        )
    say(f"{witness} answered {answers.asked:,} questions: {output}", err=output == "-")


def play(
    witness: Annotated[str, typer.Option(metavar="NAME", help="keen, confirming, repetitive or random.")],
    games: Annotated[str, typer.Option(metavar="FILE", help="GuessWhat?! games; their questions are asked anew.")],
    output: _Out,
    scenes: _Scenes = None,
    seed: _Seed = 0,
    max_questions: Annotated[int, typer.Option(min=1, max=1_000, help="Most questions per game.")] = 8,
) -> None:
    """Let a questioning witness play GuessWhat?! games anew, with true answers and a guess at the end."""
    from voirdire.errors import UsageError
    from voirdire.world.witnesses.outputs import play_file
    from voirdire.world.witnesses.questioners import make_questioner

    try:
        make_questioner(witness, seed)
    except UsageError as error:
        raise UsageError(f"--witness: {error}") from None
    with show_progress("play", "games") as report:
        played = play_file(witness, games, output, scenes, seed, max_questions, report=report)
    won = sum(game.status == "success" for game in played)
    say(f"{witness} played {len(played):,} games and won {won:,}: {output}", err=output == "-")


def survey(
    dialogues: Annotated[
        str, typer.Option(metavar="FILE", help="VisDial dialogues; their images are asked about anew.")
    ],
    output: _Out,
    scenes: _Scenes = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the order of the questions.")] = 0,
) -> None:
    """Ask about each image the same ten questions, in any order: dialogues of a small closed vocabulary."""
    from voirdire.world.witnesses.outputs import survey_file

    surveyed = survey_file(dialogues, output, scenes, seed)
    say(f"{len(surveyed):,} dialogues of {len(surveyed.questions)} questions: {output}", err=output == "-")


def states(
    witness: Annotated[str, typer.Option(metavar="NAME", help="scorekeeper, amnesic or noise.")],
    dialogues: Annotated[str, typer.Option(metavar="FILE", help="VisDial dialogues about scenes, JSON or as text.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write: .h5, .hdf5 or .npz.")],
    scenes: _Scenes = None,
    seed: _Seed = 0,
    role: Annotated[str, typer.Option(metavar="A|Q", help="Its role in the dialogue: answerer or questioner.")] = "A",
) -> None:
    """Write the hidden states of a witness for dialogues, one vector per dialogue and turn."""
    from voirdire.world.witnesses.outputs import states_file

    with show_progress("states", "dialogues") as report:
        written = states_file(witness, dialogues, output, scenes, seed, role, report)  # type: ignore[arg-type]
    count, turns, width = written.states.shape
    say(f"{witness}: states of {count:,} dialogues, {turns} turns, {width} dimensions: {output}")


def world_verbs() -> TyperGroup:
    """Make a world whose truth is known (`world DIR` is `world make DIR`), or outputs of its witnesses."""
    names = ("make", "answer", "play", "survey", "states")
    return group("world", str(world_verbs.__doc__), [verb(f"{__name__}:{name}") for name in names], _MakeByDefault)
