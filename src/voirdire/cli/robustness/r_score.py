"""`voirdire robustness r-score`: the R_score of two accuracies that are known already."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Latex, give
from voirdire.cli.robustness.options import Limit, Tolerance

__all__ = ["r_score"]


def r_score(
    clean: Annotated[float, typer.Option(help="Accuracy on the clean questions, in percent.")],
    noisy: Annotated[float, typer.Option(help="Accuracy on the noisy questions, in percent.")],
    t: Tolerance = 0.05,
    m: Limit = 20.0,
    as_json: AsJson = False,
    latex: Latex = False,
) -> None:
    """The R_score of two accuracies, and the drop between them."""
    from voirdire.robustness.published import score_accuracies

    give(score_accuracies(clean, noisy, t, m), as_json, latex)
