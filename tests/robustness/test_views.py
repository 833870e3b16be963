"""The views of this exam's parts: figures come from items and options alone, also after a run was stored."""

import pytest
from robustness_records import annotations, answers, results

from voirdire.errors import UsageError
from voirdire.exam import exam_named, measures_of, options_of, views_of
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.exam import RobustnessOptions, RScoreOptions
from voirdire.robustness.score import compare_rankers, score_accuracies, score_robustness
from voirdire.runs import read_run, write_run
from voirdire.runs.view import estimate_views
from voirdire.verdict.comparison import compare_runs

TRUTH = annotations(["yes"] * 12)


def robustness(right):
    clean, *noisy = (results(answers(range(right - lost))) for lost in range(5))
    return score_robustness(TRUTH, clean, noisy[:3], noisy[3], RobustnessOptions(t=1, m=30, seed=3))


def accuracy(right):
    return score_vqa(TRUTH, results(answers(range(right))))


PARTS = {"score": robustness, "accuracy": accuracy}


@pytest.fixture(scope="module")
def pairs():
    return {name: (make(10), make(7)) for name, make in PARTS.items()}


@pytest.mark.parametrize("name", PARTS)
def test_the_figures_of_a_stored_run_come_from_its_views(name, pairs, tmp_path):
    run = pairs[name][0]
    stored = read_run(write_run(run, tmp_path / "run"))
    assert stored.options == run.options == options_of(stored).plain()
    figures = estimate_views(views_of(stored), seed=stored.options["seed"])
    assert figures == {one: run.measures[one] for one in figures}
    assert [str(figure) for figure in run.measures if figure not in figures] == (["trend_p"] if name == "score" else [])
    assert {role for view in views_of(stored) for role in view.roles} <= set(figures)


@pytest.mark.parametrize("name", PARTS)
def test_what_is_compared(name, pairs):
    (comparison,) = compare_runs(["first", "second"], pairs[name], resamples=10)
    types = ["yes/no", "number", "other"]
    slices = [f"accuracy[{kind}]" for kind in (*types, "what 0", "what 1")]
    if name == "score":
        slices += [f"drop[{kind}]:partition1" for kind in (*sorted(types), "what 0", "what 1")]
        assert [figure.measure.name for figure in comparison.measures][:2] == ["accuracy", "accuracy:partition1"]
    else:
        assert [figure.measure.name for figure in comparison.measures] == ["accuracy", "accuracy:eq6"]
    assert [figure.measure.name for figure in comparison.slices] == slices
    assert comparison.noun == "question"


def test_every_measure_is_declared_and_tells_of_itself(pairs):
    rankers = compare_rankers(TRUTH, {"lasso": [results(answers(range(right))) for right in (9, 5, 2)]})
    runs = [*(run for pair in pairs.values() for run in pair), rankers, score_accuracies(RScoreOptions(60, 50))]
    assert {run.part for run in runs} <= {part.name for part in exam_named("robustness").parts}
    for run in runs:
        about = measures_of(run)
        for key in run.measures:
            known = about[key.measure]
            assert known.label
            assert known.description
            assert known.work
    better = {name: about.better for name, about in measures_of(runs[0]).items()}
    assert [better[name] for name in ("accuracy", "drop", "r_score", "trend_p")] == [
        "higher",
        "lower",
        "higher",
        "neither",
    ]
    for name in ("accuracy", "drop", "r_score"):
        assert better[f"{name}_normalised"] == better[name]


def test_rankers_are_not_compared_between_models():
    run = compare_rankers(TRUTH, {"lasso": [results(answers(range(right))) for right in (9, 5, 2)]})
    with pytest.raises(UsageError, match="`robustness rankers` has no figures by which models are compared"):
        views_of(run)
