"""`voirdire robustness perturb`: official questions files with noise, for a model to answer."""

from typing import Annotated

import typer

from voirdire.cli.results import warn
from voirdire.cli.robustness.options import Rankings, check_questions

__all__ = ["perturb"]


def perturb(
    ranking: Rankings,
    partition: Annotated[
        str | None,
        typer.Option(metavar="P", help="1 to 7; clean (or 0); control1 to control7, drawn questions as long as P's."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="QUESTIONS", help="Where to write: .json or .json.gz.")
    ] = None,
    all_: Annotated[
        str | None,
        typer.Option("--all", metavar="DIR", help="Write clean, all seven partitions and control1 to this folder."),
    ] = None,
    max_words: Annotated[int, typer.Option(min=0, metavar="N", help="Where a question is cut; 0 is nowhere.")] = 26,
    seed: Annotated[int, typer.Option(min=0, help="Of the control's draws.")] = 0,
) -> None:
    """Put each main question before three of its basic questions, ranks 1-3, 4-6, … 19-21."""
    from pathlib import Path

    from voirdire.errors import UsageError
    from voirdire.formats.vqa_questions import write_vqa_questions
    from voirdire.robustness.perturb import ALL, PerturbOptions, file_name, reached
    from voirdire.robustness.perturb import perturb as run
    from voirdire.robustness.ranking_file import read_pool, read_rankings

    if all_ is not None and (partition is not None or output is not None):
        raise UsageError("--all writes all partitions to a folder; leave --partition and --output out")
    if all_ is None and (partition is None or output is None):
        raise UsageError("give --partition and --output, or --all and a folder")
    if output is not None:
        check_questions(output)
    options = PerturbOptions(max_words, seed)
    whole = read_rankings(ranking)
    names = reached(whole) if partition is None else [partition]
    pool = read_pool(ranking[0]) if any(name.startswith("control") for name in names) else None
    for name in names:
        made = run(whole, name, options, pool)
        path = output if output is not None else str(Path(all_ or ".") / file_name(made.partition))
        write_vqa_questions(made.questions, path)
        typer.echo(f"{made}: {path}", err=path == "-")
    for name in ALL if partition is None else ():
        if name not in names:
            typer.echo(f"warning: {name} is not written: no main question has neighbours for it", err=True)
    warn(whole.warnings)
