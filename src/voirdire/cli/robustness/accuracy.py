"""`voirdire robustness accuracy`: VQA accuracy of one file of answers."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give
from voirdire.cli.robustness.options import Annotations, Common

__all__ = ["accuracy"]


def accuracy(
    annotations: Annotations,
    results: Annotated[str, typer.Option(metavar="FILE", help="A model's answers.")],
    common: Common = False,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Official VQA accuracy and that of eq. (6), by answer type and by question type."""
    from voirdire.formats.vqa_annotations import read_vqa_annotations
    from voirdire.formats.vqa_results import read_vqa_results
    from voirdire.robustness.accuracy import AccuracyOptions, score_vqa

    check(as_json, latex, output, overwrite)
    run = score_vqa(read_vqa_annotations(annotations), read_vqa_results(results), AccuracyOptions(common, seed))
    give(run, as_json, latex, output, overwrite)
