"""`voirdire answers densify`: reference sets for every round of a dataset."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli.answers.options import Visdial
from voirdire.cli.answers.references import Clusters, Encoder, Pairing, make_options
from voirdire.cli.progress import stage
from voirdire.cli.results import warn

__all__ = ["densify"]


def densify(
    visdial: Visdial,
    cca: Annotated[str, typer.Option("--cca", metavar="FILE", help="A CCA that `voirdire answers train` wrote.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Where to write: .parquet, .jsonl, .json, or with .gz.")
    ],
    method: Annotated[str, typer.Option(metavar="S|M|G", help="Which cluster of correlations is the set.")] = "S",
    pairing: Pairing = "gt-others",
    clusters: Clusters = 5,
    encoder: Encoder = None,
    engine: Annotated[str, typer.Option(help="Where the work is done: here, or processes:N.")] = "here",
    work: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where finished work is kept until the end; OUT.work if not given."),
    ] = None,
) -> None:
    """Make a set for every round. Killed and called again, it goes on where it was."""
    from voirdire.answers.densify import densify as run
    from voirdire.engine import ENGINES
    from voirdire.formats.visdial import read_visdial

    options = make_options(method, pairing, clusters)
    where = ENGINES.make(engine)
    with contextlib.ExitStack() as shown:
        made = run(
            read_visdial(visdial),
            cca,
            output,
            options,
            encoder=encoder,
            engine=where,
            work=work,
            projecting=stage(shown, "project", "texts"),
            choosing=stage(shown, "choose", "rounds"),
        )
    warn(made.warnings)
    typer.echo(f"{method}: {made.sets:,} sets, {made.answers / made.sets:.2f} answers each: {output}")
