"""Rankings of several models: their order, every two of them tested as a pair is, and groups by shared items."""

import numpy as np
import pytest
from comparison_runs import games, ranked

from voirdire.metrics.key import Key
from voirdire.stats import holm
from voirdire.verdict.comparison import compare_runs
from voirdire.verdict.ranking import rank_models

MRR = Key("mrr")


def runs(shifts, count=60):
    return {f"m{at}": ranked([1 + (n * 7) % 5 + shift for n in range(count)]) for at, shift in enumerate(shifts)}


def test_models_stand_best_first_with_letters() -> None:
    (ranking,) = rank_models(runs((3, 0, 3, 20)), MRR)
    assert ranking.labels == ("m1", "m0", "m2", "m3")
    assert ranking.letters == ("a", "b", "b", "c")
    assert ranking.basis == "60 rounds that all 4 were asked"
    assert ranking.whole
    assert not ranking.few


def test_where_lower_is_better_the_lowest_is_first() -> None:
    (ranking,) = rank_models(runs((3, 0, 9, 20)), Key("mr"))
    assert ranking.labels[0] == "m1"


def test_each_pair_is_tested_as_by_itself() -> None:
    rng = np.random.default_rng(3)
    models = {f"m{at}": ranked(rng.integers(1, 6 + at, 80).tolist()) for at in range(4)}
    (ranking,) = rank_models(models, MRR)
    ps, places = [], []
    for first in range(4):
        for second in range(first + 1, 4):
            labels = ranking.labels[first], ranking.labels[second]
            (pair,) = compare_runs(labels, [models[label] for label in labels], slices=False)
            ps.append(next(row.p for row in pair.measures if row.measure.key == MRR))
            places.append((first, second))
    for place, p in zip(places, holm(ps), strict=True):
        assert ranking.p[place] == pytest.approx(p)


def test_models_that_were_asked_other_things_stand_in_another_ranking() -> None:
    models = runs((0, 3, 5, 7))
    models |= {f"other{at}": ranked([2, 3 + at] * 30, images=[500 + n // 2 for n in range(60)]) for at in range(2)}
    largest, other = rank_models(models, MRR)
    assert len(largest.labels) == 4
    assert set(other.labels) == {"other0", "other1"}
    assert other.basis == "60 rounds that both were asked"


def test_a_few_games_that_some_lack_are_left_out() -> None:
    def played(number, without=()):
        every = [(at, at // 2, 3, "success" if (at * number) % 3 else "failure", [True]) for at in range(40)]
        return games(*(game for game in every if game[0] not in without))

    (ranking,) = rank_models({"a": played(1), "b": played(2, {3}), "c": played(3), "d": played(5)}, Key("task_success"))
    assert ranking.shared == 39
    assert not ranking.whole
    assert ranking.basis == "39 games that all 4 played"


def test_one_image_cannot_tell_models_apart() -> None:
    models = {f"m{at}": ranked([1 + at, 2 + at]) for at in range(4)}
    (ranking,) = rank_models(models, MRR)
    assert ranking.few
    assert set(ranking.letters) == {"a"}
