"""The exam's figures by hand: Table 1's columns, truncation, recorded answers, games that were given up."""

from dataclasses import replace

import numpy as np
import pytest
from question_games import FIGURE, FIGURE_ANSWERS, GivenAnswers, game, given, twenty

from voirdire.errors import UsageError
from voirdire.formats.game_logs import GameLog
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.record import Rows
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.games import GamesFile, ObjectLists
from voirdire.questions.reference_sets import answered_games
from voirdire.questions.score import score_questions

RECORDED = ScoreQuestionsOptions(answers="recorded")


def figures(run):
    return {str(key): figure.value for key, figure in run.measures.items()}


# Shares 1/2, 1/3 and 1; the last questions are effective no, yes, yes, and refer to the target no, yes, no.
THREE = given(
    game(["yyn", "yyn"], id_=1, status="success"),
    game(["yyy", "nnn", "ynn"], id_=2, status="failure"),
    game(["nny"], id_=3, status="success"),
)


def test_figure_1_as_a_run():
    run = score_questions([FIGURE], GivenAnswers([ObjectAnswers(7, FIGURE_ANSWERS)], "table 00"))
    assert run.title == "questions score"
    assert run.items["distractors"].to_list() == [6, 5, 3, 0, 0]
    assert run.items["effective"].to_list() == [True, True, True, True, False]
    assert run.items["referring"].to_list() == [False] * 4 + [True]
    assert run.items["referring_other"].to_list() == [False, True, False, False, False]
    assert run.items["refers_to"].to_list() == [None, 21, None, None, 20]
    assert run.items["turn"].to_list() == [1, 2, 3, 4, 5]
    assert run.items["answer"].to_list() == ["yes", "no", "no", "yes", "yes"]
    found = figures(run)
    assert found["effectiveness"] == found["effectiveness_micro"] == pytest.approx(0.8)
    assert (found["last_effective"], found["last_referring"], found["referring"]) == (0.0, 1.0, 0.2)
    assert (found["questions"], found["task_success"], found["success_if_referring"]) == (5.0, 1.0, 1.0)
    assert found["success_if_not"] is None
    assert [found[f"effectiveness@{turn}"] for turn in range(1, 6)] == [1, 1, 1, 1, 0]


def test_every_column_by_hand():
    run = score_questions(*THREE)
    found = figures(run)
    assert found["questions"] == 2
    assert found["task_success"] == pytest.approx(2 / 3)
    assert found["effectiveness"] == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    assert found["effectiveness_success"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["effectiveness_failure"] == pytest.approx(1 / 3)
    assert found["effectiveness_micro"] == pytest.approx(3 / 6)
    assert found["last_effective"] == pytest.approx(2 / 3)
    assert found["last_referring"] == pytest.approx(1 / 3)
    assert found["referring"] == pytest.approx(1 / 6)
    assert found["referring_other"] == pytest.approx(1 / 6)
    assert found["success_if_referring"] == 0
    assert found["success_if_not"] == 1
    assert [found[f"effectiveness@{turn}"] for turn in (1, 2, 3)] == pytest.approx([2 / 3, 0, 1])
    assert found["incomplete"] == 0
    assert "target_dropped" not in found
    assert {name: run.measures[name].n for name in ("effectiveness", "effectiveness_micro", "effectiveness@2")} == {
        "effectiveness": 3,
        "effectiveness_micro": 6,
        "effectiveness@2": 2,
    }
    assert run.warnings == ()


def identity(found):
    success = found["task_success"]
    return success * found["effectiveness_success"] + (1 - success) * found["effectiveness_failure"]


@pytest.mark.parametrize("questions", [None, 1, 2])
def test_the_identity_of_table_1(questions):
    rng = np.random.default_rng(5)
    results = []
    for number in range(40):
        rows = ["".join(rng.choice(["y", "n", "a"], 6, p=[0.4, 0.5, 0.1])) for _ in range(rng.integers(1, 6))]
        results.append(game(rows, id_=number, status=str(rng.choice(["success", "failure", "incomplete"]))))
    found = figures(score_questions(*given(*results), options=ScoreQuestionsOptions(max_questions=questions)))
    assert found["incomplete"] > 0
    assert found["effectiveness"] == pytest.approx(identity(found))


def test_truncation_changes_the_questions_and_not_the_outcome():
    found = figures(score_questions(*THREE, options=ScoreQuestionsOptions(max_questions=1)))
    assert found["questions"] == 1
    assert found["task_success"] == pytest.approx(2 / 3)
    assert found["effectiveness"] == pytest.approx(2 / 3)
    assert found["last_effective"] == pytest.approx(2 / 3)
    assert "effectiveness@2" not in found
    cut = score_questions(*THREE, options=ScoreQuestionsOptions(max_questions=1))
    assert cut.signature.options["max_questions"] == 1
    assert score_questions(*THREE, options=ScoreQuestionsOptions(max_questions=9)).items.equals(
        score_questions(*THREE).items
    )


def test_recorded_answers_can_drop_the_target_and_that_is_counted():
    pairs = given(
        game(["yyn", "ynn"], id_=1, recorded="nn"),
        game(["yyn"], id_=2, recorded="y"),
        game(["ynn"], id_=3, recorded="n"),
    )
    run = score_questions(*pairs, options=RECORDED)
    assert run.items["target_left"].to_list() == [False, False, True, False]
    # The last question of game 3 excludes the target alone, which is no merit.
    assert run.items["effective"].to_list() == [True, False, True, False]
    assert run.items["distractors"].to_list() == [1, 1, 1, 2]
    assert figures(run)["target_dropped"] == pytest.approx(2 / 3)
    assert any("2 of 3 games have recorded answers that exclude the target" in text for text in run.warnings)
    assert run.signature.options["answers"] == "recorded"
    # By the oracle nothing is dropped, and no such measure is there.
    assert score_questions(*pairs).items["target_left"].all()


def test_referring_is_the_oracles_word_also_with_recorded_answers():
    pairs = given(game(["ynn"], recorded="n"))
    assert figures(score_questions(*pairs, options=RECORDED))["referring"] == 1


def test_games_that_were_given_up_are_counted_and_left_out():
    run = score_questions(*given(game(["yn"], id_=1), game(["yy"], id_=2, status="incomplete")))
    found = figures(run)
    assert (found["task_success"], found["effectiveness"], found["incomplete"]) == (1.0, 1.0, 0.5)
    assert run.measures["incomplete"].n == 2
    assert run.measures["effectiveness"].n == 1
    assert run.items.height == 2
    assert any("1 of 2 games were given up" in text for text in run.warnings)


def test_games_that_were_given_up_as_failures():
    pairs = given(
        game(["yn", "yn"], id_=1),
        game(["yy", "yn", "yn"], id_=2, status="incomplete"),
        game(["yn"], id_=3, status="failure"),
    )
    run = score_questions(*pairs, options=ScoreQuestionsOptions(incomplete="failure"))
    found = figures(run)
    assert found["task_success"] == pytest.approx(1 / 3)
    assert found["effectiveness_failure"] == pytest.approx((1 / 3 + 1) / 2)
    assert found["effectiveness"] == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)
    assert (found["success_if_referring"], found["incomplete"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert run.items["status"].to_list()[2:5] == ["incomplete"] * 3
    assert run.signature.options["incomplete"] == "failure"
    assert any("1 of 3 games were given up (incomplete); they count as failures." in text for text in run.warnings)
    apart = score_questions(*pairs)
    assert figures(apart)["task_success"] == 0.5
    assert "incomplete" not in apart.signature.options


@pytest.mark.parametrize(("incomplete", "message"), [("apart", "1 of 2"), ("failure", "2 of 3")])
def test_the_target_drops_out_of_the_same_games_in_the_measure_and_in_its_warning(incomplete, message):
    pairs = given(
        game(["yyn"], id_=1, recorded="n"),
        game(["yyn"], id_=2, recorded="y"),
        game(["yyn"], id_=3, recorded="n", status="incomplete"),
        game([], id_=4),
    )
    run = score_questions(*pairs, options=ScoreQuestionsOptions(answers="recorded", incomplete=incomplete))
    dropped = run.measures["target_dropped"]
    assert message == f"{round(dropped.value * dropped.n)} of {dropped.n}"
    assert any(f"{message} games have recorded answers that exclude the target" in text for text in run.warnings)


def test_only_games_that_were_given_up():
    found = figures(score_questions(*given(game(["yn"], status="incomplete"))))
    assert found["incomplete"] == 1
    assert found["effectiveness"] is None


def test_a_game_without_a_question():
    run = score_questions(*given(game([], id_=1, status="failure"), game(["yn"], id_=2)))
    row = run.items.row(0, named=True)
    assert (row["turn"], row["effective"], row["effectiveness"]) == (None, None, None)
    assert (row["questions"], row["success"]) == (0, False)
    found = figures(run)
    assert (found["questions"], found["task_success"], found["effectiveness"]) == (0.5, 0.5, 1.0)
    assert found["effectiveness_failure"] is None
    assert (run.measures["success_if_referring"].n, run.measures["success_if_not"].n) == (1, 0)
    assert any("1 of 2 games have no question" in text for text in run.warnings)


def test_only_games_without_a_question():
    run = score_questions(*given(game([], id_=1)))
    assert run.items.height == 1
    assert figures(run)["effectiveness"] is None
    assert figures(run)["questions"] == 0


def test_one_object():
    run = score_questions(*given(game(["y"], id_=1)))
    assert figures(run)["effectiveness"] == 0
    assert figures(run)["referring"] == 1
    assert any("1 of 1 games have one object" in text for text in run.warnings)


def test_na_everywhere():
    found = figures(score_questions(*given(game(["aaa", "aaa"]))))
    assert (found["effectiveness"], found["referring"], found["referring_other"]) == (0, 0, 0)


def test_an_outcome_that_is_not_known():
    run = score_questions(*given(game(["yn"], id_=1, status=None), game(["yy"], id_=2)))
    found = figures(run)
    assert found["effectiveness"] == 0.5
    assert found["task_success"] == 1
    assert run.measures["task_success"].n == 1
    assert any("1 of 2 games do not say how they ended" in text for text in run.warnings)


def test_a_guess_says_the_outcome_where_the_game_does_not():
    pairs = given(
        game(["yn"], id_=1, status=None, guess=100),
        game(["yn"], id_=2, status=None, guess=101),
        game(["yn"], id_=3, status="success", guess=101),
    )
    run = score_questions(*pairs)
    assert run.items["status"].to_list() == ["success", "failure", "success"]
    assert run.measures["task_success"].value == pytest.approx(2 / 3)
    assert run.warnings == ("1 of 3 games have a guess that contradicts their status; the status counts.",)


@pytest.mark.parametrize(
    ("status", "guess", "told"),
    [
        ("success", 100, False),
        ("success", 101, True),
        ("failure", 100, True),
        ("failure", 101, False),
        ("incomplete", 100, False),
        ("failure", None, False),
    ],
)
def test_a_guess_that_contradicts_the_status_is_told(status, guess, told):
    run = score_questions(*given(game(["yn"], status=status, guess=guess)))
    assert any("contradicts" in text for text in run.warnings) == told


def test_ties_are_said():
    games, answers = THREE
    tied = [ObjectAnswers(answer.game_id, answer.answers, 2) for answer in answers.answers]
    assert any("6 ties" in text for text in score_questions(games, GivenAnswers(tied)).warnings)


def test_twenty_questions_carry_their_answers():
    run = score_questions([twenty(["yyn", "ynn"], id_=1), twenty(["nyn"], id_=2)])
    found = figures(run)
    assert found["effectiveness"] == 1
    assert found["task_success"] is None
    assert run.items["refers_to"].to_list() == [None, "elk", "hen"]
    assert run.items["image_id"].null_count() == 3
    assert run.signature.options["clusters"] == "game_id"
    assert "carried" in run.signature.options["oracle"]
    assert (
        figures(score_questions([twenty(["yyn", "ynn"])], options=ScoreQuestionsOptions(max_questions=1)))["questions"]
        == 1
    )
    with pytest.raises(UsageError, match="do not hold the answers"):
        score_questions([twenty(["yn"])], options=RECORDED)
    with pytest.raises(UsageError, match="carry the answers about every candidate; leave `oracle` out"):
        score_questions([twenty(["yn"])], GivenAnswers([]))
    with pytest.raises(ValueError, match="carry their own"):
        answered_games([twenty(["yn"])], [])


def test_intervals_draw_images_whole():
    # Two games an image that are the same: four times the games are no more images.
    pairs = [game([row], id_=number, image=number // 4) for number, row in enumerate(["yn", "yy"] * 2 * 4)]
    by_image = [game([("yn", "yy")[number // 4 % 2]], id_=number, image=number // 4) for number in range(32)]
    spread = [score_questions(*given(*some)).measures["effectiveness"] for some in (pairs, by_image)]
    assert spread[0].low == spread[0].high == 0.5
    assert spread[1].high - spread[1].low > 0.3


def test_the_run_names_its_files_and_its_oracle():
    games, answers = THREE
    logs = Rows(
        tuple(GameLog(game.image.id, game.qas, game.status, target_id=game.target_id) for game in games),
        fingerprint="f" * 64,
    )
    images = {game.image.id: (game.image, game.objects) for game in games}
    oracle = GivenAnswers(answers.answers, "table 12")
    run = score_questions(
        GamesFile("logs", "game_logs", logs, "f" * 64), oracle, ObjectLists("lists", images, "c" * 64)
    )
    assert run.fingerprints == {"games": "f" * 64, "coco": "c" * 64}
    assert run.signature.data == {"coco": "c" * 64}
    assert run.signature.options["oracle"] == "table 12"
    assert run.signature.options["clusters"] == "image_id"


def test_what_does_not_fit():
    games, answers = THREE
    with pytest.raises(UsageError, match="`answers` must be one of oracle, recorded, got 'people'"):
        ScoreQuestionsOptions(answers="people")
    with pytest.raises(UsageError, match="at least 1"):
        ScoreQuestionsOptions(max_questions=0)
    with pytest.raises(UsageError, match="`oracle` is needed"):
        score_questions(games)
    with pytest.raises(ValueError, match="one record per game, 3, in their order, got none"):
        answered_games(games, None)

    def score(*answers):
        return score_questions(games, GivenAnswers(answers))

    first, second, third = answers.answers
    with pytest.raises(ValueError, match="one record per game, 3, in their order, got 2"):
        score(first, second)
    with pytest.raises(ValueError, match="got game 2 for game 1"):
        score(second, first, third)
    with pytest.raises(ValueError, match=r"game 1 must have shape \(2, 3\), got \(1, 3\)"):
        score(ObjectAnswers(1, first.answers[:1]), second, third)
    with pytest.raises(ValueError, match="game 1 must be codes from 0 to 2"):
        score(ObjectAnswers(1, first.answers + 3), second, third)
    with pytest.raises(UsageError, match="`games` must hold at least one game, got none"):
        score_questions([], GivenAnswers([]))


def test_answers_at_hand_go_with_the_games_that_a_limit_takes():
    games, answers = THREE
    full, some = (score_questions(games, answers, options=ScoreQuestionsOptions(limit=limit)) for limit in (None, 1))
    (image,) = some.items["image_id"].unique().to_list()
    assert some.items.equals(full.items.filter(full.items["image_id"] == image))


SOMETIMES = twenty(["ysnn", "ssny", "ynnn"])


@pytest.mark.parametrize(
    ("how", "distractors", "effective", "referring"),
    [
        # The target gets yes, sometimes, yes. Strictly, the second candidate's "sometimes" is not the first yes.
        ("strict", [0, 0, 0], [True, False, False], [False, False, True]),
        # The second candidate stays at first, nobody goes at the second question, and it is out by a plain no.
        ("keep", [1, 1, 0], [True, False, True], [False, False, True]),
    ],
)
def test_answers_beyond_yes_no_and_na(how, distractors, effective, referring):
    run = score_questions([SOMETIMES], options=ScoreQuestionsOptions(other_answers=how))
    assert run.items["distractors"].to_list() == distractors
    assert run.items["effective"].to_list() == effective
    assert run.items["referring"].to_list() == referring
    assert run.items["oracle_answer"].to_list() == ["yes", "sometimes", "yes"]
    assert ("other_answers" in run.signature.options) == (how == "keep")
    does = "each is an answer of its own" if how == "strict" else "they exclude nobody"
    assert f"3 answers beyond yes, no and n/a; {does}." in run.warnings


def test_a_win_turn_gives_task_success():
    games = [
        twenty(["yn", "yn"], id_=1, status="success", win_turn=2),
        twenty(["yy"], id_=2, status="failure"),
        twenty(["yn"], id_=3),
    ]
    run = score_questions(games)
    assert run.measures["task_success"].n == 2
    found = figures(run)
    assert (found["task_success"], found["effectiveness_success"], found["effectiveness_failure"]) == (0.5, 0.5, 0)
    assert any("1 of 3 games do not say how they ended" in text for text in run.warnings)


@pytest.mark.parametrize(
    ("question", "row", "won"),
    [
        ("Is it an Elk?", "yn", True),
        ("Is it one of the elks?", "yn", True),
        ("Is it an elk?", "nn", False),
        ("Is it an elkhound?", "yn", False),
        ("Is it a hen?", "yn", False),
    ],
)
def test_won_by_naming_the_target_last(question, row, won):
    game_ = twenty(["yn", row], questions=("Is it an elk?", question))
    named = ScoreQuestionsOptions(wins="named")
    assert figures(score_questions([game_], options=named))["task_success"] == won
    # The outcome is that of the whole game, however many of its questions are scored.
    cut = ScoreQuestionsOptions(wins="named", max_questions=1)
    assert figures(score_questions([game_], options=cut))["task_success"] == won
    assert figures(score_questions([game_]))["task_success"] is None
    with pytest.raises(UsageError, match="`wins` can be named for games of 20 questions only"):
        score_questions(*THREE, options=named)


@pytest.mark.parametrize(
    ("target", "question", "won"),
    [("x", "Is it a y?", False), ("ax", "Is it a y?", False), ("peas", "A pea?", True), ("C++", "Is it c++?", True)],
)
def test_odd_names_of_targets(target, question, won):
    game_ = replace(twenty(["yn"], candidates=(target, "elk"), questions=(question,)), target=target)
    assert figures(score_questions([game_], options=ScoreQuestionsOptions(wins="named")))["task_success"] == won


def test_wrong_steps_of_20_questions_are_a_warning():
    run = score_questions([twenty(["yn", "yn"], misnumbered=1)])
    assert "1 question with a wrong `question_step`; their order in the file counts." in run.warnings
