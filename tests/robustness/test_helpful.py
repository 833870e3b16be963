"""Algorithm 1 in its nested reading, and the figures of Tables 5 and 6."""

import json

import numpy as np
import pytest
from ranking_records import ranking_of

from voirdire.errors import InputError, UsageError
from voirdire.robustness.exam import HelpfulOptions
from voirdire.robustness.helpful import add_helpful, chosen, count_line, helpful_table


def scored(*scores: float) -> list[tuple[str, float]]:
    return [(f"b{at + 1}?", score) for at, score in enumerate(scores)]


RANKING = ranking_of(
    {
        "three": scored(0.9, 0.8, 0.7),
        "two": scored(0.9, 0.8, 0.1),
        "one": scored(0.7, 0.1, 0.09),
        "zero": scored(0.6, 0.59, 0.58),
        "short": scored(0.8, 0.7),
        "single": scored(0.8),
        "empty": [],
    },
    {"ranker": "lasso", "lambda": 1e-6, "encoder": "minilm", "pool": "ab", "main": "cd"},
)


def test_a_basic_question_is_added_only_where_the_one_before_it_was() -> None:
    questions, _ = add_helpful(RANKING)
    assert questions.questions == (
        "three b1? b2? b3?",
        "two b1? b2?",
        "one b1?",
        "zero",
        "short b1? b2?",
        "single b1?",
        "empty",
    )
    assert questions.question_ids.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert questions.meta["info"]["s1"] == 0.6


def test_nothing_is_added_to_a_question_whose_first_basic_question_is_itself() -> None:
    itself = [("  IS it  a dog ", 0.99), ("b2?", 0.9), ("b3?", 0.8)]
    later = [("b1?", 0.9), ("Is it a cat?", 0.8)]
    questions, run = add_helpful(ranking_of({"Is it a dog?": itself, "is it a cat": later}))
    assert questions.questions == ("Is it a dog?", "is it a cat b1? Is it a cat?")
    assert [run.measures[f"added[{count}]"].value for count in range(4)] == [0.5, 0, 0.5, 0]


def test_thresholds_must_be_passed_not_met() -> None:
    ratios = np.array([[0.5, 0.5, 0.5], [0.51, 0.5, 0.6], [0.51, 0.51, 0.5], [0.51, 0.51, 0.51], [0.6, np.nan, 0.9]])
    assert chosen(ratios, HelpfulOptions(0.5, 0.5, 0.5)).tolist() == [0, 1, 2, 3, 1]


def test_the_two_tables() -> None:
    _, run = add_helpful(RANKING, HelpfulOptions(seed=1))
    first, second, third = (
        [0.9, 0.9, 0.7, 0.6, 0.8, 0.8],
        [0.8 / 0.9, 0.8 / 0.9, 0.1 / 0.7, 0.59 / 0.6, 0.7 / 0.8],
        [0.7 / 0.8, 0.1 / 0.8, 0.09 / 0.1, 0.58 / 0.59],
    )
    for name, values in (("score1", first), ("score2/score1", second), ("score3/score2", third)):
        assert run.measures[name].value == pytest.approx(np.mean(values))
        assert run.measures[f"{name}:std"].value == pytest.approx(np.std(values))
        assert run.measures[name].n == len(values)
    shares = [run.measures[f"added[{count}]"].value for count in range(4)]
    assert shares == pytest.approx([2 / 7, 2 / 7, 2 / 7, 1 / 7])
    counts = "of 7 main questions: 0 BQ: 2 (28.57 %), 1 BQ: 2 (28.57 %), 2 BQ: 2 (28.57 %), 3 BQ: 1 (14.29 %)"
    assert count_line(run) == helpful_table(run).splitlines()[-1] == counts
    shown = json.loads(run.to_json())
    assert shown["exam"] == "robustness"
    assert shown["signature"]["options"] == {"ranker": "lasso", "lambda": 1e-6, "s1": 0.6, "s2": 0.58, "s3": 0.41}
    assert shown["signature"]["data"] == {"main": "cd", "pool": "ab"}
    assert shown["warnings"] == []


def test_degenerate_rankings() -> None:
    _, run = add_helpful(ranking_of({"a": []}))
    assert run.measures["score1"].value is None
    assert run.measures["added[0]"].value == 1
    with pytest.raises(InputError, match="ranking: found no main question"):
        add_helpful(ranking_of({}))
    with pytest.raises(UsageError, match="`s1` must be a finite number, got nan"):
        HelpfulOptions(s1=float("nan"))
