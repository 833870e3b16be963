"""`voirdire robustness score`: what a model still gets right when related questions are added."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, give
from voirdire.cli.robustness.options import Annotations, Common, Limit, Tolerance, partition_files

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
    from voirdire.formats.vqa_annotations import read_vqa_annotations
    from voirdire.formats.vqa_results import read_vqa_results
    from voirdire.robustness.scoring import RobustnessOptions, score_robustness

    options = RobustnessOptions(dataset, t, m, common, seed)  # type: ignore[arg-type]
    run = score_robustness(
        read_vqa_annotations(annotations),
        read_vqa_results(clean),
        [read_vqa_results(path) for path in partition_files(noisy)],
        None if control is None else read_vqa_results(control),
        options,
    )
    give(run, as_json, latex, output, overwrite)
