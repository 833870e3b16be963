"""The section of exam 3 on small runs: every figure is the run's, and every game is told as it was played."""

import numpy as np
import pytest
from question_games import AGAIN, FIGURE, FIGURE_ANSWERS, WELL, GivenAnswers, game, given, twenty
from section_checks import cells, check_section, draw_charts, tables, texts

from voirdire.formats.oracle_answers import ObjectAnswers, OracleAnswers
from voirdire.formats.record import Rows
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.kinds import QuestionTexts, own_lexicon, score_kinds
from voirdire.questions.oracle_accuracy import score_agreement, score_oracle
from voirdire.questions.score import score_questions
from voirdire.questions.section import questions_section
from voirdire.section.content import Boxes, Cell, Grid, Model, Section, SmallTable, Text
from voirdire.section.context import Context, ContextFile

WORDS = ("is it red?", "is it on the left?", "is it a cup?", "is it red?")


class Wrong:
    """An oracle that says yes to everything."""

    identity = "yes"

    def answer(self, games, progress=None):
        return [ObjectAnswers(game.id, np.zeros((len(game.qas), len(game.objects)), np.int8)) for game in games]


def beside(*games) -> Context:
    """The context that a file of these games gives."""
    return Context((ContextFile("games.jsonl", "guesswhat", Rows(games)),))


@pytest.fixture(scope="module")
def models() -> list[Model]:
    asked = QuestionTexts((1, 1, 2, 2), (1, 1, 2, 2), (1, 2, 1, 2), WORDS, 2)
    record = OracleAnswers(
        np.array([1, 1, 2, 2, 3]),
        np.array([0, 1, 0, 1, 0]),
        np.arange(5),
        np.array([0, 1, 0, 2, 1], np.int8),
        ("blind", "keen"),
        np.array([[0, 0], [0, 1], [0, 0], [0, 2], [0, 1]], np.int8),
    )
    return [
        Model("keen", "keen-score", score_questions(*WELL)),
        Model("dull", "dull-score", score_questions(*AGAIN)),
        Model("keen", "keen-kinds", score_kinds(asked, against=own_lexicon())),
        Model("yes", "yes-oracle", score_oracle(WELL[0], Wrong())),
        Model("file", "file-agreement", score_agreement(record)),
    ]


@pytest.fixture(scope="module")
def section(models: list[Model]) -> Section:
    return questions_section(models, beside(*WELL[0]))


def test_every_figure_is_the_runs(section: Section, models: list[Model]) -> None:
    known = check_section(section, models)
    assert known == sum(cell.value is not None or bool(cell.measure) for cell in cells(section))
    assert {cell.run for cell in cells(section) if cell.measure} == {model.key for model in models}


def test_charts_can_be_drawn(section: Section) -> None:
    assert draw_charts(section) == 6


def test_table_1_has_the_papers_columns(section: Section) -> None:
    table = tables(section)["questions-table-1"]
    assert table.columns[1:] == (
        *("#Q", "TS", "effectiveness, all", "failure", "success", "last turn, effective", "last turn, referring"),
    )
    # The well played games: the first question excludes the last object, the second nobody more, the third another.
    assert texts(table) == [
        ["keen", "3.00", "83.33", "66.67", "66.67", "66.67", "100.00", "100.00"],
        ["dull", "3.00", "16.67", "33.33", "33.33", "33.33", "0.00", "0.00"],
    ]


def test_by_turn(section: Section) -> None:
    rows = tables(section)["questions-by-turn"].rows
    assert [(row[0], row[1], row[2].value) for row in rows if isinstance(row[2], Cell)] == [
        ("keen", "1", 1.0),
        ("dull", "1", 1.0),
        ("keen", "2", 0.0),
        ("dull", "2", 0.0),
        ("keen", "3", 1.0),
        ("dull", "3", 0.0),
    ]


def test_types_and_oracles(section: Section) -> None:
    by_name = tables(section)
    types = by_name["questions-types"]
    assert types.columns == ("type", "accuracy: yes", "share: keen")
    by_type = {row[0]: row[2].text for row in types.rows if isinstance(row[2], Cell)}
    assert (by_type["color"], by_type["location"], by_type["object"]) == ("50.00", "25.00", "25.00")
    assert "questions-lexicons-keen-kinds" in by_name
    (oracle,) = by_name["questions-oracle"].rows
    # Of each game the first and the third answer are yes.
    assert [cell.text for cell in oracle if isinstance(cell, Cell)] == ["66.67", "66.67"]
    assert [row[0] for row in by_name["questions-agreement"].rows] == ["blind", "keen"]


def test_findings_say_what_the_runs_say(section: Section) -> None:
    dull = {finding.text for finding in section.findings if finding.label == "dull"}
    assert dull == {
        "Of a game's questions 33.3 % (95 % interval 33.3 … 33.3) exclude a candidate; the right object is guessed in "
        "16.7 % of the games.",
        "The share of effective questions falls from 100.0 % at turn 1 to 0.0 % at turn 3.",
        "The last question is true of the target alone in 0.0 % (95 % interval 0.0 … 0.0) of the games.",
    }
    keen = [finding.text for finding in section.findings if finding.label == "keen"]
    assert (
        "The share of effective questions is 100.0 % at turn 1, 0.0 % at the lowest, turn 2, and 100.0 % at turn 3."
        in keen
    )
    (kinds,) = [text for text in keen if text.startswith("What is asked")]
    assert kinds.startswith("What is asked about most is colour: 50.0 %")
    assert "so near (25.0 %) that it may be as frequent" in kinds
    (agreed,) = [finding.text for finding in section.findings if finding.label == "file"]
    assert (
        agreed
        == "The oracle keen gives the human answer to 100.0 % (95 % interval 100.0 … 100.0) of the questions, "
        + ("blind to 40.0 %.")
    )


def test_a_level_curve_is_told_as_one() -> None:
    run = score_questions(*given(*(game(["yyn", "ynn"], id_=id_, status="success") for id_ in range(1, 7))))
    model = [finding.text for finding in questions_section([Model("level", "level", run)], Context()).findings]
    assert "No clear change by turn: 100.0 % at turn 1 and 100.0 % at turn 2 of the questions are effective." in model


def test_a_difference_within_noise_is_not_called_one() -> None:
    pairs = [game(["ynn"], id_=id_, status="success" if id_ % 3 else "failure") for id_ in range(1, 10)]
    pairs += [game(["yyn"], id_=id_, status="success" if id_ % 2 else "failure") for id_ in range(10, 19)]
    section = questions_section([Model("one", "one", score_questions(*given(*pairs)))], Context())
    (last,) = [finding.text for finding in section.findings if finding.text.startswith("The last question")]
    assert "then 66.7 % are won, otherwise 44.4 % (the intervals overlap, so this may be chance)" in last


def test_games_are_told_turn_by_turn(section: Section) -> None:
    drill = next(drill for drill in section.drills if drill.name == "questions-games")
    items = list(drill.items)
    assert len(items) == len(drill.items) == 6
    first = items[0]
    assert first.name == "game 1, image 1"
    assert first.image == 1
    assert dict(zip(drill.facets, first.facets, strict=True)) == {
        "objects": "3",
        "won": "keen",
        "last question refers to the target": "keen",
    }
    assert dict(zip(drill.scores, first.scores, strict=True)) == {
        "effectiveness": (2 / 3, 1 / 3),
        "questions": (3.0, 3.0),
        "success": (1.0, 0.0),
        "last_referring": (1.0, 0.0),
    }
    boxes, objects, target, keen, dull = first.blocks
    assert isinstance(boxes, Boxes)
    assert [(name, target) for *_, name, target in boxes.boxes] == [
        *(("cup 100", True), ("cup 101", False), ("cup 102", False)),
    ]
    assert all(x >= 0 and x + wide <= boxes.size[0] for x, _, wide, *_ in boxes.boxes)
    assert first.outputs == ("success, 3 questions", "failure, 3 questions")
    assert objects == Text("objects", "cup 100, cup 101, cup 102")
    assert target == Text("target", "cup 100")
    assert isinstance(keen, SmallTable)
    assert keen.label == "keen asks, the oracle answers: 3 questions, success"
    assert keen.rows == (
        ("1", "question 0?", "yes", "1", "yes", "–"),
        ("2", "question 1?", "no", "1", "no", "cup 102"),
        ("3", "question 2?", "yes", "0", "yes", "the target"),
    )
    assert keen.marked == (1,)
    assert isinstance(dull, SmallTable)
    assert dull.marked == (1, 2)
    assert "question 2?" in first.text


def test_a_context_of_other_images_names_nothing() -> None:
    other = game(["yn"], id_=1, image=99)[0]
    run = score_questions(*given(game(["nny"], id_=1)))
    (drill,) = questions_section([Model("one", "one", run)], beside(other)).drills
    (item,) = drill.items
    (rows,) = item.blocks
    assert isinstance(rows, SmallTable)
    assert rows.rows[0][-1] == "object 102"


def test_the_answer_that_decided_is_shown() -> None:
    pair = game(["yyn", "ynn"], recorded="yn")
    for answers, shown in (("oracle", "yes (recorded: no)"), ("recorded", "no (oracle: yes)")):
        run = score_questions(*given(pair), options=ScoreQuestionsOptions(answers=answers))
        (drill,) = questions_section([Model("one", "one", run)], Context()).drills
        (item,) = drill.items
        (rows,) = item.blocks
        assert isinstance(rows, SmallTable)
        assert [row[2] for row in rows.rows] == ["yes", shown]


def test_figure_1_of_the_paper() -> None:
    run = score_questions([FIGURE], GivenAnswers([ObjectAnswers(7, FIGURE_ANSWERS)]))
    section = questions_section([Model("people", "people", run)], beside(FIGURE))
    check_section(section, [Model("people", "people", run)])
    (item,) = section.drills[0].items
    rows = next(block for block in item.blocks if isinstance(block, SmallTable))
    assert [row[3:] for row in rows.rows] == [
        ("6", "yes", "–"),
        ("5", "yes", "cow 21"),
        ("3", "yes", "–"),
        ("0", "yes", "–"),
        ("0", "no", "the target"),
    ]
    # One game has no interval, and no change is told without one.
    assert not any("by turn" in finding.text for finding in section.findings)


def test_games_without_a_question_or_an_image() -> None:
    silent = score_questions(*given(game([], status=None, objects=3), game(["yn"], id_=2)))
    (drill,) = questions_section([Model("one", "one", silent)], Context()).drills
    first, _ = drill.items
    assert first.facets == ("3", "no", "no")
    assert first.scores == ((None,), (0.0,), (None,), (None,))
    label = "one asks, the oracle answers: 0 questions, outcome unknown"
    assert first.blocks == (SmallTable(label, drill_columns(drill), ()),)
    guessed = score_questions([twenty(["yyn", "ynn"])])
    (drill,) = questions_section([Model("one", "one", guessed)], Context()).drills
    (item,) = drill.items
    assert (item.name, item.image) == ("game 1", None)
    assert not any(isinstance(block, Grid) for block in item.blocks)


def drill_columns(drill) -> tuple[str, ...]:
    return next(block.columns for item in drill.items for block in item.blocks if isinstance(block, SmallTable))


def test_games_that_one_model_did_not_play() -> None:
    first = score_questions(*given(game(["yn"], id_=1), game(["yn"], id_=2)))
    second = score_questions(*given(game(["yn"], id_=2)))
    (drill,) = questions_section([Model("a", "a", first), Model("b", "b", second)], Context()).drills
    one, both = drill.items
    assert one.scores[0] == (1.0, None)
    assert one.facets[1] == "a"
    assert both.facets[1] == "every model"
    assert [block.label for block in both.blocks if isinstance(block, SmallTable)] == [
        "a asks, the oracle answers: 1 question, success",
        "b asks, the oracle answers: 1 question, success",
    ]


def test_different_questions_are_counted_once(section: Section) -> None:
    drill = next(drill for drill in section.drills if drill.name == "questions-type-items")
    items = {item.name: item for item in drill.items}
    assert list(items) == ["is it red?", "is it on the left?", "is it a cup?"]
    assert items["is it red?"].scores == ((2.0,),)
    assert items["is it red?"].facets == ("color",)


def test_wrong_answers_of_an_oracle_are_marked(section: Section) -> None:
    drill = next(drill for drill in section.drills if drill.name == "questions-oracle-items")
    items = list(drill.items)
    assert len(items) == 18
    assert [item.scores for item in items[:3]] == [((1.0,),), ((0.0,),), ((1.0,),)]
    said = items[1].blocks[-1]
    assert said == SmallTable("oracles", ("oracle", "answer", "right"), (("yes", "yes", "no"),), (0,))
