"""R_score where only two accuracies are known, as from a paper's table: no items, so no interval."""

from voirdire._version import __version__
from voirdire.errors import UsageError
from voirdire.metrics.r_score import LIMIT, TOLERANCE, r_score
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Estimate

__all__ = ["score_accuracies"]


def score_accuracies(clean: float, noisy: float, t: float = TOLERANCE, m: float = LIMIT) -> Run:
    """The accuracies in percent, the drop from one to the other, and the R_score."""
    import polars as pl

    try:
        score = float(r_score(clean, noisy, t, m))
    except ValueError as error:
        raise UsageError(str(error)) from None
    figures = {"accuracy": clean, "accuracy:noisy": noisy, "drop": clean - noisy, "r_score": score}
    return Run(
        exam="robustness",
        part="r-score",
        options={"t": t, "m": m},
        items=pl.DataFrame({"clean": [float(clean)], "noisy": [float(noisy)]}),
        measures={name: Estimate(float(value), None, None, None) for name, value in figures.items()},
        signature=Signature(version=__version__, options={"t": t, "m": m}),
    )
