"""A look at a ranking: a question by id or text, and how far two rankings agree."""

import json

import msgspec
import pytest
from ranking_records import ranking_of

from voirdire.errors import InputError, UsageError
from voirdire.robustness.exam import ShowRankingOptions
from voirdire.robustness.ranking.summary import (
    compare_rankings,
    find_question,
    first_question,
    head_lines,
    show_ranking,
)

RANKING = ranking_of(
    {"Is it red?": [("Is it blue?", 0.51234), ("Red?", 0.25)], "is it  RED": [("x", 1.0)], "12": [], "Why?": []},
    {"ranker": "lasso", "lambda": 1e-6, "encoder": "minilm", "top": 21},
)


def test_a_question_is_found_by_id_or_text() -> None:
    assert find_question(RANKING, "2").question == "is it  RED"
    assert find_question(RANKING, "IS IT RED").question_id == 1
    assert find_question(RANKING, "12").question_id == 3
    assert first_question(RANKING).question_id == 1
    with pytest.raises(InputError, match="found no main question 'Who', expected the id or text"):
        find_question(RANKING, "Who")


def test_it_is_shown_with_ranks_and_scores() -> None:
    assert find_question(RANKING, "is it red").lines() == [
        "question 1, image 0",
        "MQ: Is it red?",
        "BQ1:  Is it blue?  0.5123",
        "BQ2:  Red?         0.2500",
        "1 more question of the same text: 2",
    ]
    assert find_question(RANKING, "4").lines()[-1] == "It has no neighbours."
    assert head_lines(RANKING) == ["lasso, lambda 1e-06, encoder minilm, top 21: 4 main questions"]
    outcome = show_ranking(RANKING, options=ShowRankingOptions("1"))
    assert outcome.lines == (*head_lines(RANKING), "", *find_question(RANKING, "1").lines())
    shown = json.loads(msgspec.json.encode(outcome.value))
    assert list(shown) == ["exam", "measures", "signature", "warnings", "question"]
    assert shown["question"]["basic_questions"][1] == {"rank": 2, "basic_question": "Red?", "score": 0.25}
    assert shown["measures"]["ranked"] == {"value": 4, "low": None, "high": None, "n": 4}
    assert (shown["signature"]["encoder"], shown["signature"]["options"]["top"]) == ("minilm", 21)


def test_overlap_is_the_share_of_neighbours_in_common() -> None:
    a = ranking_of({"p": [(t, 1.0) for t in "abcd"], "q": [("a", 1.0)], "r": [], "s": [("a", 1.0)]}, {"lambda": 1e-6})
    b = ranking_of({"p": [(t, 1.0) for t in "Axc"], "q": [("z", 1.0)], "r": [], "s": []}, {"lambda": 1e-3})
    run = compare_rankings(a, b)
    assert run.measures["overlap@1"].value == pytest.approx(1 / 3)
    assert run.measures["overlap@3"].value == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert run.measures["overlap"].value == pytest.approx((2 / 4 + 0 + 0) / 3)
    assert run.measures["overlap"].n == 3
    assert run.warnings == ()
    assert dict(run.signature.options) == {"first.lambda": "1e-06", "second.lambda": "0.001"}
    assert compare_rankings(a, a).measures["overlap"].value == 1
    outcome = show_ranking(a, b)
    assert outcome.run is not None
    assert outcome.run.measures == run.measures
    assert outcome.lines[2].split()[:2] == ["overlap@1", "0.3333"]
    with pytest.raises(UsageError, match="`question` and `overlap` exclude each other"):
        show_ranking(a, b, ShowRankingOptions("p"))


def test_questions_that_one_ranking_lacks_are_said() -> None:
    a, b = ranking_of({"p": [("a", 1.0)], "q": [("a", 1.0)]}), ranking_of({"p": [("a", 1.0)]})
    run = compare_rankings(a, b)
    assert run.warnings == ("1 main questions that only one of the rankings has are left out.",)
    assert run.measures["overlap"].n == 1
    with pytest.raises(InputError, match="found no main question of ranking, expected two rankings"):
        compare_rankings(a, ranking_of({"p": []}, first_id=9))
