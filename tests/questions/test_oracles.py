"""The oracle from a file: complete, incomplete, of other games; and who is known as an oracle."""

import json

import pytest
from answer_lines import lines_of
from question_games import FIGURE, FIGURE_ANSWERS, game

from voirdire.errors import InputError, UsageError
from voirdire.formats.files import write_lines
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.oracles import ORACLES, make_oracle
from voirdire.questions.score import score_questions


def written(path, *pairs):
    write_lines([line for one, answers in pairs for line in lines_of(one, answers)], path)
    return path


def test_answers_come_in_the_order_of_games_questions_and_objects(tmp_path):
    other = game(["yna", "nya"], id_=3)
    path = written(tmp_path / "o.jsonl", (FIGURE, ObjectAnswers(7, FIGURE_ANSWERS)), other)
    oracle = make_oracle(f"table:{path}")
    assert oracle.name == f"table:{path}"
    results = []
    answered = oracle.answer([other[0], FIGURE], lambda done, total: results.append((done, total)))
    assert answered == [other[1], ObjectAnswers(7, FIGURE_ANSWERS)]
    assert results == [(2, 2)]
    assert oracle.answer([]) == []


def test_the_identity_is_that_of_the_content(tmp_path):
    first = written(tmp_path / "a.jsonl.gz", game(["yn"]))
    second = written(tmp_path / "b.jsonl", game(["yn"]))
    third = written(tmp_path / "c.jsonl", game(["yy"]))
    ids = [make_oracle(f"table:{path}").identity for path in (first, second, third)]
    assert ids[0] == ids[1] != ids[2]
    assert ids[0].startswith("table ")


def test_more_than_is_asked_is_passed_over(tmp_path):
    path = tmp_path / "o.jsonl"
    only_game, answers = game(["yn"])
    lines = [
        {"game_id": 1, "question": 0, "answers": {"999": "n/a", "101": "no", "100": "yes"}},
        {"game_id": 1, "question": 5, "answers": {}},
        {"game_id": 2, "question": 0, "answers": {"1": "no"}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert make_oracle(f"table:{path}").answer([only_game]) == [answers]


def test_what_is_missing_is_listed(tmp_path):
    only_game, answers = game(["yn", "ny", "yy"])
    lines = list(lines_of(only_game, answers))
    del lines[1].answers[101]
    path = tmp_path / "o.jsonl"
    write_lines(lines[:2], path)
    with pytest.raises(InputError) as caught:
        make_oracle(f"table:{path}").answer([only_game])
    message = str(caught.value)
    assert "o.jsonl: 2 problems" in message
    assert "game 1, question 1, field `answers`: found no answer for object 101" in message
    assert "game 1, question 2: found no line, expected answers for its 2 objects" in message


def test_the_names_of_oracles():
    assert {"table", "scenes"} <= set(ORACLES.names())
    with pytest.raises(UsageError, match=r"there is no oracle 'delphi'; there are: .*table"):
        make_oracle("delphi")
    with pytest.raises(UsageError, match="needs a file"):
        make_oracle("table")
    with pytest.raises(InputError, match="no such file"):
        make_oracle("table:nothing.jsonl")


def test_a_table_may_be_a_sample_of_the_games(tmp_path):
    known, answers = game(["yn", "ny"], id_=1)
    other, beyond = (game(["yn"], id_=number)[0] for number in (2, 3))
    silent = game([], id_=4)[0]
    path = written(tmp_path / "o.jsonl", (known, answers))
    run = score_questions([other, known, beyond, silent], f"table:{path}")
    assert run.items["game_id"].unique().sort().to_list() == [1, 4]
    assert (run.coverage.asked, run.coverage.answered, run.coverage.beyond) == (2, 2, 2)
    message = "The answers of the oracle are a sample: 2 other games of the games played are left aside."
    assert sum(message in warning for warning in run.warnings) == 1
    common = score_questions(
        [other, known, beyond, silent], f"table:{path}", options=ScoreQuestionsOptions(common=True)
    )
    assert common.measures == run.measures
    with pytest.raises(
        InputError, match=r"game 2: found this game, expected a game that the answers of the oracle ask"
    ):
        score_questions([other, known], f"table:{path}", options=ScoreQuestionsOptions(strict=True))
    assert score_questions([known], f"table:{path}").coverage.complete


def test_a_table_of_other_games_names_the_likely_reason(tmp_path):
    path = written(tmp_path / "o.jsonl", game(["yn"], id_=1))
    with pytest.raises(InputError, match=r"none of the 1 game of .* but 1 other, .*another split, or have other ids"):
        score_questions([game(["yn"], id_=2)[0]], f"table:{path}")


def test_a_game_of_which_a_part_is_missing_is_an_error(tmp_path):
    only_game, answers = game(["yn", "ny"])
    path = tmp_path / "o.jsonl"
    write_lines(list(lines_of(only_game, answers))[:1], path)
    with pytest.raises(InputError, match="game 1, question 1: found no line"):
        score_questions([only_game], f"table:{path}")
