"""Planted flaws: of three witnesses the truthful one ranks the true answer best, the blind one worst."""

import pytest
from typer.testing import CliRunner

from voirdire.answers.rank import rank_answers
from voirdire.cli.main import app
from voirdire.formats.option_numbers import read_dense, read_ranks
from voirdire.formats.visdial import read_visdial
from voirdire.metrics.ranks import MRR
from voirdire.stats import paired_permutation

pytestmark = pytest.mark.slow

WITNESSES = ("truthful", "forgetful", "blind")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The witnesses' rankings of one small world, all made by the commands."""
    folder = tmp_path_factory.mktemp("world")
    questions = folder / "visdial_val.json"
    assert CliRunner().invoke(app, ["world", str(folder), "--scenes", "200", "--seed", "5"]).exit_code == 0
    visdial, dense = read_visdial(questions), read_dense(folder / "visdial_val_dense.json", 1)
    actual = {}
    for name in WITNESSES:
        out = folder / f"{name}.json"
        words = ["world", "answer", "--witness", name, "--questions", str(questions), "--ranks", "-o", str(out)]
        assert CliRunner().invoke(app, words).exit_code == 0
        actual[name] = rank_answers(visdial, read_ranks(out), dense=dense)
    return actual


@pytest.mark.parametrize("measure", ["mrr", "recall@1", "recall@5", "recall@10", "ndcg"])
def test_the_order_of_the_witnesses(measure, runs):
    truthful, forgetful, blind = (runs[name].measures[measure].value for name in WITNESSES)
    assert truthful > forgetful > blind


def test_mean_rank_is_better_where_it_is_lower(runs):
    truthful, forgetful, blind = (runs[name].measures["mr"].value for name in WITNESSES)
    assert truthful < forgetful < blind


@pytest.mark.parametrize(("better", "worse"), [("truthful", "forgetful"), ("forgetful", "blind")])
def test_the_difference_is_no_accident(better, worse, runs):
    first, second = (MRR.statistic(runs[name].items["rank"].to_numpy()) for name in (better, worse))
    assert runs[better].items["image_id"].equals(runs[worse].items["image_id"])
    outcome = paired_permutation(first, second, seed=0, clusters=runs[better].items["image_id"].to_numpy())
    assert outcome.difference > 0
    assert outcome.p < 0.01
