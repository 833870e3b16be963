"""20 questions: the answers for every candidate, and the dialogues as text."""

import json

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source
from voirdire.formats.twenty_questions import (
    FORMAT,
    TwentyQuestionsDialogue,
    parse_twenty_questions,
    parse_twenty_questions_text,
    write_twenty_questions,
    write_twenty_questions_text,
)
from voirdire.formats.twenty_questions import FORMAT as TWENTY
from voirdire.formats.twenty_questions import TEXT as TWENTY_TEXT


def game(id_=1, **fields):
    asked = [{"elk": "no", "hen": "yes", "owl": "yes"}, {"elk": "no", "hen": "n/a", "owl": "no"}]
    questions = [
        {"question_step": step, "question": f"Question {step}?", "item_specific_answers": answers}
        for step, answers in enumerate(asked, start=1)
    ]
    return {
        "dialogue_id": id_,
        "candidates": ["elk", "hen", "owl"],
        "target": "hen",
        "questions": questions,
        **fields,
    }


def same(step, answer="no"):
    """A question with one answer for all."""
    answers = dict.fromkeys(("elk", "hen", "owl"), answer)
    return {"question_step": step, "question": f"{step}?", "item_specific_answers": answers}


def faults(parse, data):
    with pytest.raises(InputError) as caught:
        parse(Source("file", data))
    return [str(problem) for problem in caught.value.problems]


def encode(*games):
    return json.dumps(games).encode()


class TestAnswers:
    def test_answers_are_a_matrix_of_questions_and_candidates(self):
        games = parse_twenty_questions(Source("file", encode(game(), game(2))))
        first = games[0]
        assert first.candidates == ("elk", "hen", "owl")
        assert (first.target, first.target_index) == ("hen", 1)
        assert first.questions == ("Question 1?", "Question 2?")
        assert first.answers.tolist() == [[1, 0, 0], [1, 2, 1]]
        assert first.answers.dtype == np.int8
        assert FORMAT.describe(games) == "2 games of 3 candidates, 4 questions"
        assert detect(Source("file", encode(game()))).name == "twenty_questions"

    def test_no_game_and_no_question(self):
        assert FORMAT.describe(parse_twenty_questions(Source("file", b"[]"))) == "0 games of no candidates, 0 questions"
        games = parse_twenty_questions(Source("file", encode(game(questions=[]))))
        assert games.notes == ("dialogue 1: no question",)
        assert games[0].answers.shape == (0, 3)

    def test_faults_name_dialogue_question_and_candidate(self):
        bad = game(target="fox", candidates=["elk", "hen", "owl", "elk"])
        bad["questions"][0]["question_step"] = 3
        bad["questions"][0]["item_specific_answers"] = {"elk": " ", "hen": "yes", "cow": "no"}
        problems = faults(parse_twenty_questions, encode(bad, game()))
        assert problems == [
            "dialogue 1, field `dialogue_id`: found 2 records with this id, expected one",
            "dialogue 1, field `candidates`: found 'elk' twice, expected each candidate once",
            "dialogue 1, field `target`: found 'fox', expected one of the candidates",
            "dialogue 1, question 1, field `item_specific_answers`: found 'cow', expected one of the candidates",
            "dialogue 1, question 1, candidate 'elk', field `item_specific_answers`: found no answer, "
            "expected an answer, such as yes, no or n/a",
            "dialogue 1, question 1, candidate 'owl', field `item_specific_answers`: found no answer, "
            "expected an answer, such as yes, no or n/a",
            "dialogue 1, question 1, candidate 'elk', field `item_specific_answers`: found no answer, "
            "expected an answer, such as yes, no or n/a",
        ]

    def test_answers_beyond_yes_no_and_na_are_answers_of_their_own(self):
        asked = {"elk": "Sometimes", "hen": "YES", "owl": "unknown "}
        question = {"question_step": 1, "question": "Does it fly?", "item_specific_answers": asked}
        games = parse_twenty_questions(Source("file", encode(game(questions=[question]), game(2))))
        assert games[0].vocabulary == ("yes", "no", "n/a", "sometimes", "unknown")
        assert games[0].answers.tolist() == [[3, 0, 4]]
        assert games[1].vocabulary == ("yes", "no", "n/a")
        assert games.notes == ("dialogue 1: answers beyond yes, no and n/a, as 'sometimes'",)

    def test_more_answers_than_fit_a_byte(self):
        (read,) = parse_twenty_questions(
            Source("file", encode(game(questions=[same(step, f"answer {step}") for step in range(1, 201)])))
        )
        assert read.answers[:, 0].tolist() == list(range(3, 203))

    def test_a_wrong_step_is_a_note_and_the_order_counts(self):
        games = parse_twenty_questions(Source("file", encode(game(questions=[same(step) for step in (1, 1, 2, 3)]))))
        assert games[0].questions == ("1?", "1?", "2?", "3?")
        assert games.notes == ("dialogue 1: `question_step` of 3 questions is not its place, by which it is read",)

    def test_the_turn_that_won_is_the_outcome(self, tmp_path):
        games = parse_twenty_questions(Source("file", encode(game(win_turn=2), game(2, win_turn=None), game(3))))
        assert [(each.status, each.win_turn) for each in games] == [("success", 2), ("failure", None), (None, None)]
        write_twenty_questions(games, tmp_path / "games.json")
        assert TWENTY.read(tmp_path / "games.json") == games
        assert faults(parse_twenty_questions, encode(game(win_turn=3), game(2, win_turn=0))) == [
            f"dialogue {id_}, field `win_turn`: found {turn}, expected from 1 to 2, the number of a question, or null "
            "for a game that was lost"
            for id_, turn in ((1, 3), (2, 0))
        ]

    def test_written_and_read_again_it_is_the_same(self, tmp_path):
        games = parse_twenty_questions(Source("file", encode(game(), game(2))))
        write_twenty_questions(games, tmp_path / "games.json.gz")
        assert TWENTY.read(tmp_path / "games.json.gz") == games


RULE = "*" * 18
TEXT = f"""{RULE}
target = hen
answerer: This is the list of candidates: elk, hen.
questioner: Is it a bird?
answerer: Yes. It is.
questioner: Is it a hen?
{RULE}
target = elk
answerer: This is the list of candidates: elk, hen.
""".encode()


class TestText:
    def test_dialogues_are_numbered_by_their_place(self):
        dialogues = parse_twenty_questions_text(Source("file", TEXT))
        assert tuple(dialogues) == (
            TwentyQuestionsDialogue(
                1, "hen", ("elk", "hen"), (("Is it a bird?", "Yes. It is."), ("Is it a hen?", None))
            ),
            TwentyQuestionsDialogue(2, "elk", ("elk", "hen"), ()),
        )
        assert dialogues.notes == (
            "dialogue 1: it ends without an answer to its last question",
            "dialogue 2: no question",
        )
        assert detect(Source("file", TEXT)).name == "twenty_questions_text"

    def test_faults_name_dialogue_and_line(self):
        assert faults(parse_twenty_questions_text, TEXT.replace(b"answerer: Yes. It is.\n", b"")) == [
            "dialogue 1, line 5: found 'questioner: Is it a hen?', expected answerer: …"
        ]
        assert faults(parse_twenty_questions_text, TEXT.replace(b"= hen", b"= cow")) == [
            "dialogue 1, field `target`: found 'cow', expected one of the candidates"
        ]
        assert faults(parse_twenty_questions_text, f"{RULE}\nhello\n".encode()) == [
            "dialogue 1, line 2: found 'hello', expected target = …",
            "dialogue 1: found its end, expected answerer: This is the list of candidates: …",
        ]
        assert faults(parse_twenty_questions_text, b"hello\n") == [
            "line 1: found 'hello', expected a line of asterisks before the first dialogue",
            "found no dialogue, expected dialogues, each after a line of asterisks",
        ]

    def test_written_and_read_again_it_is_the_same(self, tmp_path):
        dialogues = parse_twenty_questions_text(Source("file", TEXT))
        write_twenty_questions_text(dialogues, tmp_path / "d.txt")
        assert (tmp_path / "d.txt").read_bytes() == TEXT
        assert TWENTY_TEXT.read(tmp_path / "d.txt") == dialogues
