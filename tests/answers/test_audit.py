"""The audit: quirks, tight candidates and ranks of the truth, all with known values; what it needs; the command."""

import json

import numpy as np
import pytest

from voirdire.answers.audit import audit, top_clusters
from voirdire.answers.cca.projection import AnswerSpace
from voirdire.answers.exam import AuditOptions
from voirdire.answers.views import rank_bins
from voirdire.errors import InputError, UsageError
from voirdire.formats.files import Source
from voirdire.formats.option_numbers import parse_dense, parse_ranks
from voirdire.formats.visdial import parse_visdial

TRUTH = 3


def record(parse, value, *more):
    return parse(Source("f.json", json.dumps(value).encode()), *more)


def dialogues(truth=True):
    turn = {"question": 0, "answer_options": list(range(100))}
    turn |= {"answer": TRUTH, "gt_index": TRUTH} if truth else {}
    dialogs = [{"image_id": image, "caption": "a cup", "dialog": [turn] * 10} for image in (5, 6)]
    answers = [f"a{place}" for place in range(100)]
    pools = {"questions": ["is it red"], "answers": answers}
    return {"version": "1.0", "split": "val2018" if truth else "test2018", "data": {**pools, "dialogs": dialogs}}


def annotated(image, round_id, highest, own):
    values = [0.0] * 100
    values[50], values[TRUTH] = highest, own
    return {"image_id": image, "round_id": round_id, "gt_relevance": values}


DENSE = [annotated(5, 1, 1.0, 0.0), annotated(5, 4, 0.8, 0.2), annotated(6, 2, 0.6, 0.0), annotated(6, 10, 0.2, 1.0)]
VISDIAL = record(parse_visdial, dialogues())


def ranks():
    """In dialogue 5 round r has the truth at rank r + 1, in dialogue 6 at rank 10 r + 1."""
    rows = []
    for image, step in ((5, 1), (6, 10)):
        for number in range(10):
            order = [rank for rank in range(1, 101) if rank != step * number + 1]
            order.insert(TRUTH, step * number + 1)
            rows.append({"image_id": image, "round_id": number + 1, "ranks": order})
    return rows


def values(found):
    return {str(key): each.value for key, each in found.measures.items()}


def test_quirks_of_the_annotation():
    result = audit(VISDIAL, record(parse_dense, DENSE))
    assert values(result) == {"no_full_relevance": 0.5, "irrelevant_gt": 0.5}
    assert result.measures["irrelevant_gt"].n == 4
    assert result.items.height == 20
    assert result.items["gt_relevance"].null_count() == 16
    assert result.title == "answers audit"


def test_the_truth_may_be_the_only_fully_relevant_answer():
    result = audit(VISDIAL, record(parse_dense, [annotated(6, 10, 0.2, 1.0)]))
    assert values(result) == {"no_full_relevance": 0.0, "irrelevant_gt": 0.0}


def test_ranks_of_the_truth():
    result = audit(VISDIAL, ranks=record(parse_ranks, ranks()))
    shares = values(result)
    assert list(shares)[:2] == ["gt_rank[1]", "gt_rank[2]"]
    assert list(shares)[-2:] == ["gt_rank[81-90]", "gt_rank[91-100]"]
    assert shares["gt_rank[1]"] == pytest.approx(2 / 20)
    assert shares["gt_rank[10]"] == pytest.approx(1 / 20)
    assert shares["gt_rank[91-100]"] == pytest.approx(1 / 20)
    assert sum(shares.values()) == pytest.approx(1)
    assert sorted(result.items["rank"].to_list()) == sorted([*range(1, 11), *range(1, 101, 10)])


@pytest.mark.parametrize("candidates", [1, 7, 10, 11, 20, 25, 100, 140])
def test_the_bins_hold_every_rank_once(candidates):
    bins = rank_bins(candidates)
    assert [rank for low, high in bins for rank in range(low, high + 1)] == list(range(1, candidates + 1))


def test_top_clusters_by_hand():
    # The truth is in column 0 and, unless it is left out, a member of its cluster.
    # The standard deviation of (0.9, 0.8, 0.1, 0) is 0.4655, so 0.9 and 0.8 are in.
    correlations = np.array([[1.0, 0.9, 0.8, 0.1, 0.0], [1.0, 0.9, 0.0, 0.0, 0.0], [1.0, 0.5, 0.5, 0.5, 0.5]])
    truth = np.zeros(3, dtype=np.int64)
    means, spreads, sizes = top_clusters(correlations, truth)
    assert sizes.tolist() == [3, 2, 5]
    assert means == pytest.approx([0.9, 0.95, 0.6])
    expected = [np.std(each, ddof=1) for each in ([1, 0.9, 0.8], [1, 0.9], [1, 0.5, 0.5, 0.5, 0.5])]
    assert spreads == pytest.approx(expected)
    means, spreads, sizes = top_clusters(correlations, truth, with_truth=False)
    assert sizes.tolist() == [2, 1, 4]
    assert means == pytest.approx([0.85, 0.9, 0.5])
    assert spreads[[0, 2]] == pytest.approx([np.std([0.9, 0.8], ddof=1), 0.0], abs=1e-12)
    assert np.isnan(spreads[1])


@pytest.mark.parametrize("with_truth", [True, False])
def test_the_column_of_the_truth_is_found_wherever_it_is(with_truth):
    rng = np.random.default_rng(3)
    values_ = rng.random((40, 100))
    truth = rng.integers(0, 100, 40)
    means, spreads, sizes = top_clusters(values_, truth, with_truth)
    for row in range(40):
        others = np.delete(values_[row], truth[row])
        top = others[others >= others.max() - others.std(ddof=1)]
        top = np.append(top, values_[row, truth[row]]) if with_truth else top
        assert sizes[row] == len(top)
        assert means[row] == pytest.approx(top.mean(), abs=1e-12)
        assert spreads[row] == pytest.approx(top.std(ddof=1), abs=1e-12)


def test_tightness_of_candidates():
    def directions(texts):
        """a0 to a9 lie within a few degrees of the truth, the others across."""
        angles = np.radians([int(text[1:]) - TRUTH if int(text[1:]) < 10 else 90 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    space = AnswerSpace("angles", directions, {"cca": "abc"})
    for left_out in (True, False):
        result = audit(VISDIAL, space=space, options=AuditOptions(without_truth=left_out))
        near = np.cos(np.radians([place - TRUTH for place in range(10) if place != TRUTH or not left_out]))
        assert values(result) == pytest.approx(
            {"cluster_mean": near.mean(), "cluster_std": near.std(ddof=1), "cluster_size": len(near)}, abs=1e-12
        )
    assert result.signature.options == {"cluster": "with truth"}
    assert result.measures["cluster_size"].n == 20
    assert (result.signature.encoder, result.signature.data["cca"]) == ("angles", "abc")


def test_what_it_needs():
    with pytest.raises(UsageError, match="nothing to look at"):
        audit(VISDIAL)
    with pytest.raises(InputError, match="dialogues: found no round with candidates and a ground truth"):
        audit(record(parse_visdial, dialogues(truth=False)), record(parse_dense, DENSE))
    with pytest.raises(
        InputError, match=r"dense annotations \(`dense`\): image 8, round 0 \(counted from 0\): found another round"
    ):
        audit(VISDIAL, record(parse_dense, [annotated(8, 1, 1, 1), *DENSE]))
    with pytest.raises(InputError, match=r"rankings \(`ranks`\): image 5, round 0"):
        audit(VISDIAL, ranks=record(parse_ranks, ranks()[1:]))


# Through the command.


@pytest.fixture
def files(tmp_path):
    for name, value in (("visdial", dialogues()), ("dense", DENSE), ("ranks", ranks())):
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    return tmp_path


def given(folder, *names):
    return [word for name in names for word in (f"--{name}", folder / f"{name}.json")]


def test_the_command(files, called):
    status, out, _ = called("answers", "audit", *given(files, "visdial", "dense", "ranks"), "--json")
    assert status == 0
    measures = json.loads(out)["measures"]
    assert measures["no_full_relevance"]["value"] == 0.5
    assert measures["gt_rank[1]"]["value"] == 0.1
    assert len(measures) == 2 + len(rank_bins())


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("dense", [{**DENSE[0], "gt_relevance": [-0.5] * 100}], "found -0.5, expected float >= 0.0"),
        (
            "dense",
            [{**DENSE[0], "round_id": 10, "gt_relevance": [0.5] * 101}],
            "dense annotations (--dense): found 101 options per round, expected 100, as the dialogues have",
        ),
        ("dense", DENSE[1:3], "--round-base 0 or --round-base 1"),
        ("ranks", ranks()[3:], "rankings (--ranks): 3 problems"),
        ("visdial", dialogues(truth=False), "expected dialogues of train or val"),
    ],
)
def test_bad_input_is_named_and_exits_with_2(name, value, text, files, called):
    (files / f"{name}.json").write_text(json.dumps(value))
    status, out, err = called("answers", "audit", *given(files, "visdial", "dense", "ranks"))
    assert (status, out) == (2, "")
    assert text in err


def test_dialogues_alone_show_nothing(files, called):
    status, _, err = called("answers", "audit", *given(files, "visdial"))
    assert (status, "nothing to look at" in err) == (2, True)
