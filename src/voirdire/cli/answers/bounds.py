"""`voirdire answers bounds`: what valid answers themselves score against their sets."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.answers.options import RoundBase
from voirdire.cli.answers.score import Encoders, Families, Idf, chosen
from voirdire.cli.progress import INDEX, stage
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["bounds"]


def bounds(
    references: Annotated[str, typer.Option(metavar="FILE", help="Sets of valid answers.")],
    encoder: Encoders = None,
    measures: Families = None,
    idf: Idf = "references",
    round_base: RoundBase = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """The rows A_gt and Γ: the ground truth, and every member of a set, as the generation."""
    from voirdire.answers.bounds import BoundOptions
    from voirdire.answers.files import bounds_files

    check(as_json, latex, output, overwrite)
    families, names = chosen(measures, encoder)
    options = BoundOptions(families, idf, seed)
    with contextlib.ExitStack() as shown:
        run = bounds_files(
            references,
            options,
            names,
            round_base,
            indexing=stage(shown, INDEX, "steps"),
            report=stage(shown, "answers bounds", "texts"),
        )
    give(run, as_json, latex, output, overwrite)
