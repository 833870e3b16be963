"""Planned sizes: by hand, against another tool, and tried out on runs of the planned size."""

import json
from math import ceil

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from statsmodels.stats.power import TTestPower
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.exam import views_of
from voirdire.runs import Run, Signature, write_run
from voirdire.runs.view import estimate_views
from voirdire.verdict.comparison import compare_runs
from voirdire.verdict.planning import FEWEST, plan_interval, plan_power

pytestmark = pytest.mark.slow

ROUNDS = 4
Z = norm.ppf(0.975)


def run_of(ranks, images=None, part="rank", data="53aa") -> Run:
    """A run of `answers rank`: ranks (images, rounds)."""
    ranks = np.asarray(ranks)
    images = np.arange(len(ranks)) if images is None else np.asarray(images)
    items = pl.DataFrame(
        {
            "image_id": np.repeat(images, ranks.shape[1]),
            "round": np.tile(np.arange(1, ranks.shape[1] + 1), len(ranks)),
            "rank": ranks.reshape(-1),
        }
    )
    return Run("answers", {}, items, {}, Signature("0.1.0", data={"visdial": data}, seed=0), part=part)


def drawn(images: int, seed: int, shift: float = 0.0, noise: int | None = None) -> np.ndarray:
    """Ranks that an image's difficulty decides in part; two models with the same seed meet the same images."""
    hard = np.random.default_rng((seed, 0)).normal(size=(images, 1))
    own = np.random.default_rng((seed, 1 if noise is None else noise)).normal(size=(images, ROUNDS))
    return np.clip(np.rint(np.exp(1.2 + 0.6 * hard + 0.6 * own + shift)), 1, 100).astype(np.int64)


def test_an_interval_by_hand():
    """The mean of equal clusters: σ is the spread of the clusters' means."""
    ranks = drawn(50, 0)
    spread = (1 / ranks).mean(axis=1).std(ddof=1)
    made = plan_interval([run_of(ranks)], 0.01, measures=["mrr"])
    (planned,) = made.measures
    assert planned.needed == ceil((Z * spread / 0.01) ** 2)
    assert planned.cases == ROUNDS * planned.needed
    assert (planned.of, planned.clusters, planned.n) == ("image", 50, 200)
    assert planned.figure == pytest.approx((1 / ranks).mean())
    assert planned.half_width == pytest.approx(Z * spread / np.sqrt(50))
    assert planned.tried == pytest.approx(0.01, rel=0.08)
    assert made.warnings == ()


def test_the_power_of_two_runs_against_another_tool():
    """A permutation of clusters needs what the paired t-test needs."""
    first, second = drawn(80, 1), drawn(80, 1, shift=0.1, noise=2)
    spread = (1 / second - 1 / first).mean(axis=1).std(ddof=1)
    (planned,) = plan_power([run_of(first), run_of(second)], 0.02, power=0.9, measures=["mrr"]).measures
    expected = TTestPower().solve_power(0.02 / spread, power=0.9, alpha=0.05)
    assert planned.needed == pytest.approx(expected, abs=1.5)
    assert planned.figure == pytest.approx((1 / second).mean() - (1 / first).mean())
    assert planned.tried == pytest.approx(0.9, abs=0.03)


def test_one_run_takes_the_other_model_for_independent():
    ranks = drawn(100, 3)
    spread = (1 / ranks).mean(axis=1).std(ddof=1)
    made = plan_power([run_of(ranks)], -0.02, measures=["mrr"])
    (planned,) = made.measures
    expected = TTestPower().solve_power(0.02 / (np.sqrt(2) * spread), power=0.8, alpha=0.05)
    assert planned.needed == pytest.approx(expected, abs=1.5)
    assert planned.tried == pytest.approx(0.8, abs=0.04)
    assert "as variable and independent" in made.warnings[0]
    # Models that stumble over the same images need fewer of them.
    alike = run_of(drawn(100, 3, noise=9))
    assert plan_power([run_of(ranks), alike], 0.02, measures=["mrr"]).measures[0].needed < planned.needed


@pytest.mark.parametrize("name", ["mr", "mrr", "recall@5"])
def test_runs_of_the_planned_size_have_the_wished_interval(name):
    pilot = run_of(drawn(3000, 4))
    wished = {"mr": 0.3, "mrr": 0.02, "recall@5": 0.03}[name]
    (planned,) = plan_interval([pilot], wished, measures=[name]).measures
    widths = []
    for seed in range(20):
        found = estimate_views(views_of(run_of(drawn(planned.needed, 100 + seed))), seed=seed)[name]
        widths.append((found.high - found.low) / 2)
    assert np.mean(widths) == pytest.approx(wished, rel=0.1)


def test_comparisons_of_the_planned_size_have_the_wished_power():
    """A difference that is there, planned for at 80 %: 150 new comparisons find it about so often."""
    many = [run_of(drawn(20_000, 5)), run_of(drawn(20_000, 5, shift=0.12, noise=2))]
    difference = float((1 / many[1].items["rank"]).mean() - (1 / many[0].items["rank"]).mean())
    pilot = [run_of(drawn(300, 6)), run_of(drawn(300, 6, shift=0.12, noise=2))]
    (planned,) = plan_power(pilot, difference, measures=["mrr"]).measures
    found = 0
    for seed in range(150):
        runs = [
            run_of(drawn(planned.needed, 200 + seed)),
            run_of(drawn(planned.needed, 200 + seed, shift=0.12, noise=2)),
        ]
        (made,) = compare_runs(("one", "two"), runs, seed=seed, slices=False, resamples=500)
        found += next(measure.p for measure in made.measures if measure.measure.name == "mrr") <= 0.05
    assert found / 150 == pytest.approx(0.8, abs=0.09)


def test_unequal_clusters_and_ratios_have_the_spread_of_their_bootstrap():
    """Where rounds are missing, the figure is a ratio of sums, and the half-width is still that of the interval."""
    run = run_of(drawn(200, 7))
    kept = np.random.default_rng(0).random(run.items.height) < np.repeat(np.linspace(0.1, 1, 200), ROUNDS)
    uneven = Run("answers", {}, run.items.filter(kept), {}, run.signature, part="rank")
    made = plan_interval([uneven], 0.01, measures=["mr", "mrr", "recall@1"])
    intervals = estimate_views(views_of(uneven), seed=0)
    for planned in made.measures:
        found = intervals[planned.measure]
        assert planned.half_width == pytest.approx((found.high - found.low) / 2, rel=0.06)
        assert planned.tried == pytest.approx(0.01, rel=0.1)


def test_headlines_are_planned_for_unless_others_are_asked_for():
    run = run_of(drawn(40, 8))
    assert [planned.measure for planned in plan_interval([run], 0.01).measures] == ["mrr"]
    chosen = plan_interval([run], 0.01, measures=["recall@10", "mr", "mr"]).measures
    assert [planned.measure for planned in chosen] == ["recall@10", "mr"]


def test_a_size_is_never_smaller_than_an_interval_can_bear():
    (planned,) = plan_interval([run_of(drawn(50, 0))], 0.5).measures
    assert planned.needed == FEWEST
    assert planned.tried < 0.5


@pytest.mark.parametrize("smallest", [1e-320, 5e-324, 1e-200, 1e-9])
def test_a_size_beyond_all_bounds_is_said_and_not_counted(smallest):
    run = run_of(drawn(50, 0))
    for made in (
        plan_interval([run], smallest),
        plan_power([run], smallest),
        plan_power([run, run_of(drawn(50, 3))], smallest),
    ):
        assert (made.measures[0].needed, made.measures[0].tried) == (None, None)
        assert "mrr: more than 1,000,000,000,000 images would be needed; ask for less." in made.warnings


def test_the_same_in_every_image_cannot_be_planned_for():
    made = plan_interval([run_of(np.full((40, ROUNDS), 3))], 0.01)
    (planned,) = made.measures
    assert (planned.needed, planned.cases, planned.tried) == (None, None, None)
    assert made.warnings == ("mrr: the same in every image, so no size can be planned.",)


def test_a_run_with_itself_has_no_difference_to_plan_for():
    run = run_of(drawn(40, 8))
    made = plan_power([run, run], 0.01)
    assert made.measures[0].needed is None
    assert "no size can be planned" in made.warnings[0]


def test_one_image_cannot_be_planned_from():
    made = plan_interval([run_of(drawn(1, 0))], 0.01)
    assert made.measures[0].needed is None
    assert made.warnings == ("mrr: no figure, or a single image, so no size can be planned.",)


def test_few_images_give_a_rough_plan():
    (said,) = plan_interval([run_of(drawn(12, 0))], 0.01).warnings
    assert said == "mrr: planned from 12 images, so only roughly."


def test_a_figure_that_does_not_spread_like_the_normal_is_said():
    """One image in a hundred holds all that varies, so a sample of the planned size often holds too little of it."""
    ranks = np.ones((100, ROUNDS), np.int64)
    first = run_of(ranks.copy())
    ranks[0] = 100
    for runs in ([first, run_of(ranks)], [run_of(ranks), first]):
        made = plan_power(runs, 0.02, measures=["mrr"])
        assert made.measures[0].tried < 0.75
        assert "less than was asked for" in made.warnings[0]


def test_two_runs_are_paired_by_unit():
    """Images that only one run has are left out of the plan."""
    first, second = drawn(60, 1), drawn(60, 1, noise=2)
    whole = plan_interval([run_of(first), run_of(second)], 0.01).measures[0]
    more = np.concatenate([second, np.full((5, ROUNDS), 50)])
    apart = run_of(more, [*range(60), *range(900, 905)])
    assert plan_interval([run_of(first), apart], 0.01).measures[0] == whole


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda run: plan_interval([run], 0.0), "`half_width` must be above 0, got 0.0"),
        (lambda run: plan_interval([run], float("nan")), "`half_width` must be above 0, got nan"),
        (lambda run: plan_power([run], 0.0), "`difference` must not be 0"),
        (lambda run: plan_power([run], 0.1, power=1.0), "`power` must be above 0.05 and below 1, got 1.0"),
        (lambda run: plan_power([run], 0.1, power=0.05), "`power` must be above 0.05"),
        (
            lambda run: plan_interval([run], 0.1, measures=["cider4"]),
            "no measure 'cider4'; there are: mr, mrr, recall@1",
        ),
        (lambda run: plan_interval([run_of(drawn(9, 0), part="overlap")], 0.1), "`answers overlap` has no figures"),
        (lambda run: plan_interval([run, run_of(drawn(9, 0), part="score")], 0.1), "only runs of the same part"),
        (lambda run: plan_interval([run, run_of(drawn(9, 0), data="beef")], 0.1), "data.visdial: 53aa against beef"),
        (lambda run: plan_interval([run, run_of(drawn(9, 0), range(90, 99))], 0.1), "no unit in common"),
    ],
)
def test_what_cannot_be_planned_is_said(call, said):
    with pytest.raises(UsageError, match=said.replace("(", r"\(")):
        call(run_of(drawn(9, 0)))


def test_the_command(tmp_path):
    folders = [str(write_run(run_of(drawn(60, 1, noise=noise)), tmp_path / str(noise))) for noise in (2, 3)]
    shown = CliRunner().invoke(app, ["plan", folders[0], "--half-width", "0.01"])
    assert shown.exit_code == 0
    (planned,) = plan_interval([run_of(drawn(60, 1, noise=2))], 0.01).measures
    head, _, row, _, foot = shown.stdout.splitlines()
    assert head.split() == ["measure", "value", "±", "now", "images", "now", "images", "needed", "items", "±", "there"]
    assert row.split()[-3:-1] == [f"{planned.needed:,}", f"{planned.cases:,}"]
    assert foot == "answers rank: figures with 95 % intervals of ± 0.01"
    found = CliRunner().invoke(app, ["plan", *folders, "--difference", "0.02", "--power", "0.9", "--json"])
    made = json.loads(found.stdout)
    assert (made["runs"], made["difference"], made["power"], made["half_width"]) == (2, 0.02, 0.9, None)
    pair = [run_of(drawn(60, 1, noise=noise)) for noise in (2, 3)]
    assert made["measures"][0]["needed"] == plan_power(pair, 0.02, power=0.9).measures[0].needed


@pytest.mark.parametrize(
    "words",
    [[], ["--half-width", "1", "--difference", "1"], ["--half-width", "1", "--power", "0.8"], ["--power", "0.8"]],
)
def test_a_call_that_does_not_say_what_is_wished(words, tmp_path):
    assert isinstance(CliRunner().invoke(app, ["plan", str(tmp_path), *words]).exception, UsageError)
