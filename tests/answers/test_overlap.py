"""Overlap of reference sets: by hand, spreads, correlations inside, files that do not belong together."""

import json

import numpy as np
import pytest

from voirdire.answers.cca.projection import AnswerSpace
from voirdire.answers.exam import OverlapOptions
from voirdire.answers.overlap import overlap
from voirdire.errors import InputError
from voirdire.formats.files import Source
from voirdire.formats.references import parse_references


def one(image, round_id, members, truth=0, question="is it red"):
    flags = [int(place in members) for place in range(100)]
    texts = {"refs": [f"a{place}" for place in sorted(members)], "question": question, "gt_answer": f"a{truth}"}
    return {"image_id": image, "round_id": round_id, "in_cluster_idxs": flags, **texts}


def record(rows, base=None):
    return parse_references(Source("f.json", json.dumps(rows).encode()), base)


JUDGED = [one(5, 0, {0, 1}), one(6, 0, {0, 1, 2, 3}), one(7, 9, {5})]
JUDGES = [one(7, 9, {0, 5}), one(5, 0, {0, 1}), one(6, 0, {0, 9})]


def values(found):
    return {str(key): figure.value for key, figure in found.measures.items()}


def test_three_rounds_by_hand():
    result = overlap(record(JUDGED), record(JUDGES))
    names = ["iou", "precision", "recall", "size", "contains_gt"]
    assert list(map(str, result.measures)) == [name for base in names for name in (base, f"{base}:std")]
    assert result.items["iou"].to_list() == pytest.approx([100, 20, 50])
    assert result.items["precision"].to_list() == pytest.approx([100, 25, 100])
    assert result.items["recall"].to_list() == pytest.approx([100, 50, 50])
    assert result.items["size"].to_list() == [2, 4, 1]
    assert result.items["contains_gt"].to_list() == [100, 100, 0]
    for name in names:
        column = result.items[name].to_numpy()
        assert values(result)[name] == pytest.approx(column.mean(), abs=1e-12)
        assert values(result)[f"{name}:std"] == pytest.approx(column.std(ddof=1), abs=1e-12)
        assert result.measures[name].n == 3


def test_sets_against_themselves():
    result = values(overlap(record(JUDGED), record(JUDGED)))
    assert {result[name] for name in ("iou", "precision", "recall")} == {100.0}
    assert {result[f"{name}:std"] for name in ("iou", "precision", "recall")} == {0.0}


def test_nothing_in_common_inside_a_round():
    result = values(overlap(record([one(5, 0, {1})]), record([one(5, 0, {0, 2})])))
    assert (result["iou"], result["precision"], result["recall"]) == (0, 0, 0)
    assert result["iou:std"] is None


def directions(texts):
    """Answer aN points N times 30 degrees away from a0."""
    angles = np.radians([30.0 * int(text[1:]) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_correlations_inside_the_sets():
    result = overlap(record(JUDGED), record(JUDGES), space=AnswerSpace("angles", directions, {"cca": "abc"}))
    inside = [np.cos(np.radians([30 * place for place in members])) for members in ((0, 1), (0, 1, 2, 3), (5,))]
    assert result.items["corr"].to_list() == pytest.approx([each.mean() for each in inside])
    assert result.items["corr_spread"].to_list()[:2] == pytest.approx([each.std(ddof=1) for each in inside[:2]])
    assert result.items["corr_spread"].to_list()[2] is None
    assert values(result)["corr"] == pytest.approx(np.mean([each.mean() for each in inside]))
    # `:std` is the spread over rounds, here as in every other row; that inside a set has a name of its own.
    spreads = [each.std(ddof=1) for each in inside[:2]]
    assert values(result)["corr:std"] == pytest.approx(np.std([each.mean() for each in inside], ddof=1))
    assert values(result)["corr_spread"] == pytest.approx(np.mean(spreads))
    assert values(result)["corr_spread:std"] == pytest.approx(np.std(spreads, ddof=1))
    assert (result.measures["corr"].n, result.measures["corr_spread"].n) == (3, 2)
    assert result.signature.encoder == "angles"
    assert result.signature.data["cca"] == "abc"


@pytest.mark.parametrize("pairing", ["question-gt", "question-max"])
def test_sets_that_a_question_made_are_correlated_with_it(pairing):
    """The question points 60 degrees away from a0."""
    space = AnswerSpace("angles", directions, questions=lambda texts: directions(["a2"] * len(texts)))
    result = overlap(record(JUDGED), record(JUDGES), options=OverlapOptions(pairing=pairing), space=space)
    inside = [np.cos(np.radians([30 * place - 60 for place in members])) for members in ((0, 1), (0, 1, 2, 3), (5,))]
    assert result.items["corr"].to_list() == pytest.approx([each.mean() for each in inside], abs=1e-12)
    assert result.signature.options == {"corr": "with question"}


def test_only_sets_of_one_have_no_spread_inside():
    result = overlap(record([one(5, 0, {0})]), record([one(5, 0, {0})]), space=AnswerSpace("angles", directions))
    assert values(result)["corr"] == pytest.approx(1)
    assert result.measures["corr_spread"].value is None


def test_rounds_of_one_file_only():
    more = [*JUDGES, one(8, 1, {0})]
    strict = OverlapOptions(strict=True)
    with pytest.raises(InputError, match=r"sets to judge \(`references`\): image 8, round 1 .*: found nothing"):
        overlap(record(JUDGED), record(more), options=strict)
    with pytest.raises(InputError, match=r"sets to judge \(`references`\): image 8, round 1 .*: found this round"):
        overlap(record(more), record(JUDGED), options=strict)
    result = overlap(record(JUDGED), record(more))
    assert values(result) == values(overlap(record(JUDGED), record(JUDGES)))
    assert result.warnings == (
        "3 rounds of 4 are scored. The sets to judge lack 1 of the sets to judge by (image 8, round 1 (counted from "
        "0)).",
    )
    for options in (None, OverlapOptions(common=True)):
        with pytest.raises(InputError, match=r"none of the 1 round of the sets to judge by|but 1 if the sets to judge"):
            overlap(record([one(5, 0, {0})]), record([one(5, 1, {0})], 0), options=options)


def test_files_that_speak_of_other_rounds():
    other = [one(5, 0, {0, 1}), one(6, 0, {0}, question="how many"), one(7, 9, {0}, truth=1)]
    with pytest.raises(InputError) as caught:
        overlap(record(JUDGED), record(other))
    text = str(caught.value)
    assert "2 problems" in text
    assert "image 6, round 0 (counted from 0), field `question`: found 'is it red' and 'how many'" in text
    assert "image 7, round 9 (counted from 0), field `gt_answer`: found 'a0' and 'a1'" in text
    assert "may count rounds from different bases" in text


# Through the command.


@pytest.fixture
def files(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(JUDGED))
    (tmp_path / "h.json").write_text(json.dumps(JUDGES))
    return tmp_path


def test_the_command(files, called):
    status, out, _ = called("answers", "overlap", "--of", files / "c.json", "--with", files / "h.json", "--json")
    assert status == 0
    measures = json.loads(out)["measures"]
    assert measures["iou"]["value"] == pytest.approx(170 / 3)
    assert measures["recall"]["value"] == pytest.approx(200 / 3)
    assert measures["contains_gt"]["value"] == pytest.approx(200 / 3)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda rows: [{**row, "image_id": 900 + row["image_id"]} for row in rows],
            "sets to judge (--of): found none of the",
        ),
        (lambda rows: [{**row, "round_id": 4} for row in rows], "--round-base 0 or --round-base 1"),
        (lambda rows: [*rows, rows[0]], "found this round twice"),
        (lambda rows: [{**rows[1], "in_cluster_idxs": [1, 1] + [0] * 97}], "found 100 options per round, expected 99"),
        (lambda rows: [{**rows[0], "refs": []}], "field `refs`"),
        (lambda rows: [{**rows[0], "refs": ["a0"]}, *rows[1:]], "found 1 texts, expected 2"),
    ],
)
def test_bad_input_is_named_and_exits_with_2(change, text, files, called):
    (files / "h.json").write_text(json.dumps(change(JUDGES)))
    status, out, err = called("answers", "overlap", "--of", files / "c.json", "--with", files / "h.json")
    assert (status, out) == (2, "")
    assert text in err


def test_a_cca_that_is_none(files, called):
    both = ["--of", files / "c.json", "--with", files / "h.json"]
    assert "give --cca too" in called("answers", "overlap", *both, "--encoder", "static")[2]
    status, _, err = called("answers", "overlap", *both, "--cca", files / "c.json")
    assert status == 2
    assert "expected a CCA that `voirdire answers train` wrote" in err
    status, _, err = called("answers", "overlap", *both, "--cca", files / "nothing.npz")
    assert (status, "no such file" in err) == (2, True)
