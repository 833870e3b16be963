"""`voirdire world`: make a world with known truth, and let its witnesses speak.

`voirdire world DIR …` makes one; the verb's own name, `make`, may be left out. Further verbs register on `world`.
"""

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from voirdire.cli.progress import show_progress
from voirdire.cli.world_witness import answer, play, states, survey

__all__ = ["world"]


class _MakeByDefault(TyperGroup):
    """A group whose first word may be a folder: what is no verb is an argument of `make`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["make", *args]
        return super().parse_args(ctx, args)


world = typer.Typer(
    cls=_MakeByDefault,
    no_args_is_help=True,
    help="Make a world whose truth is known (`world DIR` is `world make DIR`), or let a witness speak about it.",
)


@world.command("make")
def make(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write the world's files to.")],
    scenes: Annotated[int, typer.Option(min=2, help="How many scenes to make.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 0,
    pictures: Annotated[bool, typer.Option("--pictures", help="Also draw every scene.")] = False,
    text_only: Annotated[bool, typer.Option("--text-only", help="Only VQA questions, twenty a scene.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a world: scenes, and from them dialogues, questions, games and the truth, in the official formats.

    The word `make` may be left out.
    """
    import msgspec

    from voirdire.world.build import build_world

    with show_progress("world", "steps") as report:
        manifest = build_world(folder, scenes, seed, pictures, text_only, report)
    if as_json:
        typer.echo(msgspec.json.encode(manifest).decode())
        return
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            typer.echo(f"{path.stat().st_size:>14,}  {path}")
    typer.echo(f"{scenes:,} scenes of seed {seed}; look at them with: voirdire validate {folder}")


world.command("answer")(answer)
world.command("play")(play)
world.command("survey")(survey)
world.command("states")(states)
