"""`voirdire robustness score`: what a model still gets right when related questions are added."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.progress import stage
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give
from voirdire.cli.robustness.options import Annotations, Common, Limit, Tolerance, partition_files
from voirdire.cli.robustness.reading import read_judged

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
    from voirdire.robustness.scoring import RobustnessOptions, score_robustness

    check(as_json, latex, output, overwrite)
    options = RobustnessOptions(dataset, t, m, common, seed)  # type: ignore[arg-type]
    paths = [clean, *partition_files(noisy), *([] if control is None else [control])]
    with contextlib.ExitStack() as shown:
        truth, said = read_judged(annotations, paths, stage(shown, "read", "files"))
        last = None if control is None else said.pop()
        run = score_robustness(truth, said[0], said[1:], last, options, report=stage(shown, "judge", "steps"))
    give(run, as_json, latex, output, overwrite)
