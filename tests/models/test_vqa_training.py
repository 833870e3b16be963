"""What a network learns from in each step, and the schedules of the recipes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from coloured import coloured, features
from tiny_networks import SIZES

from voirdire.models import recipes
from voirdire.models.architectures import ARCHITECTURES
from voirdire.models.recipes import Recipe
from voirdire.models.vocabulary import QuestionVocabulary
from voirdire.models.vqa_training import VqaLearner, make_schedule

CLASSES = ("no", "yes", "red", "green", "blue")


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def learner(recipe: Recipe = recipes.SMALL, seed: int = 0, name: str = "mutan-att") -> VqaLearner:
    """Of 12 pictures with three questions each; white is no class."""
    examples = coloured(12).examples(CLASSES)
    words = QuestionVocabulary.of(examples.texts, "marks-off", None)
    network = ARCHITECTURES[name].build(SIZES[name], len(words.words), len(CLASSES), 5, seed=1)
    return VqaLearner(network, words, examples, examples, features("grid", 12), recipe, seed)


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        (recipes.LQI, {"epochs": 302, "steps": 150_000, "rate": 3e-4, "optimiser": "rmsprop", "clamp": 10.0}),
        (replace(recipes.HIECOATT, epochs=7), {"epochs": 7, "steps": None, "rate": 4e-4, "clamp": 0.0}),
        (recipes.CADENE, {"epochs": 99, "steps": None, "rate": 1e-4, "optimiser": "adam", "keep": "best"}),
        (recipes.MLB_AUTHORS, {"epochs": 101, "steps": 250_000, "doubled_at": (50_000, 100_000), "keep": "last"}),
    ],
)
def test_schedules_of_the_published_recipes(recipe: Recipe, expected: dict[str, Any]) -> None:
    schedule = make_schedule(recipe, 248_349, seed=3)
    assert {key: getattr(schedule, key) for key in expected} == expected
    assert (schedule.seed, schedule.batch, schedule.clip) == (3, recipe.batch, 0.0)


def test_rates_of_the_published_recipes() -> None:
    lqi = make_schedule(recipes.LQI, 248_349, 0)
    assert lqi.rate_at(100, 50_000) == pytest.approx(3e-4 * 0.3, rel=1e-3)
    hieco = make_schedule(replace(recipes.HIECOATT, epochs=1), 248_349, 0)
    assert hieco.rate_at(0, 360_000) == pytest.approx(4e-5)
    mlb = make_schedule(recipes.MLB_AUTHORS, 248_349, 0)
    assert mlb.rate_at(0, 49_999) / mlb.rate_at(0, 49_998) == pytest.approx(2, rel=1e-4)
    assert mlb.rate_at(0, 100_000) == pytest.approx(3e-4 * 0.09 * 4, rel=1e-3)


def test_a_recipe_without_an_end() -> None:
    with pytest.raises(ValueError, match="`recipe` must have `epochs` or `steps`, got neither"):
        make_schedule(recipes.HIECOATT, 10, 0)


def test_questions_whose_answer_is_no_class_are_left_out_and_are_errors() -> None:
    made = learner()
    assert len(made) == 33
    assert (made.learnt.majority >= 0).all()
    loss, wrong = made.validate()
    assert loss is not None
    assert wrong is not None
    assert wrong >= 3 / 36


def test_an_epoch_has_all_questions_or_as_many_drawn_with_replacement() -> None:
    made = learner()
    rows = made.order(np.random.default_rng(0))
    assert sorted(rows.tolist()) == list(range(33))
    assert np.count_nonzero(np.diff(made.learnt.image[rows])) == 11
    apart = learner(replace(recipes.SMALL, together=False)).order(np.random.default_rng(0))
    assert sorted(apart.tolist()) == list(range(33))
    assert np.count_nonzero(np.diff(made.learnt.image[apart])) > 20
    drawn = learner(recipes.LQI).order(np.random.default_rng(0))
    assert len(drawn) == 33
    assert len(set(drawn.tolist())) < 33


def test_labels_are_those_of_the_epoch() -> None:
    made = learner(replace(recipes.SMALL, label="drawn"))
    people = made.learnt.people.copy()
    people[:, 5:] = (people[:, 5:] + 1) % 5
    made.learnt = replace(made.learnt, people=people)
    rows = np.arange(33)
    seen = []
    for seed in (1, 2, 1):
        made.order(np.random.default_rng(seed))
        seen.append(made.scores(rows, 0)[1].tolist())
    assert seen[0] == seen[2] != seen[1]


def test_what_is_dropped_is_of_the_step_and_the_seed_alone() -> None:
    made, rows = learner(), np.arange(9)
    first = made.scores(rows, 3)[0]
    torch.manual_seed(99)
    before = torch.get_rng_state()
    assert torch.equal(made.scores(rows, 3)[0], first)
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(made.scores(rows, 4)[0], first)
    assert not torch.equal(learner(seed=1).scores(rows, 3)[0], first)
    made.network.eval()
    assert made.validate() == made.validate()


def test_each_picture_is_read_once_per_step() -> None:
    made, read = learner(), []
    source = made.features
    assert source is not None

    class Watched:
        def of(self, ids: np.ndarray) -> np.ndarray:
            read.append(ids.tolist())
            return source.of(ids)

    made.features = Watched()
    made.scores(np.arange(9), 0)
    made.scores(np.array([0, 12, 6]), 0)
    assert read[0] == sorted(set(made.learnt.image[:9].tolist()))
    assert read[1] == made.learnt.image[[0, 12, 6]].tolist()
