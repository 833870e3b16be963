import numpy as np
import polars as pl
import pytest

from voirdire.metrics.measure import Key, Measure, identity, mean, of_means, ratio, std
from voirdire.runs import Estimate, estimate
from voirdire.stats import bootstrap

SCORE = Measure(Key("score"), identity, mean, "higher", of=("score",))
SPREAD = SCORE.variant("std", aggregate=std())


@pytest.fixture
def items() -> pl.DataFrame:
    """Sixty dialogues of five rounds, with a score, a noisy score and a kind a round."""
    rng = np.random.default_rng(0)
    dialogue = np.repeat(np.arange(60), 5)
    clean = rng.random(60)[dialogue] * 0.5 + rng.random(300) * 0.5
    return pl.DataFrame(
        {
            "dialogue": dialogue,
            "score": clean,
            "noisy": clean - 0.1 + 0.02 * rng.normal(size=300),
            "kind": np.where(np.arange(300) % 3 == 0, "yes/no", "other"),
        }
    )


def test_figures_and_intervals_are_those_of_the_bootstrap(items):
    found = estimate(items, [SCORE, SPREAD], seed=3, clusters="dialogue")
    scores = items["score"].to_numpy()
    for name, aggregate, value in (("score", mean, scores.mean()), ("score:std", std(), scores.std())):
        interval = bootstrap(scores, aggregate, seed=3, clusters=items["dialogue"].to_numpy())
        assert found[name].value == pytest.approx(value)
        assert (found[name].low, found[name].high) == pytest.approx((interval.low, interval.high))
        assert found[name].n == 300


def test_a_measure_does_not_depend_on_the_others(items):
    slices = [SCORE.slice("kind", kind) for kind in ("yes/no", "other")]
    together = estimate(items, [SCORE, SPREAD, *slices], seed=3, clusters="dialogue", method="bca")
    for measure in (SCORE, SPREAD, *slices):
        assert estimate(items, [measure], seed=3, clusters="dialogue", method="bca") == {
            measure.key: together[measure.key]
        }
    assert list(map(str, together)) == ["score", "score:std", "score[yes/no]", "score[other]"]


def test_a_function_of_two_means_is_paired(items):
    def r_score(clean, noisy):
        return np.clip((np.sqrt(0.2) - np.sqrt(np.abs(clean - noisy))) / np.sqrt(0.2), 0, 1)

    measure = Measure(
        Key("r_score"), lambda score, noisy: np.column_stack([score, noisy]), of_means(r_score, 2), "higher"
    )
    found = estimate(items, [measure], seed=0, clusters="dialogue")["r_score"]
    drop = items["score"].mean() - items["noisy"].mean()
    assert found.value == pytest.approx((0.2**0.5 - drop**0.5) / 0.2**0.5)
    # The dialogues' levels drop out of a paired difference, so the interval is narrow though the levels vary.
    assert found.low < found.value < found.high
    assert found.high - found.low < 0.03


def test_a_slice_has_its_own_number_and_interval(items):
    found = estimate(items, [SCORE.slice("kind", "yes/no")], seed=0, clusters="dialogue")["score[yes/no]"]
    inside = items.filter(pl.col("kind") == "yes/no")["score"]
    assert (found.value, found.n) == (pytest.approx(inside.mean()), 100)
    alone = bootstrap(inside.to_numpy(), seed=1)
    assert found.low < found.value < found.high
    assert found.high - found.low > 0.8 * (alone.high - alone.low)


def test_null_is_no_case_and_nan_is_refused(items):
    gaps = items.with_columns(score=pl.when(pl.col("dialogue") < 30).then(pl.col("score")))
    found = estimate(gaps, [SCORE], seed=0, clusters="dialogue")["score"]
    assert (found.value, found.n) == (pytest.approx(items["score"][:150].mean()), 150)
    nothing = items.with_columns(score=pl.lit(None, dtype=pl.Float64))
    assert estimate(nothing, [SCORE], seed=0)["score"] == Estimate(None, None, None, 0)
    broken = items.with_columns(score=pl.when(pl.col("dialogue") == 7).then(float("nan")).otherwise(pl.col("score")))
    with pytest.raises(
        ValueError,
        match=r"measure score: `statistics` must be finite numbers, got .* for item 35 .* one of 5 that are not finite",
    ):
        estimate(broken, [SCORE], seed=0)


def test_degenerate_input_has_a_stated_result():
    def one(items, clusters=None, measure=SCORE):
        return estimate(items, [measure], seed=0, clusters=clusters)[measure.name]

    assert one({"score": []}) == Estimate(None, None, None, 0)
    assert one(pl.DataFrame({"score": []}, schema={"score": pl.Float64})) == Estimate(None, None, None, 0)
    assert one({"score": [0.25]}) == Estimate(0.25, None, None, 1)
    assert one({"score": [0.25, 0.75]}, ["a", "a"]) == Estimate(0.5, None, None, 2)
    assert one({"score": [0.5, 0.5, 0.5]}) == Estimate(0.5, 0.5, 0.5, 3)
    assert one({"score": [0.5], "kind": ["a"]}, None, SCORE.slice("kind", "b")) == Estimate(None, None, None, 0)
    # All of the slice is in one cluster of many: its spread cannot be known.
    many = {"score": np.arange(40.0), "kind": np.arange(40) < 2, "dialogue": np.arange(40) // 2}
    assert one(many, "dialogue", SCORE.slice("kind", True)) == Estimate(0.5, None, None, 2)
    nothing_tried = Measure(Key("share"), lambda score: np.zeros((len(score), 2)), ratio, "higher")
    assert one({"score": [1.0, 2.0]}, None, nothing_tried) == Estimate(None, None, None, 2)
    assert estimate({"score": [1.0, 2.0]}, [], seed=0) == {}


def test_faults_are_named(items):
    with pytest.raises(ValueError, match="`measures` must each be there once, got 'score' twice"):
        estimate(items, [SCORE, SCORE], seed=0)
    with pytest.raises(ValueError, match="clusters: the items have no column 'image'"):
        estimate(items, [SCORE], seed=0, clusters="image")
    with pytest.raises(ValueError, match="columns of different lengths"):
        estimate({"score": [1.0], "kind": ["a", "b"]}, [SCORE], seed=0)
    with pytest.raises(ValueError, match="column 'dialogue' has missing cells"):
        estimate(
            {"score": [1.0, 2.0], "dialogue": np.ma.masked_array([1, 2], [False, True])},
            [SCORE],
            seed=0,
            clusters="dialogue",
        )


def test_texts_that_no_measure_reads_are_not_copied(items, monkeypatch):
    texts = items.with_columns(pl.Series("texts", [["a", "b"]] * 300))
    read = []
    to_numpy = pl.Series.to_numpy
    monkeypatch.setattr(pl.Series, "to_numpy", lambda self, *rest, **more: read.append(self.name) or to_numpy(self))
    assert estimate(texts, [SCORE], seed=0, clusters="dialogue") == estimate(
        items, [SCORE], seed=0, clusters="dialogue"
    )
    assert set(read) == {"score", "dialogue"}
