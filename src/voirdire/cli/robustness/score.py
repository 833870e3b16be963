"""`voirdire robustness score`: what a model still gets right when related questions are added."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.progress import stage
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give
from voirdire.cli.robustness.options import Annotations, Common, Limit, Tolerance

__all__ = ["score"]


def score(
    annotations: Annotations,
    clean: Annotated[str, typer.Option(metavar="FILE", help="The model's answers to the questions as they are.")],
    noisy: Annotated[
        list[str],
        typer.Option(
            metavar="FILE",
            help="Its answers to a noisy partition, partition 1 first; seven times, or once with {} for the number.",
        ),
    ],
    control: Annotated[
        str | None, typer.Option(metavar="FILE", help="Its answers where random questions of the pool were added.")
    ] = None,
    dataset: Annotated[
        str, typer.Option(metavar="general|yesno", help="Which basic questions were added: any, or yes/no ones.")
    ] = "general",
    t: Tolerance = 0.05,
    m: Limit = 20.0,
    common: Common = False,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Accuracy by partition, its drop, R_score and the trend from the first partition to the last."""
    from voirdire.robustness.files import score_files
    from voirdire.robustness.scoring import RobustnessOptions

    check(as_json, latex, output, overwrite)
    options = RobustnessOptions(dataset, t, m, common, seed)  # type: ignore[arg-type]
    with contextlib.ExitStack() as shown:
        reading, judging = stage(shown, "read", "files"), stage(shown, "judge", "steps")
        run = score_files(annotations, clean, noisy, control, options, reading=reading, report=judging)
    give(run, as_json, latex, output, overwrite)
