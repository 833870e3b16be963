"""The bounds A_gt and Γ, by hand on two sets."""

import numpy as np
import pytest
from score_records import Letters, references

from voirdire.answers.bounds import score_bounds
from voirdire.answers.exam import BoundOptions
from voirdire.metrics.cider import cider
from voirdire.metrics.ngrams import compare_texts

SETS = [["a cab", "a b", "x"], ["bad", "a bad dab"]]


def test_both_rows():
    made = score_bounds(
        references(SETS, truths=["a b", "z"]), BoundOptions(measures=("cider", "bleu", "distance")), [Letters()]
    )
    flat, first = [text for one in SETS for text in one], [0, 3, 5]
    members = cider(compare_texts(flat, flat, first, [0, 0, 0, 1, 1]))[:, 1]
    means, bests = [members[:3].mean(), members[3:].mean()], [members[:3].max(), members[3:].max()]
    truths = cider(compare_texts(["a b", "z"], flat, first))[:, 1]
    value = {str(key): estimate.value for key, estimate in made.measures.items()}
    assert value["cider2[gamma]"] == pytest.approx(np.mean(means))
    assert value["cider2[gamma]:std"] == pytest.approx(np.std(means))
    assert value["cider2[gamma]:best"] == pytest.approx(np.mean(bests))
    assert value["cider2[a_gt]"] == pytest.approx(truths.mean())
    assert value["bleu1[gamma]"] == 1.0
    assert value["bleu1[a_gt]"] == 0.5
    assert value["l2[letters, gamma]:best"] < value["l2[letters, gamma]"]
    assert "cider2[a_gt]:best" not in value
    assert made.items.height == 4
    assert made.items["bound"].to_list() == ["a_gt", "a_gt", "gamma", "gamma"]
    assert made.warnings == ("image 1, round 0 (counted from 0): the ground truth is not in the reference set.",)
    assert made.title == "answers bounds"


def test_members_stay_as_they_are_spelt():
    made = score_bounds(references([["yes , it is"], ["b"]]), BoundOptions(measures=("bleu",)))
    assert made.measures["bleu4[a_gt]"].value == 0.5
