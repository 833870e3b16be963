"""Tables 1 and 2 of effective-questions: rows in the paper's order, columns as printed, claims of won games tested."""

from dataclasses import replace

import numpy as np
import pytest
from question_games import AGAIN, WELL, game, given

from voirdire.questions.kinds import QuestionTexts, score_kinds
from voirdire.questions.plots_and_tables import kinds_table, score_claims, score_table
from voirdire.questions.score import score_questions
from voirdire.runs import Estimate
from voirdire.section.content import Model


def model(label, games=WELL, questions=None):
    run = score_questions(*games)
    if questions is not None:
        run = replace(run, measures=run.measures | {next(iter(run.measures)): Estimate(questions, None, None, 6)})
    return Model(label, f"1-{label}", run)


def texts(table):
    return [[cell if isinstance(cell, str) else cell.text for cell in row] for row in table.rows]


def test_games_of_most_questions_come_first_and_people_last():
    models = [model("people", questions=5.32), model("five", questions=5.0), model("eight", questions=8.0)]
    (table,) = score_table(models)
    assert [row[:2] for row in texts(table)] == [["eight", "8"], ["five", "5"], ["people", "5.3"]]


def test_the_columns_are_the_figures_of_the_run():
    (table,) = score_table([model("well")])
    assert table.columns[:4] == ("Model", "#Q", "TS", "Eff. all")
    assert table.columns[-2:] == ("TS if referring", "TS if not")
    (row,) = texts(table)
    # Five of six games are won; of three questions the second excludes nobody.
    assert row[:6] == ["well", "3", "83.3", "66.7", "66.7", "66.7"]


def test_claims_are_of_each_model_and_their_differences_those_of_the_table():
    played = given(
        *(game(["yyn", "ynn"], id_=id_, status="success") for id_ in range(1, 21)),
        *(game(["yyn", "yyn"], id_=id_, status="failure") for id_ in range(21, 41)),
        identity="table 00",
    )
    effective, referring = score_claims([model("a", played)], {}, 0)
    assert effective.says == "a: effectiveness, lost games above won ones"
    assert (effective.difference, referring.difference) == (pytest.approx(-0.5), pytest.approx(1.0))
    assert effective.p < 0.001
    assert referring.p < 0.001
    assert len(score_claims([model("well"), model("again", AGAIN)], {}, 0)) == 4


def test_a_model_that_wins_all_is_not_tested():
    played = given(*(game(["yyn"], id_=id_, status="success") for id_ in range(1, 4)), identity="table 00")
    assert score_claims([model("a", played)], {}, 0)[0].p is None


def test_types_of_questions_side_by_side():
    asked = QuestionTexts((1, 1), (1, 1), (1, 2), ("is it red?", "is it a cup?"), 2)
    (table,) = kinds_table([Model("BL", "1-bl", score_kinds(asked))])
    assert table.columns == ("type", "share: BL")
    assert dict(row for row in texts(table))["color"] == "50.00"
    assert np.isfinite([cell.value for _, cell in table.rows]).all()
