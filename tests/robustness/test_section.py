"""The section of robustness: figures are the runs', a difference within noise is not called one, items show answers."""

from dataclasses import replace

import msgspec
import pytest
from robustness_runs import COUNT, KINDS, annotated, below, everything, robust, said
from section_checks import cells, check_section, draw_charts, tables, texts

from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions
from voirdire.formats.vqa_results import VqaResult, VqaResults
from voirdire.metrics.key import Key
from voirdire.robustness.accuracy import score_vqa
from voirdire.robustness.exam import RScoreOptions
from voirdire.robustness.score import compare_rankers, score_accuracies, score_robustness
from voirdire.robustness.section import robustness_section
from voirdire.robustness.section_tables import accuracy_table
from voirdire.runs import Estimate
from voirdire.section.content import Model, SmallTable, Text
from voirdire.section.context import Context, ContextFile, evenly
from voirdire.stats import bootstrap


def test_short_answers_have_a_row_where_they_change_the_figure():
    wordy = VqaResults.from_rows(VqaResult(100 + at, "Yes, it is.") for at in range(COUNT))
    for results, definitions in (
        (wordy, {"official", "min(n/3, 1)", "short answers"}),
        (said(everything), {"official", "min(n/3, 1)"}),
    ):
        table = accuracy_table("accuracy", [Model("model", "m", score_vqa(annotated(), results))])
        assert {row[1] for row in table.rows} == definitions
        assert ("Short answers" in table.note) == (results is wordy)


@pytest.fixture(scope="module")
def models():
    noisy = [said(below(share)) for share in (0.7, 0.5, 0.3)]
    weak = robust(said(below(0.9)), noisy, said(below(0.2)))
    deaf = robust(said(below(0.5)), [said(below(0.5))] * 3, said(below(0.5)))
    return [Model("weak", "w", weak), Model("deaf", "d", deaf)]


def made(models, **questions):
    """The section of these models; of the questions by what a file says of its noise: clean, one, control1."""
    said = {"clean": "clean", "one": "1", "control1": "control1"}
    return robustness_section(models, Context(tuple(file(said[name], texts) for name, texts in questions.items())))


def file(partition, texts):
    rows = [VqaQuestion(id_, id_ // 2, text) for id_, text in texts.items()]
    return ContextFile(partition, "vqa_questions", VqaQuestions.from_rows(rows, {"info": {"partition": partition}}))


def sentences(section, label):
    return [finding.text for finding in section.findings if finding.label == label]


def test_figures_are_those_of_the_runs(models):
    section = made(models)
    assert check_section(section, models) > 60
    assert [(headline.label, headline.measure) for headline in section.headlines] == [
        (label, measure)
        for label in ("weak", "deaf")
        for measure in ("accuracy:partition1", "accuracy", "drop:partition1", "r_score")
    ]
    caveats = {(headline.label, headline.measure): headline.caveat for headline in section.headlines if headline.caveat}
    assert set(caveats) == {(label, name) for label in ("deaf", "weak") for name in ("drop:partition1", "r_score")}
    assert all("is not above the 100.0 % that the commonest answer" in text for text in caveats.values())
    assert ["it changes 0 of " in text for text in caveats.values()] == [False, False, True, True]
    by_name = tables(section)
    assert texts(by_name["robustness-scores"])[0][:6] == [
        "weak",
        "any, noise unknown",
        "90.00",
        "70.00",
        "20.00",
        "0.00",
    ]
    assert by_name["robustness-scores"].columns[-2:] == ("drop with random questions ↓", "p of a fall over partitions")


def ends(items, column, facet, kind):
    """The interval of a column's mean over the items of a type, images drawn as a whole."""
    held = items[facet] == kind
    found = bootstrap(column.filter(held), seed=0, clusters=items["image_id"].filter(held))
    return found.low, found.high


def test_the_table_of_a_model_has_types_and_conditions(models):
    table = tables(made(models))["robustness-partitions-w"]
    assert table.columns == ("questions", "other (%)", "number (%)", "yes/no (%)", "all (%)", "drop", "R_score")
    assert [row[0] for row in table.rows] == ["clean", "partition 1", "partition 2", "partition 3", "random"]
    items = models[0].run.items
    for row, condition in zip(table.rows[1:], ("partition1", "partition2", "partition3", "control"), strict=True):
        for cell, kind in zip(row[1:4], ("other", "number", "yes/no"), strict=True):
            mine = items.filter(items["answer_type"] == kind)[f"accuracy:{condition}"]
            assert cell.value == pytest.approx(sum(mine.to_list()) / len(mine))
            figure = models[0].run.measures[f"accuracy[{kind}]:{condition}"]
            assert (cell.low, cell.high) == (figure.low, figure.high)
            assert (cell.run, cell.measure) == ("w", f"accuracy[{kind}]:{condition}")
    assert table.rows[0][1].measure == "accuracy[other]"
    assert table.rows[0][5] == "–"


def test_a_fall_is_said_with_its_interval(models):
    drop, score = (models[0].run.measures[name] for name in ("drop:partition1", "r_score"))
    assert drop.low > 0
    section = made(models)
    found = sentences(section, "weak")
    assert found[0] == (
        f"Accuracy falls 20.0 points (95 % interval {drop.low:.1f} … {drop.high:.1f}) when three related questions are "
        f"added, from 90.0 % to 70.0 %; R_score 0.00 (95 % interval {score.low:.2f} … {score.high:.2f}) "
        "ranks nobody: its accuracy without noise, 90.0 %, is not above the 100.0 % that the commonest answer to each "
        "type of question gets."
    )
    assert found[1].startswith(
        "The less similar the added questions, the lower its accuracy: 70.0 % in partition 1, 30.0"
    )
    assert found[2].startswith("Random questions of the same length cost 70.0 points (95 % interval ")
    assert len(found) == 3
    assert [finding.tone for finding in section.findings if finding.label == "weak"] == ["bad", "bad", "plain"]


def test_what_is_within_noise_is_not_called_a_fall(models):
    assert sentences(made(models), "deaf") == [
        "Accuracy does not change beyond noise (95 % interval of the drop 0.0 … 0.0 points) when three related "
        "questions are added, from 50.0 % to 50.0 %; R_score 1.00 (95 % interval 1.00 … 1.00) ranks nobody: its "
        "accuracy without noise, 50.0 %, is not above the 100.0 % that the commonest answer to each type of question "
        "gets, and it changes 0 of 60 answers: it is robust, or does not read what is added.",
        "Random questions of the same length cost 0.0 points (95 % interval 0.0 … 0.0).",
    ]
    # A model that ignores noise is not praised for being robust.
    assert {finding.tone for finding in made(models).findings if finding.label == "deaf"} == {"plain"}
    # One question of 60 lost: it may well be chance.
    model = Model("one", "1", robust(said(everything), [said(lambda at: at != 7)]))
    assert model.run.measures["drop:partition1"].value > 0
    assert sentences(made([model]), "one")[0].startswith(
        "Accuracy does not change beyond noise (95 % interval of the drop "
    )


def test_types_are_told_apart_only_where_their_intervals_are():
    model = Model("m", "m", robust(said(everything), [said(lambda at: at % 3 > 0)]))
    whole, none = "100.0 (95 % interval 100.0 … 100.0)", "0.0 (95 % interval 0.0 … 0.0)"
    assert sentences(made([model]), "m")[1] in [
        f"Most points are lost on yes/no answers: {whole}; fewest on {kind} answers: {none}." for kind in KINDS[1:]
    ]
    level = Model("m", "m", robust(said(everything), [said(below(0.5))]))
    assert not any("Most points" in text for text in sentences(made([level]), "m"))


def test_a_rise_is_called_one():
    model = Model("up", "u", robust(said(below(0.2)), [said(below(0.8))]))
    (first, *_) = sentences(made([model]), "up")
    assert first.startswith("Accuracy rises 60.0 points (95 % interval ")


def test_one_image_has_no_interval_and_no_claim():
    run = score_robustness(annotated(images=1), said(everything), [said(below(0.5))])
    model = Model("one", "1", run)
    section = made([model])
    check_section(section, [model])
    assert sentences(section, "one")[0].startswith(
        "Accuracy changes by -50.0 points (no interval: too few images) when "
    )


def test_a_partition_that_reaches_few_is_not_set_against_all():
    few = said(below(0.5), only=lambda at: at < 20)
    model = Model("few", "f", robust(said(everything), [few], common=True))
    first = sentences(made([model]), "few")[0]
    assert "from 100.0 %" not in first
    assert first.startswith("Accuracy falls ")


def test_no_trend_is_said_as_none():
    shares = (0.5, 0.7, 0.6)
    model = Model("m", "m", robust(said(everything), [said(below(share)) for share in shares]))
    assert model.run.measures["trend_p"].value > 0.05
    found = [text for text in sentences(made([model]), "m") if "Page's test" in text]
    assert found[0].startswith("Its accuracy shows no fall over the partitions beyond chance: 50.0 % in partition 1,")


def test_a_question_shows_what_was_added_and_all_answers(models):
    clean = {100 + at: f"is it {at}?" for at in range(COUNT)}
    near = {id_: f"{text} is it big?" for id_, text in clean.items()}
    far = dict.fromkeys(clean, "is it cut")
    (drill,) = made(models, clean=clean, one=near, control1=far).drills
    assert drill.labels == ("weak", "deaf")
    assert drill.scores[:2] == ("accuracy", "accuracy:partition1")
    assert drill.note.startswith("60 questions. Behind → stands the answer with partition 1")
    items = list(drill.items)
    place = next(at for at in range(COUNT) if below(0.9)(at) and not below(0.7)(at))
    item = items[place]
    assert item.name == f"question {100 + place}"
    assert item.image == place // 2
    assert item.facets == (KINDS[place % 3], f"type {place % 2}", "weak")
    question, people, rows = item.blocks
    assert question == Text("question", f"is it {place}?")
    assert people == Text("people's answers", "yes × 9, no × 1")
    assert isinstance(rows, SmallTable)
    assert rows.columns == ("questions", "added", "weak", "deaf")
    assert rows.rows[0] == ("clean", "", "yes (100)", "who (0)")
    assert rows.rows[1] == ("partition 1", "is it big?", "who (0)", "who (0)")
    assert rows.rows[4][:2] == ("random", "is it cut")
    assert rows.rows[2][1] == ""
    assert 1 in rows.marked
    assert 0 not in rows.marked
    assert item.text.startswith(f"is it {place}? · ")
    assert item.outputs == ("yes → who", "who")
    assert {item.facets[2] for item in items} == {"weak", "no model"}


def test_scores_of_a_question_are_those_of_the_items(models):
    (drill,) = made(models).drills
    for place, item in enumerate(drill.items):
        for name, row in zip(drill.scores, item.scores, strict=True):
            assert list(row) == [model.run.items[name][place] for model in models]


def test_older_runs_without_texts_show_accuracies(models):
    texts_of = [name for name in models[0].run.items.columns if name.startswith("answer") and "type" not in name]
    old = replace(models[0], run=replace(models[0].run, items=models[0].run.items.drop(*texts_of, "humans")))
    section = made([old])
    check_section(section, [old])
    (rows,) = next(iter(section.drills[0].items)).blocks
    assert rows.columns == ("questions", "weak")
    assert rows.rows[0] == ("clean", "100")
    assert not any("changes" in text for text in sentences(section, "weak"))


def test_other_added_questions_are_another_group(models):
    other = Model("weak", "w2", robust(said(below(0.9)), [said(below(0.7))], dataset="yesno"))
    section = made([*models, other])
    check_section(section, [*models, other])
    by_name = tables(section)
    kinds = [row[1].partition(",")[0] for row in texts(by_name["robustness-scores"])]
    assert kinds == ["any", "any", "yes/no"]
    assert {"robustness-accuracy-data-1", "robustness-accuracy-data-2"} <= set(by_name)
    assert len(section.drills) == 2


def test_other_noise_is_another_group_and_cut_questions_are_marked(models):
    """One run says its noise; its first question was cut."""
    noise = {"partition": "1", "cut_questions": [100], "max_words": 26, "ranking": {"ranker": "bleu1"}}
    rows = [VqaQuestion(100 + at, at // 2, f"{at}? and") for at in range(COUNT)]
    known = VqaQuestions.from_rows(rows, {"info": noise})
    run = score_robustness(annotated(), said(below(0.9)), [said(below(0.7))], questions=[known])
    section = made([*models, Model("known", "k", run)])
    check_section(section, [*models, Model("known", "k", run)])
    by_name = tables(section)
    assert texts(by_name["robustness-scores"])[2][1] == "any, by bleu1"
    assert {"robustness-accuracy-data-1", "robustness-accuracy-data-2"} <= set(by_name)
    table = by_name["robustness-partitions-k"]
    assert table.columns[-1] == "cut (%)"
    assert [row[-1] for row in texts(table)] == ["–", "1.67"]
    first, second, *_ = section.drills[1].items
    answers = [next(block for block in item.blocks if isinstance(block, SmallTable)) for item in (first, second)]
    assert [answer.rows[1][0] for answer in answers] == ["partition 1, cut", "partition 1"]


def test_by_question_type(models):
    table = tables(made(models))["robustness-types"]
    assert [row[:2] for row in texts(table)] == [["type 0", "30"], ["type 1", "30"]]
    items = models[0].run.items
    clean, drop = table.rows[1][2:4]
    for cell, column in ((clean, items["accuracy"]), (drop, items["accuracy"] - items["accuracy:partition1"])):
        assert cell.value == pytest.approx(column.filter(items["question_type"] == "type 1").mean())
        assert (cell.low, cell.high) == pytest.approx(ends(items, column, "question_type", "type 1"))


def test_plain_accuracy():
    run = score_vqa(annotated(), said(below(0.5)))
    model = Model("m", "m", run)
    section = made([model])
    assert check_section(section, [model]) > 8
    by_name = tables(section)
    assert [row[:2] for row in texts(by_name["robustness-plain"])] == [["m", "official"], ["m", "min(n/3, 1)"]]
    assert {row[0].text if hasattr(row[0], "text") else row[0] for row in by_name["robustness-plain-types"].rows} == {
        "type 0",
        "type 1",
    }
    assert sentences(section, "m")[0].startswith("It answers with accuracy 50.0 % (95 % interval ")
    (drill,) = section.drills
    assert drill.facets == ("answer type", "question type")
    assert drill.scores == ("accuracy",)


def test_rankers():
    falling = [said(below(share)) for share in (0.9, 0.5, 0.2)]
    level = [said(below(0.5))] * 2 + [said(lambda at: at % 2 == 0)]
    run = compare_rankers(annotated(), {"lasso": falling, "bleu1": level}, said(everything))
    model = Model("m", "m", run)
    section = made([model])
    assert check_section(section, [model]) > 15
    table = texts(tables(section)["robustness-rankers-m"])
    assert [row[0] for row in table] == ["lasso", "bleu1"]
    (text,) = sentences(section, "m")
    assert text.startswith("Page's test finds that accuracy falls over the partitions under lasso (p = ")
    assert text.endswith(", not beyond chance under bleu1; p after Holm's correction.")
    assert not section.drills
    figures = run.measures | {Key.parse("trend_p[lasso]:holm"): Estimate(0.4, None, None, COUNT)}
    none = sentences(made([replace(model, run=replace(run, measures=figures))]), "m")
    assert none == [
        "Page's test finds no fall of accuracy over the partitions under any ranker; p after Holm's correction."
    ]


def test_published_accuracies_are_shown_plainly():
    model = Model("LQI", "p", score_accuracies(RScoreOptions(57.0, 48.0)))
    section = made([model])
    assert check_section(section, [model]) == 4
    assert texts(tables(section)["robustness-p"])[2][:2] == ["drop", "9.0000"]


def test_no_run_makes_an_empty_section():
    section = made([])
    assert (cells(section), list(section.findings), list(section.drills)) == ([], [], [])


def test_charts_can_be_drawn(models):
    rankers = compare_rankers(annotated(), {"lasso": [said(below(share)) for share in (0.9, 0.5, 0.2)]})
    assert draw_charts(made([*models, Model("m", "m", rankers)])) == 4


def test_a_drill_has_a_limit():
    assert evenly(range(5), 5) == [0, 1, 2, 3, 4]
    assert evenly(range(10), 4) == [0, 2, 5, 7]
    assert evenly([], 3) == []


def test_a_question_type_may_be_called_as_an_answer_type_is():
    other = {"type 0": "number", "type 1": "type 1"}
    rows = [
        msgspec.structs.replace(row, question_type=other[row.question_type], answer_type="yes/no")
        for row in annotated().rows()
    ]
    model = Model("m", "m", score_vqa(VqaAnnotations.from_rows(rows), said(below(0.5))))
    section = made([model])
    check_section(section, [model])
    assert [row[0] for row in texts(tables(section)["robustness-plain-types"])] == ["number", "type 1"]
    assert all(cell.measure for row in tables(section)["robustness-plain-types"].rows for cell in row[2:])
