"""Several models in one order by one measure, every two of them tested on what all were asked.

    p     permutation, as when two runs are compared: each cluster is swapped by a fair coin; two-sided
    p̃     p after Holm's correction over all pairs of the ranking
    letters   two models share a letter where they do not differ, p̃ above 5 % (`stats.letters`)

All pairs share their coins: a swapped sum of two models is made of the sums over the clusters that show heads, taken
once per model. Models stand in one ranking where their runs can be compared and what all were asked is at least
half of what each was asked; others stand in rankings of their own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.exam.short_answers import leading_views
from voirdire.figures import ALPHA, counted
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.runs import Run
from voirdire.runs.estimate import ItemColumns
from voirdire.runs.view import View
from voirdire.stats import holm
from voirdire.stats.aggregate import FloatArray, cluster_sums, columns
from voirdire.stats.bootstrap import RESAMPLES, swapped_sums
from voirdire.stats.letters import compact_letters
from voirdire.stats.paired import permutation_p
from voirdire.verdict.pairing import UNIT, check_comparable, pair_units

SHARED = 0.5
"""The least share of a model's units that a ranking keeps."""


@dataclass(frozen=True, eq=False)
class ModelRanking:
    """Models by one measure, best first.

    labels   of the models
    figures  over the units that all of them have
    p        (models, models) of a difference as large if two were alike, after Holm's correction over all pairs
    letters  of each model: two that share one do not differ
    shared   how many units all have; whole: whether none has more
    noun     what a unit is; did: what all did with it
    few      whether there are too few clusters for any two to differ
    """

    measure: Measure
    labels: tuple[str, ...]
    figures: tuple[float, ...]
    p: FloatArray
    letters: tuple[str, ...]
    shared: int
    whole: bool
    noun: str
    did: str
    few: bool

    @property
    def basis(self) -> str:
        """On what the models are compared: `4,319 questions that all 17 were asked`."""
        who = "both" if len(self.labels) == 2 else f"all {len(self.labels)}"
        return f"{counted(self.shared, self.noun)} that {who} {self.did}"

    def differs(self, first: int, second: int) -> bool:
        """Whether the models at two places differ beyond chance."""
        return bool(self.p[first, second] <= ALPHA) and self.figures[first] != self.figures[second]


def rank_models(
    models: Mapping[str, Run], key: Key, *, short: bool = False, seed: int = 0, resamples: int = RESAMPLES
) -> list[ModelRanking]:
    """The rankings of models by a measure, the largest first; a model that shares its units with no other is alone.

    short  whether figures by short answers lead
    """
    members = [_Member(label, run, view) for label, run in models.items() if (view := _view(run, key, short))]
    return [ranking for group in _groups(members) if (ranking := _rank(group, key, seed, resamples)) is not None]


@dataclass(frozen=True, eq=False)
class _Member:
    label: str
    run: Run
    view: View


def _view(run: Run, key: Key, short: bool) -> View | None:
    """The view of a run that has the measure."""
    return next(
        (view for view in leading_views(run, short) if any(measure.key == key for measure in view.measures)), None
    )


@dataclass(eq=False)
class _Group:
    """Models that stand in one ranking, and the units that all of them have: the columns that name them."""

    members: list[_Member]
    units: "pl.DataFrame"
    most: int

    def takes(self, member: _Member) -> "pl.DataFrame | None":
        """The units that would be left with a further model; None where it does not belong here."""
        first = self.members[0]
        try:
            check_comparable((first.label, member.label), first.run, member.run)
            pairing = pair_units((first.label, member.label), first.run.items, member.run.items, first.view)
            pairing.sides(first.view, member.view)
        except UsageError:
            return None
        own = _units(member)
        left = self.units.join(own, on=self.units.columns, how="semi")
        return left if left.height and left.height >= SHARED * max(self.most, own.height) else None


def _units(member: _Member) -> "pl.DataFrame":
    return member.run.items.select(member.view.unit).unique().sort(member.view.unit)


def _groups(members: Sequence[_Member]) -> list[_Group]:
    groups: list[_Group] = []
    for member in members:
        for group in groups:
            if (left := group.takes(member)) is not None:
                group.members.append(member)
                group.units, group.most = left, max(group.most, _units(member).height)
                break
        else:
            units = _units(member)
            groups.append(_Group([member], units, units.height))
    return sorted(groups, key=lambda group: -len(group.members))


def _rank(group: _Group, key: Key, seed: int, resamples: int) -> ModelRanking | None:
    """The ranking of a group; None where no figure is defined."""
    view = group.members[0].view
    measure = next(measure for measure in view.measures if measure.key == key)
    sums = _sums(group, key)
    figures = [float(measure.aggregate.of(of_model.sum(axis=1))) for of_model in sums]
    known = [place for place in range(len(figures)) if np.isfinite(figures[place])]
    if not known:
        return None
    order = sorted(known, key=lambda place: figures[place], reverse=measure.better == "higher")
    p = _corrected(_tested([sums[place] for place in order], measure, seed, resamples))
    ordered = tuple(figures[place] for place in order)
    differ = (p <= ALPHA) & (np.array(ordered)[:, None] != np.array(ordered))
    tests = len(order) * (len(order) - 1) // 2
    return ModelRanking(
        measure=measure,
        labels=tuple(group.members[place].label for place in order),
        figures=ordered,
        p=p,
        letters=tuple(compact_letters(differ)),
        shared=group.units.height,
        whole=group.units.height == group.most,
        noun=view.noun,
        did=view.did,
        few=len(order) > 1 and 2.0 ** (1 - sums[0].shape[1]) * tests > ALPHA,
    )


def _sums(group: _Group, key: Key) -> list[FloatArray]:
    """Each model's columns of the measure, added up by cluster: (K, clusters); clusters are the same in all."""
    first = group.members[0]
    wanted = list(dict.fromkeys([*first.view.unit, first.view.clusters]))
    unit = list(first.view.unit)
    named = first.run.items.select(wanted).unique(unit).join(group.units, on=unit, how="semi")
    keys = named.sort(unit).with_row_index(UNIT)
    ids, clusters = np.unique(keys[first.view.clusters].to_numpy(), return_inverse=True)
    rows: list[FloatArray] = []
    places: list[npt.NDArray[np.intp]] = []
    for member in group.members:
        table = member.view.items.join(keys.select(UNIT, *unit), on=unit, how="inner", maintain_order="left")
        measure = next(measure for measure in member.view.measures if measure.key == key)
        statistics, kept = measure.statistics(ItemColumns(table))
        rows.append(statistics)
        places.append(clusters[table[UNIT].to_numpy()[kept]])
    # Together, since an aggregate may centre its columns on the mean of all that it is given.
    together = columns(np.concatenate(rows), measure.aggregate)
    ends = np.cumsum([len(each) for each in rows])[:-1]
    parts = np.split(together, ends)
    return [cluster_sums(part, at, len(ids)) for part, at in zip(parts, places, strict=True)]


def _tested(sums: Sequence[FloatArray], measure: Measure, seed: int, resamples: int) -> FloatArray:
    """(models, models) of uncorrected p-values; 1 where two are the same, or one cluster is all there is."""
    count = len(sums)
    p = np.ones((count, count))
    if count < 2 or sums[0].shape[1] < 2:
        return p
    # What swapping gives from nothing: the sums over the clusters whose coins show heads, with the same coins for all.
    stacked = np.concatenate(sums)
    heads = swapped_sums(np.zeros_like(stacked), stacked, seed, resamples).reshape(-1, count, len(sums[0]))
    totals = [of_model.sum(axis=1) for of_model in sums]
    for one, other in combinations(range(count), 2):
        if np.array_equal(sums[one], sums[other]):
            continue
        swapped = totals[one] - heads[:, one] + heads[:, other]
        found = permutation_p(measure.aggregate, totals[one], totals[other], swapped)
        p[one, other] = p[other, one] = found
    return p


def _corrected(p: FloatArray) -> FloatArray:
    """The p-values after Holm's correction over all pairs; 1 on the diagonal."""
    above = np.triu_indices(len(p), 1)
    corrected = np.ones_like(p)
    if len(above[0]):
        values = np.array([1.0 if each is None else each for each in holm(p[above].tolist())])
        corrected[above] = values
        corrected.T[above] = values
    return corrected
