"""`voirdire scorekeeping propositions`: what the rounds of dialogues establish."""

from typing import Annotated

import typer

from voirdire.cli.progress import show_progress
from voirdire.cli.results import AsJson

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
    from voirdire.formats.propositions import write_propositions
    from voirdire.scorekeeping.dialogues import read_dialogues
    from voirdire.scorekeeping.propositions.making import PropositionOptions, make_propositions
    from voirdire.scorekeeping.propositions.table import as_run, tables
    from voirdire.text.coreference import resolver as find_resolver
    from voirdire.text.tagging import tagger as find_tagger

    if not output.endswith((".json", ".json.gz", ".parquet")):
        raise UsageError(f"--output is a file that ends in .json, .json.gz or .parquet; got {output}")
    check_output(Path(output))
    options = PropositionOptions(captions, balance, seed)
    tagging, resolving = find_tagger(tagger), find_resolver(resolver)
    found = read_dialogues(dialogues)
    with show_progress("propositions", "dialogues") as report:
        made = make_propositions(found, tagging, resolving, options, Path(dialogues).name, report)
    if not made.propositions.dialogues:
        raise UsageError(f"{dialogues}: nothing is left, neither of {len(found):,} dialogues nor of their captions")
    write_propositions(made.propositions, output)
    run = as_run(made, found.fingerprint, tagging.name, resolving.signature, options)
    typer.echo(run.to_json() if as_json else f"{tables(made)}\n\n{run.title}|{run.signature}")
    if not as_json:
        for warning in run.warnings:
            typer.echo(f"warning: {warning}", err=True)
