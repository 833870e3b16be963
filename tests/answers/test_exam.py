"""What the exam of answers declares holds: measures, endings, options that depend on each other, people's sets."""

import numpy as np
import pytest
from score_records import Letters, generations, references

from voirdire.answers.exam import EXAM, BoundOptions, OverlapOptions, ScoreAnswersOptions
from voirdire.answers.overlap import overlap
from voirdire.answers.score import score_answers
from voirdire.answers.views import by_round, rank_shares, valid_share
from voirdire.errors import UsageError
from voirdire.exam import measures_of, views_of
from voirdire.formats.reference_files import ENDINGS
from voirdire.metrics.key import Key
from voirdire.options import OptionError

SETS = [["a cab", "a b"], ["bad", "a bad dab"], ["c"], ["d a", "d"]]


def scored(texts, **where):
    options = ScoreAnswersOptions(measures=("bleu", "distance"))
    return score_answers(generations(texts, **where), references(SETS, **where), options, [Letters()])


def test_sets_may_end_as_they_are_written():
    assert EXAM.part("densify").outputs[0].endings == ENDINGS


def test_an_encoder_is_named_where_distances_are_taken_and_only_there():
    assert BoundOptions().encoder == ("minilm",)
    assert BoundOptions(measures=("bleu",)).encoder == ()
    assert ScoreAnswersOptions(measures=("bleu", "of another package"), encoder=("static",)).encoder == ("static",)
    with pytest.raises(OptionError, match="`encoder` is for the measures l2 and cosine") as caught:
        ScoreAnswersOptions(measures=("bleu",), encoder=("minilm",))
    assert caught.value.field == "encoder"


def test_a_run_names_the_encoders_that_were_handed_over_and_its_views_find_them():
    run = scored([["a b", "c"], ["bad", "x"], ["d", "d"], ["d a", "d"]])
    assert run.options["encoder"] == ["letters"]
    (view,) = views_of(run)
    assert [each.key for each in view.measures] == list(run.measures)
    assert view.roles[Key("l2", slice=("letters",))] == "headline"
    assert {key.measure for key in run.measures} <= set(measures_of(run))


def test_figures_that_a_report_adds():
    run = scored([["A  cab"], ["bad"], ["x"], [""]], rounds=[0, 1, 0, 1], images=[0, 0, 1, 1])
    valid = valid_share(run)
    assert valid is not None
    assert (valid.value, valid.n) == (pytest.approx(2 / 3), 3)
    figures = by_round(run, Key("bleu1"))
    assert list(figures) == [0, 1]
    assert figures[1].n == 1
    assert figures[1].value == run.items["bleu1"][1]
    assert by_round(run, Key("meteor")) == {}
    assert rank_shares(run) == {}


def test_what_to_judge_by_is_given_once():
    with pytest.raises(UsageError, match="give either `by`, sets to judge by, or `visdial` and `dense`"):
        overlap(references(SETS))
    with pytest.raises(UsageError, match="`encoder` is that of a CCA: give `cca` too"):
        overlap(references(SETS), references(SETS), options=OverlapOptions(encoder="minilm"))


def test_people_s_sets_are_made_where_they_are_not_given(monkeypatch):
    asked = []

    def made(visdial, options, dense):
        asked.append((visdial, options.method, dense))
        return references(SETS), ("said of people's sets",)

    class Annotations:
        fingerprint = "dense"

    monkeypatch.setattr("voirdire.answers.overlap.reference_sets", made)
    run = overlap(references(SETS), visdial="dialogues", dense=(dense := Annotations()))
    assert asked == [("dialogues", "H", dense)]
    assert (run.warnings, run.signature.data) == (("said of people's sets",), {"with": "dense"})
    assert np.unique(run.items["iou"]).tolist() == [100.0]
