"""`voirdire answers bounds`: what valid answers themselves score against their sets."""

from typing import Annotated

import typer

from voirdire.cli.answers.options import RoundBase
from voirdire.cli.answers.prepare import prepare_measures
from voirdire.cli.answers.score import Encoders, Families, Idf, chosen
from voirdire.cli.progress import show_progress
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
    from voirdire.answers.bounds import BoundOptions, score_bounds
    from voirdire.answers.set_files import read_sets
    from voirdire.text.encoders import encoder as make_encoder

    check(as_json, latex, output, overwrite)
    families, names = chosen(measures, encoder)
    sets = read_sets(references, round_base)
    prepare_measures(families)
    with show_progress("answers bounds", "texts") as report:
        run = score_bounds(sets, BoundOptions(families, idf, seed), [make_encoder(name) for name in names], report)
    give(run, as_json, latex, output, overwrite)
