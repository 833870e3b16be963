"""Do judges agree beyond chance? Fleiss' κ for a fixed number of judges, Krippendorff's α for any.

    κ = (P̄ − P̄_e) / (1 − P̄_e)     P̄: mean share of agreeing pairs of judges an item; P̄_e: the same by chance
    α = 1 − D_o / D_e               D: disagreement, observed and expected, by the level of measurement

Two values v, w disagree by

    nominal   1 where v ≠ w       ordinal  (r_v − r_w)², r: the mean rank of the judgements with this value
    interval  (v − w)²            ratio    ((v − w) / (v + w))², 0 where both are 0

Agreement is undefined, and None is returned, where there is no item, no item with two judgements, or only one value in
all judgements, so that chance alone agrees fully (Fleiss 1971; Krippendorff 2011).
"""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

__all__ = ["Level", "fleiss_kappa", "krippendorff_alpha"]

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def fleiss_kappa(judgements: npt.ArrayLike) -> float | None:
    """κ of judgements (items, judges), each a category: numbers or strings, none missing."""
    codes, values = _coded(judgements)
    if (codes < 0).any():
        item, judge = np.argwhere(codes < 0)[0]
        raise ValueError(
            f"`judgements` must have none missing, got none for item {item}, judge {judge} (counted from 0); "
            "Krippendorff's α, unlike Fleiss' κ, does without"
        )
    if codes.shape[1] < 2 or len(values) < 2:
        return None
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa

    counts = np.stack([(codes == code).sum(axis=1) for code in range(len(values))], axis=1)
    return float(kappa(counts))


def krippendorff_alpha(judgements: npt.ArrayLike, level: Level = "nominal") -> float | None:
    """α of judgements (items, judges); NaN or None marks a judgement that was not made."""
    if level not in get_args(Level):
        raise ValueError(f"`level` must be one of {', '.join(get_args(Level))}, got {level!r}")
    codes, values = _coded(judgements)
    codes[(codes >= 0).sum(axis=1) < 2] = -1
    if len(np.unique(codes[codes >= 0])) < 2:
        return None
    if level == "nominal":
        numbers = np.arange(len(values), dtype=np.float64)
    elif values.dtype.kind not in "biuf":
        raise ValueError(f"`judgements` at the {level} level must be numbers, got {values[0]!r}")
    elif level == "ordinal":
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        numbers = np.cumsum(counts) - counts / 2
    else:
        numbers = values.astype(np.float64)
    from nltk.metrics.agreement import AnnotationTask
    from nltk.metrics.distance import binary_distance, interval_distance

    distances = {"nominal": binary_distance, "ratio": _ratio_distance}
    made = [(judge, item, float(numbers[codes[item, judge]])) for item, judge in np.argwhere(codes >= 0).tolist()]
    return float(AnnotationTask(made, distance=distances.get(level, interval_distance)).alpha())


def _ratio_distance(one: float, other: float) -> float:
    return ((one - other) / (one + other)) ** 2 if one + other else 0.0


def _coded(judgements: npt.ArrayLike) -> tuple[npt.NDArray[np.intp], npt.NDArray[Any]]:
    """Each judgement as the number of its value among the sorted distinct ones, -1 where missing; and the values."""
    array = np.asarray(judgements)
    if array.ndim != 2:
        raise ValueError(f"`judgements` must be a table (items, judges), got {array.ndim} dimensions")
    if array.dtype.kind == "O":
        missing = np.array([[cell is None or cell != cell for cell in row] for row in array], dtype=bool)
    elif array.dtype.kind == "f":
        missing = np.isnan(array)
        if np.isinf(array).any():
            raise ValueError("`judgements` must be finite numbers or strings, got an infinite one")
    else:
        missing = np.zeros(array.shape, dtype=bool)
    missing = missing.reshape(array.shape)
    values, codes = np.unique(np.array(array[~missing].tolist()), return_inverse=True)
    coded = np.full(array.shape, -1, dtype=np.intp)
    coded[~missing] = codes.reshape(-1)
    return coded, values
