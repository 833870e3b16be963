"""Do judges agree beyond chance? Fleiss' κ for a fixed number of judges, Krippendorff's α for any.

    κ = (P̄ − P̄_e) / (1 − P̄_e)     P̄: mean share of agreeing pairs of judges per item; P̄_e: the same by chance
    α = 1 − D_o / D_e               D: disagreement, observed and expected, by the level of measurement

Two values v, w disagree by

    nominal   1 where v ≠ w       ordinal  (r_v − r_w)², r: the mean rank of the judgements with this value
    interval  (v − w)²            ratio    ((v − w) / (v + w))², 0 where both are 0

Both, at the nominal level, are functions of sums over items, so their intervals come from the same bootstrap as all
others, over clusters of items that belong together:

    κ   Σ_i n_ic for each value c, and Σ_i P_i                    n_ic: how many judges give item i the value c
    α   Σ_i n_ic for each value c, and Σ_i Σ_c n_ic (n_ic − 1) / (m_i − 1), over items with m_i ≥ 2 judgements

Agreement is undefined, and None is returned, where there is no item, no item with two judgements, or only one value in
all judgements, so that chance alone agrees fully (Fleiss 1971; Krippendorff 2011).
"""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.stats.aggregate import FloatArray, of_sums
from voirdire.stats.bootstrap import Interval, Seed, bootstrap

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

    return float(kappa(_counts(codes, len(values))))


def kappa_interval(judgements: npt.ArrayLike, seed: Seed, clusters: npt.ArrayLike | None = None) -> Interval | None:
    """The interval of Fleiss' κ; None where it has none, or judgements are missing."""
    codes, values = _coded(judgements)
    judges = codes.shape[1]
    if judges < 2 or len(values) < 2 or (codes < 0).any():
        return None
    counts = _counts(codes, len(values))
    agreeing = (counts * (counts - 1)).sum(axis=1) / (judges * (judges - 1))

    def kappa(*sums: FloatArray) -> FloatArray:
        given, agreed = np.stack(sums[:-1]), sums[-1]
        total = given.sum(axis=0)
        chance = ((given / total) ** 2).sum(axis=0)
        return np.asarray((agreed * judges / total - chance) / (1 - chance))

    how = of_sums(kappa, len(values) + 1, "Fleiss' κ")
    return bootstrap(np.column_stack([counts, agreeing]), how, seed=seed, clusters=clusters)


def alpha_interval(judgements: npt.ArrayLike, seed: Seed, clusters: npt.ArrayLike | None = None) -> Interval | None:
    """The interval of Krippendorff's α at the nominal level; None where it has none."""
    codes, values = _coded(judgements)
    counts = _counts(codes, len(values))
    several = counts.sum(axis=1) >= 2
    counts = counts[several]
    if not len(counts) or np.count_nonzero(counts.sum(axis=0)) < 2:
        return None
    agreeing = (counts * (counts - 1)).sum(axis=1) / (counts.sum(axis=1) - 1)

    def alpha(*sums: FloatArray) -> FloatArray:
        given, agreed = np.stack(sums[:-1]), sums[-1]
        total = given.sum(axis=0)
        expected = 1 - (given * (given - 1)).sum(axis=0) / (total * (total - 1))
        return np.asarray(1 - (1 - agreed / total) / expected)

    how = of_sums(alpha, len(values) + 1, "Krippendorff's α")
    belong = None if clusters is None else np.asarray(clusters)[several]
    return bootstrap(np.column_stack([counts, agreeing]), how, seed=seed, clusters=belong)


def _counts(codes: npt.NDArray[np.intp], values: int) -> npt.NDArray[np.intp]:
    """How many judges give an item each value: (items, values)."""
    return np.stack([(codes == code).sum(axis=1) for code in range(values)], axis=1)


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

    distances = {"nominal": binary_distance, "ratio": lambda v, w: ((v - w) / (v + w)) ** 2 if v + w else 0.0}
    judged = [(judge, item, float(numbers[codes[item, judge]])) for item, judge in np.argwhere(codes >= 0).tolist()]
    return float(AnnotationTask(judged, distance=distances.get(level, interval_distance)).alpha())


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
