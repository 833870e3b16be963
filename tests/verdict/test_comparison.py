"""Comparisons of runs: by hand, against the paired functions and scipy, alike, unpaired, and with cases that differ."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from comparison_runs import SIGNATURE, by_name, games, made, ranked
from scipy.stats import permutation_test

from voirdire import compare_runs
from voirdire.answers.exam import ScoreAnswersOptions
from voirdire.errors import UsageError
from voirdire.runs import Signature
from voirdire.stats import holm, paired_bootstrap, paired_permutation

RNG = np.random.default_rng(5)
OURS, THEIRS = RNG.integers(1, 101, 60), RNG.integers(1, 101, 60)


def compare(first, second, **options):
    (found,) = compare_runs(["first", "second"], [first, second], **options)
    return found


def test_figures_by_hand():
    """Reciprocal ranks 1, 1/2, 1/4, 1 against 1, 1, 1/2, 1/2; ranks 1 2 4 1 against 1 1 2 2."""
    found = compare(ranked([1, 2, 4, 1]), ranked([1, 1, 2, 2]))
    assert (found.title, found.labels, found.noun) == ("answers rank", ("first", "second"), "round")
    assert (found.paired, found.only_first, found.only_second) == (4, 0, 0)
    assert found.warnings == ("2 images in both: no p can be below 0.5000.",)
    named = by_name(found.measures)
    assert list(named) == ["mr", "mrr", "recall@1", "recall@5", "recall@10"]
    mrr, mr, recall = named["mrr"], named["mr"], named["recall@1"]
    assert (mrr.first, mrr.second, mrr.difference) == (2.75 / 4, 0.75, 0.25 / 4)
    assert (mr.first, mr.second, mr.difference, mr.measure.better) == (2.0, 1.5, -0.5, "lower")
    assert (mrr.wins, mrr.ties, mrr.losses, mrr.n) == (2, 1, 1, 4)
    # Lower is better, so a fall is a win.
    assert (mr.wins, mr.ties, mr.losses) == (2, 1, 1)
    assert (recall.first, recall.second, recall.wins, recall.ties, recall.losses) == (0.5, 0.5, 1, 2, 1)
    # Image 0 gains 1/2 and image 1 loses 1/4: however they are swapped, the sum is as far from 0 as 1/4 or farther.
    assert mrr.p == 1
    # Both images fall by one rank: of the four ways to swap them, two give a sum as far from 0 as 2.
    assert mr.p == pytest.approx(0.5, abs=0.02)
    # Drawing both images at random: twice image 0 (+1/4 a round), one of each (+1/16), twice image 1 (−1/8).
    assert (mrr.low, mrr.high) == (-0.125, 0.25)


def test_what_changed_most_by_hand():
    found = compare(ranked([1, 2, 4, 1]), ranked([1, 1, 2, 2]))
    assert [
        (changed.unit, changed.measure.name, changed.first, changed.second, changed.difference)
        for changed in found.changed
    ] == [
        ("image 0, round 1", "mrr", 0.5, 1.0, 0.5),
        ("image 1, round 1", "mrr", 1.0, 0.5, -0.5),
        ("image 1, round 0", "mrr", 0.25, 0.5, 0.25),
    ]


def test_means_are_those_of_the_paired_functions():
    """The same draws of the same clusters, so the same p and the same interval; our difference has the other sign."""
    found = by_name(compare(ranked(OURS), ranked(THEIRS), seed=3).measures)
    images = np.arange(60) // 2
    for name, statistic in (("mr", lambda rank: rank), ("mrr", lambda rank: 1 / rank)):
        ours, theirs = statistic(OURS), statistic(THEIRS)
        swapped = paired_permutation(theirs, ours, seed=3, clusters=images)
        drawn = paired_bootstrap(theirs, ours, seed=3, clusters=images)
        compared = found[name]
        assert compared.difference == pytest.approx(theirs.mean() - ours.mean())
        assert compared.p == swapped.p
        assert (compared.low, compared.high) == pytest.approx((drawn.interval.low, drawn.interval.high), rel=1e-12)


def test_p_is_that_of_all_swaps_by_scipy():
    """Eight images have 256 ways to be swapped, and scipy goes through all of them."""
    ours, theirs = OURS[:16], THEIRS[:16]
    sums = (theirs - ours).reshape(8, 2).sum(axis=1)
    exact = permutation_test((sums,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert by_name(compare(ranked(ours), ranked(theirs)).measures)["mr"].p == pytest.approx(exact.pvalue, abs=0.015)


def test_figures_are_those_of_the_runs_where_all_units_pair():
    first, second = ranked(OURS), ranked(THEIRS)
    for compared in compare(first, second).measures:
        assert (compared.first, compared.second) == (
            first.measures[compared.measure.key].value,
            second.measures[compared.measure.key].value,
        )


def test_a_run_against_itself():
    found = compare(ranked(OURS), ranked(OURS))
    for compared in (*found.measures, *found.slices):
        assert (compared.difference, compared.low, compared.high, compared.p, compared.p_holm) == (0, 0, 0, 1, 1)
        assert (compared.wins, compared.losses) == (0, 0)
        assert compared.ties == compared.n
    assert found.changed == ()


def test_the_order_of_items_makes_no_difference():
    second = ranked(THEIRS)
    shuffled = replace(second, items=second.items.sample(fraction=1, shuffle=True, seed=1))
    ours, theirs = (compare(ranked(OURS), run) for run in (second, shuffled))
    assert ours.changed == theirs.changed
    for compared, other in zip(ours.measures, theirs.measures, strict=True):
        assert compared.p == other.p
        assert (compared.difference, compared.low) == pytest.approx((other.difference, other.low))


def test_units_of_one_run_alone_are_left_out_and_said():
    """Rounds 0 to 5 against rounds 2 to 9: what is compared is as if both had rounds 2 to 5."""
    first = ranked(OURS[:6])
    second = ranked(THEIRS[:8], images=np.arange(2, 10) // 2, rounds=np.arange(2, 10) % 2)
    found = compare(first, second)
    assert (found.paired, found.only_first, found.only_second) == (4, 2, 4)
    assert found.warnings == (
        "2 rounds only in first, so left out of the comparison.",
        "4 rounds only in second, so left out of the comparison.",
        "2 images in both: no p can be below 0.5000.",
    )
    places = np.arange(2, 6)
    within = compare(
        ranked(OURS[2:6], images=places // 2, rounds=places % 2),
        ranked(THEIRS[:4], images=places // 2, rounds=places % 2),
    )
    assert found.measures == within.measures
    assert found.slices == within.slices


def test_units_without_a_case_are_paired_and_not_counted():
    """The second run's ranking of a round has no truth in neither run: NDCG and rank have cases of their own."""
    first = ranked([1, 2, None, 4], ndcg=[None, 0.5, 0.25, None])
    second = ranked([2, 2, None, 4], ndcg=[None, 0.25, 0.75, None])
    found = by_name(compare(first, second).measures)
    assert (found["mr"].n, found["mr"].first, found["mr"].second) == (3, 7 / 3, 8 / 3)
    assert (found["ndcg"].n, found["ndcg"].difference) == (2, 0.125)
    assert (found["ndcg"].wins, found["ndcg"].losses) == (1, 1)


def test_cases_that_the_models_decide():
    """Effectiveness of games that were won: each run has its own, a swap takes a game's case along."""
    first = games(
        (1, 10, 3, "success", [1, 0]),
        (2, 20, 3, "failure", [1]),
        (3, 30, 4, "success", [1]),
        (4, 40, 4, "failure", [0]),
    )
    second = games(
        (1, 10, 3, "success", [1]),
        (2, 20, 3, "success", [0, 0]),
        (3, 30, 4, "failure", [1]),
        (4, 40, 4, "failure", [0]),
    )
    found = compare(first, second)
    named = by_name(found.measures)
    won = named["effectiveness_success"]
    # Won by the first: games 1 and 3 (1/2, 1); by the second: games 1 and 2 (1, 0). Game 1 alone is a case of both.
    assert (won.first, won.second, won.difference, won.n) == (0.75, 0.5, -0.25, 3)
    assert (won.wins, won.ties, won.losses) == (1, 0, 0)
    # All swaps of games 1 to 3, by hand; undefined where one side has won nothing counts as extreme.
    sums = {1: ((0.5, 1), (1, 1)), 2: ((0, 0), (0, 1)), 3: ((1, 1), (0, 0))}
    extreme = 0
    for coins in np.ndindex(2, 2, 2):
        sides = [[np.array(sums[game][side ^ coin]) for game, coin in zip(sums, coins, strict=True)] for side in (0, 1)]
        (ours, n), (theirs, m) = (sum(side) for side in sides)
        extreme += not (n and m) or abs(ours / n - theirs / m) >= 0.25 - 1e-9
    assert won.p == pytest.approx(extreme / 8, abs=0.02)
    assert (named["effectiveness_micro"].first, named["effectiveness_micro"].second) == (3 / 5, 2 / 5)
    assert (named["task_success"].first, named["task_success"].p) == (0.5, 1)


def test_a_game_that_one_model_gave_up_is_paired():
    """It is no case for the one that gave it up, and one of `incomplete`; the other keeps it."""
    first = games((1, 10, 3, "success", [1]), (2, 20, 3, "failure", [0]))
    second = games((1, 10, 3, "success", [1]), (2, 20, 3, "incomplete", [0]))
    found = compare(first, second)
    named = by_name(found.measures)
    assert (found.paired, found.only_first, found.only_second) == (2, 0, 0)
    assert (named["incomplete"].first, named["incomplete"].second, named["incomplete"].losses) == (0, 0.5, 1)
    assert (named["task_success"].first, named["task_success"].second, named["task_success"].n) == (0.5, 1, 2)


def test_slices_and_their_own_family():
    found = compare(ranked(OURS, ndcg=1 / OURS), ranked(THEIRS, ndcg=1 / THEIRS))
    assert [compared.measure.name for compared in found.slices] == [
        f"{name}[round {number}]" for name in ("mrr", "ndcg") for number in (0, 1)
    ]
    odd = by_name(found.slices)["mrr[round 1]"]
    assert odd.difference == pytest.approx((1 / THEIRS[1::2] - 1 / OURS[1::2]).mean())
    assert odd.p == paired_permutation(1 / THEIRS[1::2], 1 / OURS[1::2], seed=0).p
    assert odd.n == 30
    # Here NDCG holds the same numbers as MRR: one test by two names, which counts once.
    p_values = {compared.measure.name: compared.p for compared in found.slices}
    assert p_values["ndcg[round 1]"] == p_values["mrr[round 1]"]
    alone = holm([p_values["mrr[round 0]"], p_values["mrr[round 1]"]])
    assert [compared.p_holm for compared in found.slices] == alone * 2
    assert compare(ranked(OURS), ranked(THEIRS), slices=False).slices == ()


def test_slices_by_number_of_objects_and_by_turn():
    first = games(*((id_, id_, 3 + id_ % 2, "success", [1, 0]) for id_ in range(6)))
    second = games(*((id_, id_, 3 + id_ % 2, "failure", [1]) for id_ in range(6)))
    found = compare(first, second)
    assert [compared.measure.name for compared in found.slices] == [
        "effectiveness@1",
        *(f"{name}[objects {number}]" for name in ("task_success", "effectiveness") for number in (3, 4)),
    ]
    # Seven tests, one of which would have to be seven times as rare as the rarest of 2⁶ swaps and its mirror image.
    assert found.warnings == (
        "6 images in both: no p can be below 0.0312, and after the correction for 7 tests none below 0.2188.",
        "Only first has effectiveness@2; not compared.",
        "† effectiveness, effectiveness_success, effectiveness_failure, effectiveness_micro and last_effective: no "
        "rank; "
        + "; ".join(
            f"{label}: 6 games with a question, fewer than 20, cannot tell how effective its questions are"
            for label in ("first", "second")
        )
        + ".",
    )
    assert found.least_p == 7 / 32
    assert min(compared.p_holm for compared in found.measures if compared.p_holm is not None) >= found.least_p
    assert by_name(found.slices)["task_success[objects 4]"].difference == -1
    assert "effectiveness@1" not in by_name(found.measures)


def test_a_slice_draws_the_clusters_that_have_it():
    """Half of the games have four objects; their slice is what a comparison of these games alone would be."""
    rng = np.random.default_rng(2)
    won = rng.random((2, 40)) < [[0.4], [0.7]]
    runs = [
        games(
            *((id_, id_ // 4, 3 + id_ // 4 % 2, "success" if flag else "failure", [1]) for id_, flag in enumerate(row))
        )
        for row in won
    ]
    sliced = by_name(compare(*runs).slices)["task_success[objects 4]"]
    four = np.arange(40) // 4 % 2 == 1
    images = (np.arange(40) // 4)[four]
    p = paired_permutation(won[1][four], won[0][four], seed=0, clusters=images).p
    drawn = paired_bootstrap(won[1][four], won[0][four], seed=0, clusters=images).interval
    assert (sliced.n, sliced.p) == (20, p)
    assert (sliced.low, sliced.high) == pytest.approx((drawn.low, drawn.high))


def test_several_runs_are_one_family():
    third = RNG.integers(1, 101, 60)
    runs = [ranked(OURS), ranked(THEIRS), ranked(third)]
    found = compare_runs(["a", "b", "c"], runs)
    assert [comparison.labels for comparison in found] == [("a", "b"), ("a", "c")]
    measures = [compared for comparison in found for compared in comparison.measures]
    assert [compared.p_holm for compared in measures] == holm([compared.p for compared in measures])
    (alone,) = compare_runs(["a", "c"], [runs[0], runs[2]])
    # A measure's own figures do not depend on what else is compared.
    assert [replace(compared, p_holm=None) for compared in alone.measures] == [
        replace(compared, p_holm=None) for compared in found[1].measures
    ]


def test_one_cluster_tells_nothing():
    found = by_name(compare(ranked([1, 2]), ranked([2, 2])).measures)["mrr"]
    assert (found.difference, found.low, found.p, found.p_holm) == (-0.25, None, None, None)


def test_a_measure_without_a_case_in_one_run():
    first = games((1, 10, 3, "success", [1]), (2, 20, 3, "success", [0]))
    second = games((1, 10, 3, "failure", [1]), (2, 20, 3, "failure", [0]))
    found = by_name(compare(first, second).measures)["effectiveness_success"]
    assert (found.first, found.second, found.difference, found.p) == (0.5, None, None, None)
    assert (found.wins, found.ties, found.losses, found.n) == (None, None, None, 2)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "a"], "two runs are called 'a'; give one of them another label: LABEL=RUN"),
        (["a"], "2 runs and 1 label"),
        (["a", "b", "c"], "2 runs and 3 labels"),
    ],
)
def test_labels(labels, message):
    with pytest.raises(UsageError, match=message):
        compare_runs(labels, [ranked(OURS), ranked(THEIRS)])


def test_the_least_p_of_few_images_holds_beside_a_comparison_of_many():
    """Holm has counted the tests of many images before, so that those of six are multiplied by their own number."""
    runs = [ranked([1] * 80), ranked([50] * 80), ranked([50] * 12)]
    few = compare_runs(["first", "many", "few"], runs)[1]
    assert few.least_p == min(compared.p_holm for compared in few.measures)


def test_runs_without_a_measure_in_common_are_refused():
    def scored(family, measure):
        items = pl.DataFrame({"image_id": [0, 1], "round": [0, 0], "generations": 1, "empty": 0, measure: [0.5, 0.25]})
        options = ScoreAnswersOptions(measures=(family,)).plain()
        return made("answers", "score", items, options)

    with pytest.raises(UsageError, match="first and second have no measure in common"):
        compare(scored("meteor", "meteor"), scored("rouge", "rouge_l"))


def test_one_run_is_too_few():
    with pytest.raises(UsageError, match="found 1 run, expected two or more"):
        compare_runs(["a"], [ranked(OURS)])


def test_runs_without_a_common_unit():
    with pytest.raises(UsageError, match="first and second have no round in common"):
        compare(ranked([1, 2]), ranked([1, 2], images=[7, 7]))


def test_different_parts_and_parts_that_compare_nothing():
    run = ranked(OURS)
    with pytest.raises(UsageError, match="first is a run of `answers rank` and second one of `questions score`"):
        compare(run, games((1, 10, 3, "success", [1])))
    bounds = replace(run, part="bounds")
    with pytest.raises(UsageError, match="`answers bounds` has no figures by which models are compared"):
        compare(bounds, bounds)


def test_signatures_that_differ_in_what_matters():
    other = Signature("0.2.0", data={"visdial": "b" * 64}, options={"cutoff": "all"}, seed=0)
    with pytest.raises(UsageError) as caught:
        compare(ranked(OURS), ranked(THEIRS, signature=other))
    for part in ("version: 0.1.0 against 0.2.0", "data.visdial: aaaaaaaaaaaa against bbbbbbbbbbbb", "options.cutoff"):
        assert part in str(caught.value)


def test_differences_that_are_allowed_are_said():
    found = compare(ranked(OURS), ranked(THEIRS, signature=replace(SIGNATURE, seed=4)))
    assert found.warnings == ("first and second differ in seed: 0 against 4.",)
    game = (1, 10, 3, "success", [1])
    tables = [replace(SIGNATURE, options={"oracle": f"table {digit * 64}"}) for digit in "ab"]
    said, few, _ = compare(games(game, signature=tables[0]), games(game, signature=tables[1])).warnings
    assert few == "1 image in both: no p can be below 1.0000."
    assert "two tables" in said
    model = replace(SIGNATURE, options={"oracle": "model " + "c" * 64})
    with pytest.raises(UsageError, match=r"options\.oracle"):
        compare(games(game, signature=tables[0]), games(game, signature=model))


def test_the_same_unit_must_hold_the_same_facts():
    """Games may be joined with lists of objects from elsewhere, so their number is checked."""
    joined = replace(SIGNATURE, data={**SIGNATURE.data, "originals": "c" * 64})
    first, second = games((1, 10, 3, "success", [1]), (2, 20, 4, "success", [1])), [(1, 10, 3, "success", [1])]
    found = compare(first, games(*second, (2, 20, 4, "failure", [1]), signature=joined))
    assert found.warnings[0] == "first and second differ in data.originals: nothing against cccccccccccc."
    with pytest.raises(UsageError, match=r"game 2: objects 4 in first, 5 in second, and so in 1 of 2"):
        compare(first, games(*second, (2, 20, 5, "failure", [1]), signature=joined))
    with pytest.raises(UsageError, match="game 2: image 20 in first, 21 in second"):
        compare(first, games(*second, (2, 21, 4, "failure", [1])))


def test_a_measure_that_only_one_run_has():
    found = compare(ranked(OURS, ndcg=1 / OURS), ranked(THEIRS))
    assert found.warnings == ("Only first has ndcg; not compared.",)
    assert "ndcg" not in by_name(found.measures)
    assert all(compared.measure.name.startswith("mrr[") for compared in found.slices)


def test_null_and_missing_rows():
    """A round that the second run does not hold is unpaired; one without a truth there is paired, and no case of it."""
    rows = ranked([2, 3, 4, 5, 6, 7])
    cut = replace(rows, items=rows.items.filter(pl.col("image_id") < 2))
    assert compare(rows, cut).paired == 4
    blank = ranked([2, 3, 4, 5, None, None])
    found = compare(rows, blank)
    assert (found.paired, by_name(found.measures)["mr"].n) == (6, 6)
    assert by_name(found.measures)["mr"].second == 3.5


def test_a_slice_that_is_the_whole_is_none():
    first = games(*((id_, id_, 3, "success", [1, 0]) for id_ in range(8)))
    second = games(*((id_, id_, 3, "failure", [1, 1]) for id_ in range(8)))
    assert not any("objects" in row.measure.name for row in compare(first, second).slices)


def test_two_runs_are_compared_without_labels() -> None:
    comparison = compare_runs(ranked([1, 2, 3, 4]), ranked([2, 3, 4, 5]), slices=False)
    assert comparison.labels == ("first", "second")
    frame = comparison.to_frame()
    assert frame.columns == ["measure", "first", "second", "difference", "low", "high", "p", "p_holm", "n"]
    assert frame["measure"].to_list() == [row.measure.name for row in comparison.measures]
    assert comparison.to_pandas()["difference"].tolist() == frame["difference"].to_list()
    with pytest.raises(UsageError, match="compare two runs, or a list of labels"):
        compare_runs(ranked([1, 2]), [ranked([1, 2])])


def test_a_comparison_is_drawn() -> None:
    comparison = compare_runs(ranked(list(range(1, 41))), ranked(list(range(2, 42))), slices=False)
    assert "<svg" in comparison.plot("mrr")._repr_svg_()
    with pytest.raises(UsageError, match="`measures` must be among those compared, got 'nothing'"):
        comparison.plot("nothing")
