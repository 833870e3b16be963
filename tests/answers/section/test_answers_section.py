"""The section of answers: its figures are the runs', its sentences say what was planted, its rounds hold the texts."""

import json
from dataclasses import replace

import numpy as np
import pytest
from section_checks import check_section, draw_charts, tables, texts

from voirdire.answers.audit import audit
from voirdire.answers.exam import BoundOptions, ScoreAnswersOptions
from voirdire.answers.humans import judge_sets
from voirdire.answers.overlap import overlap
from voirdire.answers.rank import rank_answers
from voirdire.answers.score import score_answers, score_bounds
from voirdire.answers.section import answers_section
from voirdire.formats.files import Source
from voirdire.formats.generations import parse_generations
from voirdire.formats.option_numbers import parse_dense, parse_ranks
from voirdire.formats.references import parse_references
from voirdire.formats.selections import parse_selections
from voirdire.formats.visdial import parse_visdial
from voirdire.metrics.key import Key
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.section.content import Lines, Model, Reference, SmallTable, Text
from voirdire.section.context import Context, ContextFile

TRUTH = 3
IMAGES = (5, 6, 7)
WORDS = ("cider", "rouge")


class Letters:
    """An encoder whose vector counts letters a to d."""

    name, dimension, signature = "letters", 4, "letters-1"

    def encode(self, given):
        return np.array([[text.count(letter) + 1 for letter in "abcd"] for text in given], np.float32)


def record(parse, value, name="f.json"):
    return parse(Source(name, json.dumps(value).encode()))


def visdial():
    """Three dialogues of ten rounds; question and true answer of round r are number r of their pools."""
    dialogs = [
        {
            "image_id": image,
            "caption": f"a scene {image}",
            "dialog": [
                {
                    "question": number,
                    "answer": number,
                    "gt_index": TRUTH,
                    "answer_options": [*range(10, 10 + TRUTH), number, *range(10 + TRUTH, 109)],
                }
                for number in range(10)
            ],
        }
        for image in IMAGES
    ]
    answers = [f"answer {place}" for place in range(110)]
    pools = {"questions": [f"question {place}" for place in range(10)], "answers": answers}
    return record(parse_visdial, {"version": "1.0", "split": "val2018", "data": {**pools, "dialogs": dialogs}})


def sets(members=2):
    rows = [
        {
            "image_id": image,
            "round_id": number,
            "in_cluster_idxs": [int(place < members) for place in range(100)],
            "refs": [f"answer {number}", "a cat", "a dog"][:members],
            "question": f"question {number}",
            "gt_answer": f"answer {number}",
        }
        for image in IMAGES
        for number in range(10)
    ]
    return record(parse_references, rows)


def said(answers):
    """The same answers in each round, but for {n}, which is the number of the round."""
    rows = [
        {
            "image_id": image,
            "round_id": number,
            "generations": [answer.replace("{n}", str(number)) for answer in answers],
        }
        for image in IMAGES
        for number in range(10)
    ]
    return record(parse_generations, rows)


def ranks():
    """Of image 5 round r has the truth at rank r + 1, of image 6 at rank 10 r + 1, of image 7 first."""
    rows = []
    for image, step in zip(IMAGES, (1, 10, 0), strict=True):
        for number in range(10):
            order = [rank for rank in range(1, 101) if rank != step * number + 1]
            order.insert(TRUTH, step * number + 1)
            rows.append({"image_id": image, "round_id": number + 1, "ranks": order})
    return record(parse_ranks, rows)


def relevance():
    values = [0.0] * 100
    values[50] = 0.8
    return record(parse_dense, [{"image_id": 5, "round_id": number, "gt_relevance": values} for number in (1, 10)])


def scored(answers, members=2, encoders=()):
    families = (*WORDS, "distance") if encoders else WORDS
    return score_answers(said(answers), sets(members), ScoreAnswersOptions(measures=families), encoders)


@pytest.fixture(scope="module")
def models():
    good = scored(["Answer {n}", "a cat"], encoders=[Letters()])
    return [Model("good", "good", good), Model("dull", "dull", scored(["a bird"], encoders=[Letters()]))]


def made(models, *dialogues):
    return answers_section(models, Context(tuple(ContextFile("v.json", "visdial", dialogue) for dialogue in dialogues)))


def sentences(section, label):
    return [finding.text for finding in section.findings if finding.label == label]


@pytest.mark.slow
def test_figures_are_those_of_the_runs(models):
    section = made(models)
    assert check_section(section, models) > 60
    assert section.exam == "answers"
    assert {each.measure for each in section.headlines} == {"cider4", "cosine[letters]"}
    table = tables(section)["answers-similarity"]
    assert table.columns[:2] == ("model", "CIDEr-1 ↑")
    assert "L2 distance (letters) ↓" in table.columns
    assert [row[0] for row in table.rows] == ["good", "dull"]
    assert table.rows[0][-1] == "30"


def test_several_answers_a_round_have_their_table_and_charts(models):
    page_tables = tables(made(models))
    table = page_tables["answers-generations"]
    assert [row[:2] for row in texts(table)] == [
        [f"good, k = {k}", words] for k in (1, 2) for words in ("mean", "std over rounds", "best of a round")
    ]
    varied = page_tables["answers-diversity"]
    assert varied.columns[:4] == ("model", "distinct-1", "distinct-2", "self-BLEU-1")
    assert [row[0] for row in texts(varied)] == ["good, k = 2"]
    assert {each for each in page_tables["answers-similarity"].columns if "distinct" in each or "self" in each} == set()
    points = page_tables["answers-k-1"]
    assert [row[:2] for row in texts(points)] == [
        [f"good, {words}", k] for words in ("mean", "best") for k in ("1", "2")
    ]
    each = made([models[1]])
    assert "answers-generations" not in tables(each)
    assert {"answers-k-1", "answers-diversity"}.isdisjoint(tables(each))


def test_what_was_planted_is_said(models):
    section = made(models)
    good, dull = sentences(section, "good"), sentences(section, "dull")
    valid = "(95 % interval {0} … {0}) of its first answers are, word for word, among the valid ones; CIDEr-4 "
    assert good[0].startswith("100.0 % " + valid.format("100.0"))
    assert dull[0].startswith("0.0 % " + valid.format("0.0"))
    assert good[1].startswith("Of 2 answers per round the best has CIDEr-4 ")
    assert len(good) == 2
    assert dull[1:] == ["It gives one answer, “a bird”, in 100.0 % of 30 rounds."]
    assert [row[:6] for row in texts(tables(section)["answers-texts"])] == [
        ["good", "100.0", "10", "answer 0", "10.0", "2.0"],
        ["dull", "0.0", "1", "a bird", "100.0", "2.0"],
    ]


def test_empty_answers_are_counted():
    run = score_answers(said(["", "a cat"]), sets(), ScoreAnswersOptions(measures=WORDS))
    section = made([Model("m", "m", run)])
    assert "30 of its 60 answers have no text." in sentences(section, "m")
    assert texts(tables(section)["answers-texts"])[0][-1] == "30"


def test_bounds_stand_below_the_models_of_the_same_sets(models):
    bound = Model("sets", "sets", score_bounds(sets(), BoundOptions(measures=(*WORDS, "distance")), [Letters()]))
    every = [*models, bound]
    section = made(every)
    assert check_section(section, every) > 90
    table = tables(section)["answers-similarity"]
    assert [row[0] for row in table.rows][2:] == [
        "ground truth (A_gt)",
        "valid answers, mean (Γ)",
        "valid answers, best (Γ)",
    ]
    reached = bound.run.measures["cider4[gamma]"].value
    assert f", where the valid answers themselves reach {reached:.3f}." in sentences(section, "good")[0]
    alone = made([bound])
    assert check_section(alone, [bound]) > 20
    assert not alone.drills
    assert [each.measure for each in alone.headlines] == ["cider4[gamma]"]


def test_runs_against_other_sets_have_tables_of_their_own(models):
    other = Model("other sets", "other", scored(["a cat"], members=3))
    section = made([*models, other])
    check_section(section, [*models, other])
    page_tables = tables(section)
    assert [row[0] for row in page_tables["answers-similarity-2"].rows] == ["other sets"]
    assert [drill.name for drill in section.drills] == ["answers-rounds-1", "answers-rounds-2"]
    assert "30 sets of 3.00 answers on average (file" in page_tables["answers-similarity-2"].note


def test_a_round_shows_dialogue_references_and_both_answers(models):
    section = made(models, visdial())
    (drill,) = section.drills
    assert drill.labels == ("good", "dull")
    assert drill.facets == ("round", "references")
    item = list(drill.items)[14]
    assert item.name == "image 6, round 4"
    assert item.image == 6
    assert item.facets == ("4", "2 to 5")
    assert item.blocks == (
        Reference("6", 4),
        Lines("references", ("answer 4", "a cat")),
        Lines("good", ("Answer 4", "a cat")),
        Text("dull", "a bird"),
    )
    alone = list(made(models).drills[0].items)[14]
    assert alone.blocks == (Text("question", "question 4"), *item.blocks[1:])
    assert item.text == "question 4 · a cat"
    assert item.outputs == ("Answer 4", "a bird")
    caption, rounds = drill.shared["6"]
    assert caption == Text("caption", "a scene 6")
    assert isinstance(rounds, SmallTable)
    assert rounds.rows[4] == ("4", "question 4", "answer 4")


def test_scores_of_a_round_are_those_of_the_items(models):
    (drill,) = made(models).drills
    for place, item in enumerate(drill.items):
        for name, row in zip(drill.scores, item.scores, strict=True):
            assert list(row) == [model.run.items[name][place] for model in models]


def test_a_dialogue_that_asks_something_else_is_not_shown(models):
    other = visdial()
    (drill,) = made(models, (replace(other, questions=[f"why {at}" for at in range(10)]))).drills
    assert not drill.shared
    assert all(not isinstance(block, Reference) for item in drill.items for block in item.blocks)


def test_older_runs_without_texts_show_ids_and_scores(models):
    old = [
        replace(each, run=replace(each.run, items=each.run.items.drop("question", "answers", "references")))
        for each in models
    ]
    section = made(old, visdial())
    check_section(section, old)
    (drill,) = section.drills
    assert drill.facets == ("round",)
    first = next(iter(drill.items))
    assert first.blocks == (Reference("5", 0),)
    assert first.text == "question 0"
    assert next(iter(made(old).drills[0].items)).blocks == ()


def test_rounds_that_only_one_model_has_are_there_once(models):
    half = replace(models[1], run=replace(models[1].run, items=models[1].run.items.tail(5)))
    (drill,) = made([half, models[0]]).drills
    items = list(drill.items)
    assert len({item.name for item in items}) == len(items) == 30
    assert items[0].name == "image 7, round 5"
    assert items[-1].scores[0][0] is None
    assert items[-1].scores[0][1] is not None


def test_ranks_of_the_truth():
    ranked = Model("m", "rank", rank_answers(visdial(), ranks(), dense=relevance()))
    audited = Model("m", "audit", audit(visdial(), relevance(), ranks()))
    section = made([ranked, audited], visdial())
    check_section(section, [ranked, audited])
    # Of 30 rounds 12 have the truth first, and 9 of image 6 have it beyond the tenth place.
    assert sentences(section, "m")[0].startswith("It ranks the true answer first in 40.0 % (95 % interval ")
    assert "beyond the tenth place in 30.0 %" in sentences(section, "m")[0]
    assert "; by people's relevance its rankings have NDCG " in sentences(section, "m")[0]
    # One image is annotated, so there is no interval.
    odd = "People hold the ground truth to be irrelevant in 100.0 % of the annotated rounds; in 100.0 % no candidate "
    assert sentences(section, "m")[1] == f"{odd}is fully relevant."
    distribution = {row[1]: row[2].value for row in tables(section)["answers-ranks-data"].rows}
    assert distribution["1"] == pytest.approx(0.4)
    assert distribution["11–20"] == pytest.approx(1 / 30)
    assert sum(distribution.values()) == pytest.approx(1)
    for (name, figure), shown in zip(
        audited.run.measures.of("gt_rank").items(),
        distribution.values(),
        strict=True,
    ):
        assert figure.value == shown, name
    (drill,) = section.drills
    assert drill.scores == ("rank", "ndcg")
    assert drill.labels == ("m",)
    item = list(drill.items)[13]
    assert (item.name, item.scores[0], item.text) == ("image 6, round 3", (31,), "question 3")
    assert item.blocks == (Reference("6", 3),)


def test_an_audit_alone_has_the_distribution_with_its_measures():
    audited = Model("m", "audit", audit(visdial(), None, ranks()))
    section = made([audited])
    assert check_section(section, [audited]) == 19
    assert list(tables(section)) == ["answers-ranks-data"]
    assert [each.measure for each in section.headlines] == ["gt_rank[1]"]


def test_a_run_without_measures_still_has_its_rounds():
    run = score_answers(said(["a cat"]), sets(), ScoreAnswersOptions(measures=()))
    section = made([Model("m", "m", run)])
    check_section(section, [Model("m", "m", run)])
    assert len(section.drills[0].items) == 30


def test_overlap_and_judges():
    shared = Model("S", "overlap", overlap(sets(2), sets(3)))
    csv = "image_id,round_id,set,judge,candidate,selected\n5,1,H,j0,c0,1\n5,1,H,j1,c0,1\n6,1,H,j0,c0,0\n6,1,H,j1,c0,1\n"
    judged = Model("AMT", "humans", judge_sets(parse_selections(Source("f.csv", csv.encode()))))
    section = made([shared, judged])
    assert check_section(section, [shared, judged]) > 9
    page_tables = tables(section)
    assert texts(page_tables["answers-overlap"])[0][:4] == ["S", "66.67 (0.00)", "100.00 (0.00)", "66.67 (0.00)"]
    assert texts(page_tables["answers-humans"])[0][:2] == ["AMT, H", "75.00"]
    assert sentences(section, "S") == [
        "Of the answers in these sets 100.0 % (95 % interval 100.0 … 100.0) are in the sets that they are judged by, "
        "and of those 66.7 % (95 % interval 66.7 … 66.7) are found."
    ]
    assert sentences(section, "AMT")[0].startswith("Judges keep 75.0 % ")


def test_a_part_of_another_name_is_shown_plainly():
    import polars as pl

    figures = Measures({Key("speed"): Estimate(2.0, 1.0, 3.0, 4)})
    model = Model("m", "k", Run("answers", {}, pl.DataFrame(), figures, Signature("0"), part="later"))
    section = made([model])
    assert check_section(section, [model]) == 1
    assert texts(tables(section)["answers-k"]) == [["speed", "2.0000", "1.0000 … 3.0000", "4"]]


def test_no_run_makes_an_empty_section():
    section = made([])
    assert (list(section.contents), list(section.findings), list(section.drills)) == ([], [], [])


@pytest.mark.slow
def test_charts_can_be_drawn(models):
    ranked = Model("m", "rank", rank_answers(visdial(), ranks()))
    shared = Model("S", "overlap", overlap(sets(2), sets(3)))
    assert draw_charts(made([*models, ranked, shared])) == 8
