"""`voirdire scorekeeping propositions`: what the rounds of dialogues establish."""

from typing import Annotated

import typer

from voirdire.cli.progress import show_progress
from voirdire.cli.results import AsJson, warn

__all__ = ["Resolver", "Tagger", "propositions"]

Tagger = Annotated[str, typer.Option(metavar="NAME", help="What tags parts of speech: hanta, spacy:MODEL.")]
Resolver = Annotated[
    str, typer.Option(metavar="NAME", help="What finds the things that pronouns stand for: rules, none.")
]


def propositions(
    dialogues: Annotated[str, typer.Option(metavar="FILE", help="VisDial dialogues, official JSON or as text.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Where to write: .json, .json.gz or .parquet.")
    ],
    tagger: Tagger = "hanta",
    resolver: Resolver = "rules",
    captions: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="SHARE", help="How many of the captions' pairs stay.")
    ] = 0.15,
    balance: Annotated[
        bool, typer.Option("--balance", help="Keep every sentence as often true as false, for a training set.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Turn the rounds of dialogues into propositions that are true or false, and print how many of each kind."""
    from pathlib import Path

    from voirdire.atomic import check_output
    from voirdire.errors import UsageError
    from voirdire.scorekeeping.files import propose_file
    from voirdire.scorekeeping.propositions.counts import tables
    from voirdire.scorekeeping.propositions.making import PropositionOptions

    if not output.endswith((".json", ".json.gz", ".parquet")):
        raise UsageError(f"--output is a file that ends in .json, .json.gz or .parquet; got {output}")
    check_output(Path(output))
    options = PropositionOptions(captions, balance, seed)
    with show_progress("propositions", "dialogues") as report:
        done = propose_file(dialogues, output, tagger, resolver, options, report)
    run = done.run
    typer.echo(run.to_json() if as_json else f"{tables(done.made)}\n\n{run.title}|{run.signature}")
    if not as_json:
        warn(run.warnings)
