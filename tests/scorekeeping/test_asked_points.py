"""Of which points a model is asked: samples by the seed, and one sentence of each pair."""

from collections import Counter

import numpy as np
import pytest
from judged import propositions, said

from voirdire.options import OptionError
from voirdire.runs.view import estimate_views
from voirdire.scorekeeping.asked_points import asked_points
from voirdire.scorekeeping.exam import POINTS, AskedPointsOptions, AskJudgementsOptions, JudgeOptions
from voirdire.scorekeeping.judge import score_judgements
from voirdire.scorekeeping.measures import RIGHT, point_view, points_frame

GIVEN = propositions(12)
"""Of 12 dialogues: 4 pairs at 11 turns each."""


def taken(given=GIVEN, **options):
    """The asked points: dialogue, turn, index."""
    asked = asked_points(given, None, AskedPointsOptions(**options), given.dialogues)
    points = asked.points
    columns = points.point_dialogue, points.turn, points.index[points.proposition]
    return list(zip(*(column[asked.asked].tolist() for column in columns), strict=True))


def cells(points):
    return {(dialogue, turn, index // 2) for dialogue, turn, index in points}


def test_a_sample_has_about_so_many_points_each_with_its_opposite():
    for count, of in ((1, 2), (2, 2), (3, 2), (50, 50), (51, 50), (1055, 1054), (1056, 1056), (99_999, 1056)):
        some = taken(points=count)
        assert len(some) == of
        assert 2 * len(cells(some)) == len(some)


def test_a_larger_sample_holds_a_smaller_one():
    small, large = set(taken(points=40)), set(taken(points=90))
    assert small < large < set(taken())
    assert set(taken(points=40, seed=1)) != small


def test_what_comes_first_does_not_depend_on_what_else_is_there():
    """The samples of six dialogues, and what the samples of twelve have of these, hold one another."""
    half = propositions(6)
    for count in (50, 150, 300):
        of_six, of_twelve = set(taken(half, points=150)), {point for point in taken(points=count) if point[0] < 6}
        assert of_twelve
        assert of_six <= of_twelve or of_twelve <= of_six


def test_every_point_is_as_likely_to_be_taken():
    given, draws = propositions(3, turns=5), 600
    counts = Counter(point for seed in range(draws) for point in taken(given, points=24, seed=seed))
    share = 24 / (3 * 8 * 5)
    spread = np.sqrt(share * (1 - share) / draws)
    assert len(counts) == 3 * 8 * 5
    found = np.array(list(counts.values())) / draws
    assert abs(found - share).max() < 4.5 * spread


def test_one_sentence_of_each_pair_and_half_of_them_reversed():
    some = taken(polarity="half")
    assert len(cells(some)) == len(some) == 12 * 4 * 11
    by_dialogue = Counter((dialogue, index % 2) for dialogue, _, index in some)
    assert set(by_dialogue.values()) == {22}
    assert taken(polarity="half", seed=2) != some
    assert set(taken(polarity="half", points=60)) < set(some)
    assert len(taken(polarity="half", points=60)) == 60


def test_turns_and_pairs_go_first():
    some = taken(turns="5", pairs=2, points=30)
    assert len(some) == 30
    assert {turn for _, turn, _ in some} == {5}
    assert set(some) < set(taken(turns="5", pairs=2))


def test_a_model_is_asked_of_a_sample_and_a_file_is_scored_as_it_is():
    assert AskJudgementsOptions().points == POINTS
    assert JudgeOptions().points == "all"
    assert AskJudgementsOptions(points="all").points == "all"
    assert AskJudgementsOptions(points="30").points == 30
    for points in (0, -1, "some", "1.5", True):
        with pytest.raises(OptionError, match="`points` must be"):
            AskJudgementsOptions(points=points)


def test_a_sample_is_told_and_signed():
    run = score_judgements(GIVEN, said(GIVEN), JudgeOptions(points=100))
    assert run.signature.options["points"] == 100
    assert run.warnings[0].startswith("100 of 1,056 points, a sample drawn by the seed 0")
    assert run.coverage.complete
    assert run.coverage.asked == 200
    assert run.measures["accuracy[TFxPS]"].n == 100
    assert run.measures["shift_right[TFxPS]"].value is None
    whole = score_judgements(GIVEN, said(GIVEN), JudgeOptions(points=5000))
    assert whole.signature.options["points"] == "all"
    assert whole.warnings == ()


def test_intervals_of_a_sample_hold_the_figure_of_all_points():
    """Models that are right more often in some dialogues than in others: 95 % of the intervals hold what all have."""
    given, draws, held = propositions(60), 200, 0
    every = asked_points(given, None, AskedPointsOptions(), given.dialogues).points
    for draw in range(draws):
        rng = np.random.default_rng(draw)
        right = rng.random(len(every)) < rng.beta(4, 2, 60)[every.point_dialogue]
        asked = asked_points(given, None, AskedPointsOptions(points=POINTS, seed=draw), given.dialogues).asked
        view = point_view(points_frame(every, right).filter(asked), [RIGHT])
        figure = estimate_views((view,), seed=draw)[RIGHT.key]
        held += figure.low <= right.mean() <= figure.high
    # Binomial of 200 with 95 %: 181 to 198 in 99.7 of 100; a sample that is no small part of all makes them wide.
    assert held >= 181
