"""What an exam makes the tables of its paper with: columns as a paper prints them, and claims that a table decides.

A claim is a difference that a paper says is above zero. Three tests are enough for those of our papers:

    paired    two runs on the same units; whole clusters are swapped (`stats.paired`)
    of halves items of one run in two classes; the classes are dealt out anew among the items
    of groups models in two groups; all ways to part the models are gone through, so few models allow no small p
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np
import numpy.typing as npt

from voirdire.exam import views_of
from voirdire.figures import short
from voirdire.metrics.key import Key
from voirdire.runs.estimate import ItemColumns
from voirdire.section.content import Cell, Model, Row, Table, cell_of
from voirdire.stats import bootstrap, of_sums
from voirdire.stats.aggregate import FloatArray, cluster_sums, columns
from voirdire.stats.bootstrap import LEVEL, RESAMPLES, drawn_sums
from voirdire.stats.paired import SLACK

Groups = Mapping[str, Sequence[str]]
"""The labels of the models of each group."""


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """A column, or a cell, of a figure: how many decimals the paper prints, and of which scale.

    spread  the variant that stands behind the figure in brackets: "std"
    """

    head: str
    key: Key
    decimals: int = 2
    scale: float = 1.0
    spread: str = ""

    def cell(self, model: Model) -> Cell:
        """The figure of a run."""
        figure = model.figure(self.key)
        text = self._text(figure.value)
        if self.spread and figure.value is not None:
            text += f" ({self._text(model.figure(self.key.as_variant(self.spread)).value)})"
        return cell_of(model, self.key, text, self.scale)

    def _text(self, value: float | None) -> str:
        return short(None if value is None else value * self.scale, self.decimals)


def by_model(name: str, title: str, models: Sequence[Model], columns: Sequence[PrintedColumn], note: str = "") -> Table:
    """A row per model."""
    rows: tuple[Row, ...] = tuple((model.label, *(column.cell(model) for column in columns)) for model in models)
    return Table(name, title, ("model", *(column.head for column in columns)), rows, note)


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A claim of a paper, tested.

    says        the claim, with the models that it is tested on
    difference  which the claim says is above zero; low, high: its interval; None where it cannot be had
    p           of a difference as large, either way, if there were none; None where there is no test
    test        how it was tested, in few words
    decimals, scale  of the difference as it is shown
    """

    says: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    test: str
    decimals: int = 2
    scale: float = 1.0


def halves(
    says: str,
    values: npt.ArrayLike,
    first: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    seed: int,
    scale: float = 1.0,
    decimals: int = 2,
) -> PaperClaim:
    """Whether the mean of the items that are `first` is above that of the others.

    D = mean of first − mean of others        p: the classes shuffled among the items; interval: clusters drawn
    """
    numbers, chosen = np.asarray(values, float), np.asarray(first, bool)
    test = "classes shuffled"
    if not chosen.any() or chosen.all():
        return PaperClaim(says, None, None, None, None, test, decimals, scale)
    sums_of = np.stack([numbers * chosen, chosen, numbers * ~chosen, ~chosen], axis=1).astype(float)
    difference = of_sums(lambda a, b, c, d: a / b - c / d, 4, "difference of two means")
    value = float(numbers[chosen].mean() - numbers[~chosen].mean())
    ends = bootstrap(sums_of, difference, seed=seed, clusters=clusters)
    rng, count = np.random.default_rng([seed, len(numbers)]), int(chosen.sum())
    total = numbers.sum()
    sums = np.array([rng.permutation(numbers)[:count].sum() for _ in range(RESAMPLES)])
    shuffled = sums / count - (total - sums) / (len(numbers) - count)
    p = (1 + int((np.abs(shuffled) >= abs(value) * (1 - SLACK)).sum())) / (1 + RESAMPLES)
    low, high = (ends.low, ends.high) if ends is not None else (None, None)
    return PaperClaim(says, value, low, high, p, test, decimals, scale)


def of_groups(says: str, first: Sequence[Model], second: Sequence[Model], key: Key, *, seed: int) -> PaperClaim:
    """Whether the mean figure of the first group's models is above the second's.

        D = mean of first − mean of second        p = share of all ways to part the models with |D*| ≥ |D|

    The interval draws clusters, the same for all models; it is of these models, where p is of models like them.
    """
    models = [*first, *second]
    figures = np.array([model.figure(key).value for model in models], float)
    ways = [list(chosen) for chosen in combinations(range(len(models)), len(first))]
    test = f"all {len(ways)} ways to part the models"
    if not first or not second or not np.isfinite(figures).all():
        return PaperClaim(says, None, None, None, None, test)
    parted = np.array([figures[chosen].mean() - np.delete(figures, chosen).mean() for chosen in ways])
    p = float(np.mean(np.abs(parted) >= abs(parted[0]) * (1 - SLACK)))
    drawn = _drawn(models, key, seed)
    of_first, of_second = drawn[: len(first)].mean(axis=0), drawn[len(first) :].mean(axis=0)
    low, high = np.quantile(of_first - of_second, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return PaperClaim(says, float(parted[0]), float(low), float(high), p, test)


def _drawn(models: Sequence[Model], key: Key, seed: int) -> FloatArray:
    """(models, resamples): the figure of each model on the same draws of clusters, of those that all models have."""
    sums, aggregates, clusters = [], [], []
    for model in models:
        view, measure = next((v, m) for v in views_of(model.run) for m in v.measures if m.key == key)
        table = ItemColumns(view.items)
        statistics, kept = measure.statistics(table)
        ids = np.asarray(table[view.clusters])[kept]
        names, numbers = np.unique(ids, return_inverse=True)
        sums.append(cluster_sums(columns(statistics, measure.aggregate), numbers, len(names)))
        aggregates.append(measure.aggregate)
        clusters.append(names)
    shared = reduce(np.intersect1d, clusters)
    stacked = np.concatenate([own[:, np.isin(names, shared)] for own, names in zip(sums, clusters, strict=True)])
    drawn, width = drawn_sums(stacked, seed), len(sums[0])
    return np.array([each.of(drawn[:, at * width : (at + 1) * width]) for at, each in enumerate(aggregates)])
