"""Rankings: known figures from hand-made rankings, what is missing, and every fault through the command."""

import json
import math

import numpy as np
import polars as pl
import pytest

from voirdire.answers.exam import RankAnswersOptions
from voirdire.answers.rank import rank_answers
from voirdire.errors import InputError
from voirdire.formats.files import Source
from voirdire.formats.option_numbers import parse_dense, parse_ranks, parse_scores
from voirdire.formats.visdial import parse_visdial
from voirdire.runs import read_run
from voirdire.runs.view import Coverage
from voirdire.verdict.slices import slice_run

IMAGES = (5, 6, 7)
TRUTHS = (0, 40, 99)


def dialogues(split="val2018", truth=True, images=IMAGES, rounds=10):
    answers = [f"answer {place}" for place in range(100)]
    dialogs = []
    for image in images:
        dialog = []
        for number in range(rounds):
            place = TRUTHS[number % 3]
            turn = {"question": 0, "answer_options": list(range(100))}
            dialog.append(turn | {"answer": place, "gt_index": place} if truth else turn)
        dialogs.append({"image_id": image, "caption": "a cup", "dialog": dialog})
    return {
        "version": "1.0",
        "split": split,
        "data": {"questions": ["is it red"], "answers": answers, "dialogs": dialogs},
    }


def rows(name, make, images=IMAGES, rounds=10):
    """One record a round, counted from 1; `make` gets the image and the round from 0."""
    return [{"image_id": i, "round_id": r + 1, name: make(i, r)} for i in images for r in range(rounds)]


def ranked(truth_rank):
    """Rankings with the truth at a rank that depends on image and round; the others follow in order."""

    def make(image, number):
        wanted, place = truth_rank(image, number), TRUTHS[number % 3]
        others = [rank for rank in range(1, 101) if rank != wanted]
        return [*others[:place], wanted, *others[place:]]

    return rows("ranks", make)


def relevance(image, number):
    """The truth fully, its neighbour half."""
    values = [0.0] * 100
    values[TRUTHS[number % 3]] = 1.0
    values[(TRUTHS[number % 3] + 1) % 100] = 0.5
    return values


def record(parse, value):
    return parse(Source("f.json", json.dumps(value).encode()))


VISDIAL = record(parse_visdial, dialogues())
DENSE = [{"image_id": image, "round_id": 1 + 9 * (image == 7), "gt_relevance": relevance(image, 0)} for image in IMAGES]


def values(run_):
    return {str(key): each.value for key, each in run_.measures.items()}


def test_the_truth_first_everywhere():
    result = rank_answers(VISDIAL, record(parse_ranks, ranked(lambda i, r: 1)))
    assert values(result) == {"mr": 1, "mrr": 1, "recall@1": 1, "recall@5": 1, "recall@10": 1}
    assert {(each.low, each.high, each.n) for each in result.measures.values()} == {(1.0, 1.0, 30)}
    assert result.warnings == ()
    assert result.title == "answers rank"


def test_known_ranks_and_the_items_that_are_kept():
    ranks = {5: 1, 6: 4, 7: 20}
    result = rank_answers(VISDIAL, record(parse_ranks, ranked(lambda i, r: ranks[i])))
    assert values(result)["mr"] == pytest.approx(25 / 3)
    assert values(result)["mrr"] == pytest.approx((1 + 1 / 4 + 1 / 20) / 3)
    assert [values(result)[f"recall@{k}"] for k in (1, 5, 10)] == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    assert result.items.columns == ["image_id", "round", "question", "rank"]
    assert result.items.height == 30
    assert dict(result.items.group_by("image_id").agg(pl.col("rank").unique().first()).iter_rows()) == ranks


def test_slices_by_type_of_question():
    asked = dialogues()
    asked["data"]["questions"] = ["is it red", "how many are there", "what color is it"]
    for dialogue in asked["data"]["dialogs"]:
        for number, turn in enumerate(dialogue["dialog"]):
            turn["question"] = number % 3
    # Yes/no questions have the truth first, the others fourth.
    result = rank_answers(
        record(parse_visdial, asked), record(parse_ranks, ranked(lambda i, r: 1 if r % 3 == 0 else 4))
    )
    assert result.items["question"].to_list()[:3] == asked["data"]["questions"]
    (mrr,) = slice_run(result)
    by_type = {each.value: (each.figure.value, each.figure.n) for each in mrr.slices if each.facet == "question type"}
    assert by_type == {"yes/no": (1.0, 12), "count": (0.25, 9), "colour": (0.25, 9)}
    assert {each.facet for each in mrr.slices} == {"question type", "pronoun"}


def test_rounds_may_be_in_any_order():
    records = ranked(lambda i, r: 1 + r + 10 * (i - 5))
    shuffled = [records[place] for place in np.random.default_rng(0).permutation(len(records))]
    first, second = (rank_answers(VISDIAL, record(parse_ranks, each)) for each in (records, shuffled))
    assert first.measures == second.measures
    assert first.items.equals(second.items)


def test_scores_give_what_their_ranking_gives_and_ties_the_worst_rank():
    rng = np.random.default_rng(1)
    orders = {(i, r): rng.permutation(100) for i in IMAGES for r in range(10)}
    ranks = record(parse_ranks, rows("ranks", lambda i, r: (orders[i, r] + 1).tolist()))
    scores = record(parse_scores, rows("scores", lambda i, r: (-0.125 * orders[i, r]).tolist()))
    dense = record(parse_dense, DENSE)
    first, second = rank_answers(VISDIAL, ranks, dense=dense), rank_answers(VISDIAL, None, scores, dense)
    assert first.measures == second.measures
    assert set(first.fingerprints) == {"visdial", "dense", "ranks"}
    assert set(second.fingerprints) == {"visdial", "dense", "scores"}
    assert first.signature.options["ties"] == "worst"
    equal = record(parse_scores, rows("scores", lambda i, r: [0.5] * 100))
    constant = rank_answers(VISDIAL, scores=equal, dense=dense)
    assert values(constant) == {"mr": 100, "mrr": 0.01, "recall@1": 0, "recall@5": 0, "recall@10": 0, "ndcg": 0}


def test_rankings_of_the_annotated_rounds_alone_are_enough_for_ndcg():
    every, dense = ranked(lambda i, r: 1 + r), record(parse_dense, DENSE)
    annotated = {(each["image_id"], each["round_id"]) for each in DENSE}
    part = [each for each in every if (each["image_id"], each["round_id"]) in annotated]
    whole = rank_answers(VISDIAL, record(parse_ranks, every), dense=dense)
    result = rank_answers(VISDIAL, record(parse_ranks, part), dense=dense)
    assert result.measures["ndcg"] == whole.measures["ndcg"]
    assert (result.measures["ndcg"].n, result.measures["mr"].n) == (3, 3)
    assert result.warnings == ("Only annotated rounds are ranked, so 3 of 30 rounds were asked.",)
    assert result.coverage == Coverage("round", 3, 3)
    # One of the annotated rounds without a ranking: its truth is the last, and nothing is gained by it.
    fewer = rank_answers(VISDIAL, record(parse_ranks, part[-2:]), dense=dense)
    assert fewer.coverage == Coverage("round", 3, 2)
    assert (fewer.measures["mr"].n, fewer.measures["mr:asked"].n, fewer.measures["ndcg:asked"].n) == (2, 3, 3)
    assert fewer.measures["mr:asked"].value == pytest.approx((2 * fewer.measures["mr"].value + 100) / 3)
    assert fewer.measures["ndcg:asked"].value == pytest.approx(fewer.measures["ndcg"].value * 2 / 3)
    # Without the annotations, or with another part of the rounds, rankings of all other rounds are missing.
    other = rank_answers(VISDIAL, record(parse_ranks, [*part, every[1]]), dense=dense)
    for more in (rank_answers(VISDIAL, record(parse_ranks, part)), other):
        assert more.coverage.asked == 30
        assert more.measures["mrr:asked"].n == 30
        assert more.warnings[0].startswith(f"{more.coverage.answered} rounds of 30 are scored. The rankings lack ")
    with pytest.raises(InputError, match="found nothing, expected what the dialogues ask"):
        rank_answers(VISDIAL, record(parse_ranks, part), options=RankAnswersOptions(strict=True))


def test_ndcg_over_annotated_rounds_only():
    def make(image, number):
        order = np.argsort(-np.array(relevance(image, number)), kind="stable")
        if image == 6:
            order = order[[1, 0, *range(2, 100)]]
        if image == 7:
            order = order[::-1]
        return (np.argsort(order) + 1).tolist()

    ranks, dense = record(parse_ranks, rows("ranks", make)), record(parse_dense, DENSE)
    ideal = 1 + 0.5 / math.log2(3)
    swapped = (0.5 + 1 / math.log2(3)) / ideal
    result = rank_answers(VISDIAL, ranks, dense=dense)
    assert result.measures["ndcg"].n == 3
    assert result.measures["ndcg"].value == pytest.approx((1 + swapped + 0) / 3, abs=1e-15)
    assert result.items["ndcg"].null_count() == 27
    last = (1 / math.log2(101) + 0.5 / math.log2(100)) / ideal
    whole = rank_answers(VISDIAL, ranks, dense=dense, options=RankAnswersOptions(cutoff="scored"))
    assert whole.measures["ndcg"].value == pytest.approx((1 + swapped + last) / 3, abs=1e-15)
    assert (result.signature.options["cutoff"], whole.signature.options["cutoff"]) == ("relevant", "scored")


def test_a_round_without_relevance_is_left_out_and_said():
    dense = [{**DENSE[0], "gt_relevance": [0.0] * 100}, *DENSE[1:]]
    result = rank_answers(VISDIAL, record(parse_ranks, ranked(lambda i, r: 1)), dense=record(parse_dense, dense))
    assert result.measures["ndcg"].n == 2
    assert result.warnings == ("image 5, round 0 (counted from 0): no relevant candidate, so left out of NDCG.",)


def test_a_round_without_truth_is_left_out_and_said():
    value = dialogues()
    del value["data"]["dialogs"][1]["dialog"][3]["gt_index"]
    result = rank_answers(record(parse_visdial, value), record(parse_ranks, ranked(lambda i, r: 1)))
    assert result.measures["mrr"].n == 29
    assert result.warnings == ("image 6, round 3 (counted from 0): no ground truth, so left out of all but NDCG.",)


def test_rounds_without_candidates_are_not_asked():
    value = dialogues()
    for turn in value["data"]["dialogs"][0]["dialog"][:9]:
        del turn["answer_options"], turn["gt_index"]
    kept = [each for each in ranked(lambda i, r: 2) if each["image_id"] != 5 or each["round_id"] == 10]
    assert rank_answers(record(parse_visdial, value), record(parse_ranks, kept)).measures["mr"].n == 21
    more = rank_answers(record(parse_visdial, value), record(parse_ranks, ranked(lambda i, r: 2)))
    assert more.coverage == Coverage("round", 21, 21, 9)
    with pytest.raises(InputError, match=r"rankings \(`ranks`\): 9 problems"):
        rank_answers(
            record(parse_visdial, value),
            record(parse_ranks, ranked(lambda i, r: 2)),
            options=RankAnswersOptions(strict=True),
        )


def test_the_test_split_has_ndcg_only():
    test = record(parse_visdial, dialogues("test2018", truth=False))
    ranks, dense = record(parse_ranks, ranked(lambda i, r: 1)), record(parse_dense, DENSE)
    result = rank_answers(test, ranks, dense=dense)
    assert list(map(str, result.measures)) == ["ndcg"]
    assert result.warnings == ("The dialogues have no ground truths, so only NDCG is measured.",)
    with pytest.raises(InputError, match=r"dialogues: found no ground truth .*Give its dense annotations"):
        rank_answers(test, ranks)


def test_one_image_has_no_interval():
    single_record = record(parse_visdial, dialogues(images=(5,)))
    result = rank_answers(
        single_record, record(parse_ranks, [row for row in ranked(lambda i, r: 1) if row["image_id"] == 5])
    )
    assert (result.measures["mrr"].value, result.measures["mrr"].low) == (1.0, None)


# Through the command.


@pytest.fixture
def files(tmp_path):
    """Good files; a test replaces one of them."""
    contents = {
        "visdial": dialogues(),
        "ranks": ranked(lambda i, r: 2),
        "scores": rows("scores", lambda i, r: [float(place) for place in range(100)]),
        "dense": DENSE,
    }
    for name, value in contents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    return tmp_path


def given(folder, *names):
    return [word for name in names for word in (f"--{name}", folder / f"{name}.json")]


def test_the_command_prints_json(files, called):
    status, out, err = called("answers", "rank", *given(files, "visdial", "ranks", "dense"), "--json")
    assert (status, err) == (0, "")
    printed = json.loads(out)
    assert list(printed["measures"]) == ["mr", "mrr", "recall@1", "recall@5", "recall@10", "ndcg"]
    assert printed["measures"]["mrr"] == {"value": 0.5, "low": 0.5, "high": 0.5, "n": 30}
    assert printed["signature"]["options"] == {"ties": "worst", "cutoff": "relevant"}


def test_the_command_prints_a_table_and_writes_the_run(files, called):
    out_folder = files / "run"
    status, out, _ = called("answers", "rank", *given(files, "visdial", "scores"), "-o", out_folder)
    assert status == 0
    assert "recall@10" in out
    stored = read_run(out_folder)
    assert stored.title == "answers rank"
    assert stored.items["rank"].to_list()[:3] == [100, 60, 1]


BAD_RELEVANCE = [{**DENSE[0], "gt_relevance": [1.5] + [0.0] * 99}, *DENSE[1:]]
SHORT = [{**DENSE[0], "gt_relevance": [0.5] * 99}, *DENSE[1:]]
NAN = rows("scores", lambda i, r: [float("nan") if (i, r) == (6, 4) else 0.5] * 100)
ELSEWHERE = [{**one, "image_id": 800 + one["image_id"]} for one in DENSE]
UNCLEAR = [{**one, "round_id": 3} for one in DENSE]
GOOD = ranked(lambda i, r: 2)
SHORT_OPTIONS = dialogues()
SHORT_OPTIONS["data"]["dialogs"][0]["dialog"][2]["answer_options"] = list(range(99))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        (
            "ranks",
            GOOD[1:],
            "rankings (--ranks): image 5, round 0 (counted from 0): found nothing, expected what the dialogues ask",
        ),
        ("ranks", GOOD[:-4], "rankings (--ranks): 4 problems\n  image 7, round 6 (counted from 0): found nothing"),
        (
            "ranks",
            [*GOOD, {**GOOD[0], "image_id": 8}],
            "image 8, round 0 (counted from 0): found this round, expected a round that the dialogues ask",
        ),
        ("ranks", [*GOOD, GOOD[0]], "image 5, round_id 1: found this round twice"),
        ("ranks", [{**GOOD[0], "ranks": [1] * 100}, *GOOD[1:]], "expected a permutation of 1 to 100"),
        ("ranks", [{**GOOD[0], "ranks": [*range(1, 100)]}, *GOOD[1:]], "found 99 numbers, expected 100, as most"),
        ("ranks", [{**each, "round_id": each["round_id"] - 1} for each in GOOD[5:]], "4 more of this kind"),
        ("scores", NAN, "image 6, round_id 5, field `scores[0]`: found nan, expected a finite number"),
        ("scores", [{**each, "scores": [0.5] * 101} for each in GOOD], "found 101 options per round, expected 100"),
        ("dense", BAD_RELEVANCE, "field `gt_relevance[0]`: found 1.5, expected float <= 1.0"),
        ("dense", SHORT, "field `gt_relevance`"),
        ("dense", UNCLEAR, "Give it as --round-base 0 or --round-base 1"),
        (
            "dense",
            [{**each, "image_id": 800 + each["image_id"]} for each in DENSE],
            "dense annotations (--dense): found no round of the dialogues",
        ),
        ("visdial", SHORT_OPTIONS, "image 5, round 2 (from 0), field `answer_options`: found 99 entries, expected 100"),
        ("visdial", dialogues("test2018", truth=False), None),
    ],
)
def test_bad_input_is_named_and_exits_with_2(name, value, text, files, called):
    (files / f"{name}.json").write_text(json.dumps(value))
    model = "scores" if name == "scores" else "ranks"
    status, out, err = called("answers", "rank", *given(files, "visdial", model, "dense"), "--strict")
    if text is None:
        assert (status, "only NDCG is measured" in err) == (0, True)
        return
    assert (status, out) == (2, "")
    assert err.startswith("voirdire: ")
    assert text in err


def test_a_given_base_is_taken_where_a_file_leaves_it_open(files, called):
    (files / "dense.json").write_text(json.dumps(UNCLEAR))
    arguments = [*given(files, "visdial", "ranks", "dense"), "--json"]
    for base, expected in ((0, 3), (1, 2)):
        out_folder = files / f"run{base}"
        status, _, _ = called("answers", "rank", *arguments, "--round-base", base, "-o", out_folder)
        assert status == 0
        items = read_run(out_folder).items
        assert items.filter(pl.col("ndcg").is_not_null())["round"].unique().to_list() == [expected]


@pytest.mark.parametrize(
    ("names", "more", "text"),
    [
        (("visdial",), (), "give either --ranks or --scores"),
        (("visdial", "ranks", "scores"), (), "give either --ranks or --scores"),
        (("visdial", "ranks"), ("--cutoff", "ten"), "--cutoff must be one of relevant, scored, got 'ten'"),
        (("visdial", "ranks"), ("--json", "--latex"), "exclude each other"),
    ],
)
def test_calls_that_cannot_be(names, more, text, files, called):
    status, _, err = called("answers", "rank", *given(files, *names), *more)
    assert status == 2
    assert text in err


def test_the_wrong_file_under_a_name(files, called):
    arguments = ["--visdial", files / "visdial.json", "--ranks", files / "dense.json"]
    status, _, err = called("answers", "rank", *arguments)
    assert status == 2
    assert "found dense annotations of VisDial (dense), expected VisDial rankings of a model (ranks)" in err
