"""Runs of one model in several templates: which belong together, and their figures over the templates."""

from dataclasses import replace

import numpy as np
import pytest
from comparison_runs import SIGNATURE, games, ranked

from voirdire.verdict.templates import asked_in_several, over_templates


def asked(template, seed=1, worse=0, **changes):
    """A run of `answers rank` of 60 rounds, asked in a template."""
    ranks = np.random.default_rng(seed).integers(1, 12, 60) + worse
    options = {"asked": {"template": f"{template}-1:0123456789ab", "shown": "pictures"}}
    return ranked(ranks.tolist(), signature=replace(SIGNATURE, options=options, **changes))


THREE = [("m@plain", asked("plain")), ("m@brief", asked("brief", 2, 3)), ("m@explicit", asked("explicit", 3, 6))]


def test_runs_of_one_model_belong_together():
    filed = ("filed@plain", ranked([1, 2, 3, 4]))
    other = ("n@plain", asked("plain"))
    otherwise = ("m@odd", asked("brief"))
    (model,) = asked_in_several([*THREE, filed, other, otherwise])
    assert (model.name, list(model.runs)) == ("m", ["plain", "brief", "explicit"])
    assert model.title == "answers rank"


def test_runs_of_other_data_or_of_another_part_do_not_belong_together():
    assert not asked_in_several([THREE[0], ("m@brief", asked("brief", data={"visdial": "b" * 64}))])
    assert not asked_in_several([THREE[0], ("m@brief", games((1, 1, 2, "success", [True])))])


def test_of_three_templates_the_mean_has_an_interval_that_is_wider_than_that_of_any():
    (model,) = asked_in_several(THREE)
    over = {each.measure.name: each for each in over_templates(model)}
    mrr = over["mrr"]
    values = [run.measures["mrr"].value for _, run in THREE]
    assert [figure.value for figure in mrr.figures] == values
    assert mrr.mean.value == pytest.approx(np.mean(values))
    assert mrr.range == (min(values), max(values))
    width = mrr.mean.high - mrr.mean.low
    assert width > max(figure.high - figure.low for figure in mrr.figures)
    # The half-width is at least that of the templates alone: t with two degrees of freedom would be 4.30.
    assert width / 2 > 1.96 * np.std(values, ddof=1) / np.sqrt(3)
    assert mrr.leads
    # A share stays between 0 and 1.
    assert 0 <= over["recall@1"].mean.low <= over["recall@1"].mean.high <= 1


def test_the_same_answers_in_every_template_have_the_interval_of_one():
    (model,) = asked_in_several([(label, asked(label.partition("@")[2])) for label, _ in THREE])
    mrr = next(each for each in over_templates(model) if each.measure.name == "mrr")
    one = mrr.figures[0]
    assert mrr.mean.high - mrr.mean.low == pytest.approx(one.high - one.low, rel=0.1)


def test_two_templates_have_a_range_and_no_interval():
    (model,) = asked_in_several(THREE[:2])
    for over in over_templates(model):
        assert over.mean.value is not None
        assert over.mean.low is None
        assert over.range is not None
