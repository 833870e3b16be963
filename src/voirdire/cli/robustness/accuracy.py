"""`voirdire robustness accuracy`: VQA accuracy of one file of answers."""

from typing import Annotated

import typer

from voirdire.cli.progress import show_progress
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
    from voirdire.robustness.accuracy import AccuracyOptions, score_vqa
    from voirdire.robustness.files import read_judged

    check(as_json, latex, output, overwrite)
    with show_progress("read", "files") as report:
        truth, said = read_judged(annotations, [results], report)
    run = score_vqa(truth, said[0], AccuracyOptions(common, seed))
    give(run, as_json, latex, output, overwrite)
