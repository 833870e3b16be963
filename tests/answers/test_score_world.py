"""Planted flaws show: on every measure the truthful witness beats the forgetful one, and that one the blind one."""

import numpy as np
import pytest

from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.answers.score import score_answers
from voirdire.formats.generations import read_generations
from voirdire.formats.references import read_references
from voirdire.stats import paired_permutation
from voirdire.text.encoders import encoder
from voirdire.world.build import build_world
from voirdire.world.witnesses.outputs import answer_file

pytestmark = pytest.mark.slow

WITNESSES = ("truthful", "forgetful", "blind", "verbose")
OVERLAP = ("cider", "bleu", "meteor", "rouge")


def scored(folder, scenes, families, encoders=()):
    build_world(folder, scenes, 3)
    sets = read_references(folder / "visdial_val_references_true.json")
    runs = {}
    for name in WITNESSES:
        answer_file(name, str(folder / "visdial_val.json"), str(folder / f"{name}.json"))
        generated = read_generations(folder / f"{name}.json")
        runs[name] = score_answers(generated, sets, ScoreAnswersOptions(measures=families), encoders)
    return runs


@pytest.fixture(scope="module")
def by_words(tmp_path_factory):
    return scored(tmp_path_factory.mktemp("world"), 1500, OVERLAP)


@pytest.fixture(scope="module")
def by_vectors(tmp_path_factory):
    return scored(tmp_path_factory.mktemp("small_world"), 150, ("distance",), [encoder("minilm")])


def check_order(runs, name):
    """Truthful over forgetful over blind on one measure, each with p < 0.01 when whole images are swapped."""
    sign = -1 if name.startswith("l2") else 1
    clusters = runs["truthful"].items["image_id"].to_numpy()
    assert len(np.unique(clusters)) < len(clusters)
    for better, worse in (("truthful", "forgetful"), ("forgetful", "blind")):
        first, second = (sign * runs[each].items[name].to_numpy() for each in (better, worse))
        outcome = paired_permutation(first, second, seed=0, clusters=clusters)
        assert outcome.difference > 0, (better, worse)
        assert outcome.p < 0.01, (better, worse, outcome)


@pytest.mark.parametrize(
    "name", [*(f"{family}{n}" for family in ("cider", "bleu") for n in range(1, 5)), "meteor", "rouge_l"]
)
def test_overlap_of_words(name, by_words):
    check_order(by_words, name)


@pytest.mark.parametrize("name", ["l2[minilm]", "cosine[minilm]"])
def test_distance_of_vectors(name, by_vectors):
    check_order(by_vectors, name)


def test_too_many_words_show(by_words):
    """A true answer with a dozen words around it: as the page of evidence says, below the blind one's bare guess."""
    value = {name: run.measures for name, run in by_words.items()}
    for measure in ("cider1", "cider4", "meteor"):
        assert value["verbose"][measure].value < value["blind"][measure].value / 1.5
        assert value["verbose"][measure].value < value["truthful"][measure].value / 4
