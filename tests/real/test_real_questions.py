"""The questions exam on real files: 20 questions, oracles beside people, games joined with COCO."""

import json

import numpy as np
import pytest
from question_games import GivenAnswers

from voirdire.formats.coco import read_coco
from voirdire.formats.game_logs import FORMAT as GAME_LOGS
from voirdire.formats.guesswhat import read_games, write_games
from voirdire.formats.oracle_answers import ORACLE_ANSWERS, ObjectAnswers
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import FORMAT as TWENTY
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.games import coco_lists, join_logs, original_lists, read_games_file, with_lists
from voirdire.questions.oracle_accuracy import score_agreement
from voirdire.questions.score import score_questions

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "micro", "effectiveness", "questions"),
    [("8_mcrae", 0.4248, 0.4831, 652), ("16_mcrae", 0.5013, 0.5542, 780)],
)
def test_twenty_questions(real_data, name, micro, effectiveness, questions):
    path = real_data / "guesswhat" / "twenty_questions" / f"{name}_oracle_annotations.json"
    run = score_questions(TWENTY.read(path))
    assert run.measures["effectiveness_micro"].value == pytest.approx(micro, abs=5e-5)
    assert run.measures["effectiveness"].value == pytest.approx(effectiveness, abs=5e-5)
    assert run.measures["effectiveness_micro"].n == run.items.height == questions
    assert run.measures["effectiveness"].n == 90


@pytest.mark.parametrize(("name", "success", "failure"), [("8_mcrae", 0.5053, 0.3241), ("16_mcrae", 0.5609, 0.5067)])
def test_twenty_questions_that_end_with_the_targets_name(real_data, name, success, failure):
    games = TWENTY.read(real_data / "guesswhat" / "twenty_questions" / f"{name}_oracle_annotations.json")
    assert score_questions(games).measures["task_success"].n == 0
    run = score_questions(games, options=ScoreQuestionsOptions(wins="named"))
    assert run.measures["task_success"].value == pytest.approx(79 / 90)
    assert run.measures["effectiveness_success"].value == pytest.approx(success, abs=5e-5)
    assert run.measures["effectiveness_failure"].value == pytest.approx(failure, abs=5e-5)


def test_logs_on_images_of_which_a_few_are_at_hand(real_data):
    folder = real_data / "guesswhat"
    lists = coco_lists(read_coco(folder / "coco_instances_subset.json"))
    played = with_lists(read_games_file(str(folder / "vdst_1606_games.jsonl")), lists)
    assert [game.id for game in played.games] == [630, 1046, 1123, 1196]
    assert played.warnings == (
        "1,602 of 1,606 games are on images that COCO's instances do not have; the other 4 are examined.",
    )


def test_twenty_questions_by_the_definitions_on_plain_sets(real_data):
    for name in ("8_mcrae", "16_mcrae"):
        path = real_data / "guesswhat" / "twenty_questions" / f"{name}_oracle_annotations.json"
        effective, distractors, referring = [], [], []
        for game in json.loads(path.read_text(encoding="utf-8")):
            left = set(game["candidates"])
            for question in game["questions"]:
                said = question["item_specific_answers"]
                after = {one for one in left if said[one] == said[game["target"]]}
                effective.append(after != left)
                distractors.append(len(after) - 1)
                referring.append([one for one, answer in said.items() if answer == "yes"] == [game["target"]])
                left = after
        items = score_questions(TWENTY.read(path)).items
        assert items["effective"].to_list() == effective
        assert items["distractors"].to_list() == distractors
        assert items["referring"].to_list() == referring


def test_oracles_beside_people(real_data):
    run = score_agreement(ORACLE_ANSWERS.read(real_data / "guesswhat" / "oracle_answers_test.csv.gz"))
    found = {str(key): figure.value for key, figure in run.measures.items()}
    shares = {"QSpCa": 0.780, "LXMERT": 0.839, "QSpCr": 0.744, "QSp": 0.683}
    assert {name: found[f"agreement[{name}]"] for name in shares} == pytest.approx(shares, abs=5e-4)
    assert found["agreement[QSpCa]:answerable"] == pytest.approx(0.794, abs=5e-4)
    by_turn = [found[f"agreement@{turn}[QSpCa]"] for turn in range(1, 6)]
    assert by_turn == pytest.approx([0.950, 0.819, 0.759, 0.731, 0.705], abs=6e-4)
    assert run.items.height == 99_784


def test_a_games_log_finds_its_target_in_the_original_game(real_data):
    """The first logged game of people is one of the two complete games: by category and centre its own target."""
    folder = real_data / "guesswhat"
    originals = read_games(folder / "guesswhat_full_games_2.jsonl")
    images = {game.image.id: game for game in originals}
    logs = [log for log in GAME_LOGS.read(folder / "human_100_games.jsonl") if log.image_id in images]
    assert logs
    for game in join_logs(logs, original_lists(originals)):
        original = images[game.image.id]
        assert game.objects == original.objects
        assert game.target_id == original.target_id


def test_games_of_a_model_joined_with_coco(real_data, tmp_path):
    folder = real_data / "guesswhat"
    logs = GAME_LOGS.read(folder / "vdst_1606_games.jsonl")
    lists = coco_lists(read_coco(folder / "coco_instances_subset.json"))
    known = [log for log in logs if log.image_id in lists.images]
    assert len(known) == 4
    games = join_logs(known, lists)
    assert all(game.target_id in {thing.id for thing in game.objects} for game in games)
    # Whoever answers always the same excludes nobody.
    same = [ObjectAnswers(game.id, np.zeros((len(game.qas), len(game.objects)), np.int8)) for game in games]
    run = score_questions(Rows(games), GivenAnswers(same))
    assert run.measures["effectiveness"].value == 0
    assert run.measures["task_success"].n == 4
    write_games(games, tmp_path / "games.jsonl")
    assert list(with_lists(read_games_file(str(tmp_path / "games.jsonl"))).games) == list(games)
