"""The options of rankings and of what is made of them: the papers' defaults, and limits that name the field."""

import math
import subprocess
import sys

import pytest

from voirdire.errors import UsageError
from voirdire.robustness.exam import HelpfulOptions, PerturbOptions, RankQuestionsOptions


def test_the_defaults_are_the_papers() -> None:
    options = RankQuestionsOptions()
    assert options == RankQuestionsOptions("lasso", None, 21, "minilm", yes_no=False, keep_main=False)
    assert (options.objective, options.penalty) == ("paper", 1e-6)
    assert PerturbOptions() == PerturbOptions(max_words=26, seed=0)
    assert HelpfulOptions() == HelpfulOptions(0.60, 0.58, 0.41)


@pytest.mark.parametrize(
    ("lam", "why"),
    [
        (0.0, "without a penalty"),
        (-1.0, "a negative penalty"),
        (math.inf, "with an infinite penalty no question has a part"),
        (math.nan, "this is no number"),
    ],
)
def test_a_penalty_is_a_number_above_0(lam: float, why: str) -> None:
    with pytest.raises(UsageError, match=f"^`lambda` must be a finite number above 0, got {lam}: {why}"):
        RankQuestionsOptions(lam=lam)


def test_the_default_penalty_is_that_of_the_objective() -> None:
    assert RankQuestionsOptions(objective="scikit-learn").penalty == 1e-5
    assert RankQuestionsOptions(objective="scikit-learn", lam=1e-6).penalty == 1e-6
    assert RankQuestionsOptions(lam=0.1).penalty == 0.1
    with pytest.raises(UsageError, match=r"^`objective` must be one of paper, scikit-learn, got 'sklearn'$"):
        RankQuestionsOptions(objective="sklearn")  # type: ignore[arg-type]


def test_limits_name_the_field() -> None:
    with pytest.raises(UsageError, match=r"^`top` must be at least 1, got 0$"):
        RankQuestionsOptions(top=0)
    with pytest.raises(UsageError, match=r"^`max_words` must be at least 0, got -1$"):
        PerturbOptions(max_words=-1)
    with pytest.raises(UsageError, match=r"^`s3` must be a finite number, got inf$"):
        HelpfulOptions(s3=math.inf)


def test_they_cost_nothing_to_import() -> None:
    code = "import sys, voirdire.robustness.exam; print('numpy' in sys.modules, 'msgspec' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
