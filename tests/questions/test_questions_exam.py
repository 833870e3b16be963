"""The exam as it declares itself: every figure's measure is declared, and a session knows what it knew."""

import json
from pathlib import Path

import numpy as np
import pytest
from answer_lines import lines_of
from question_games import WELL, game, given

from voirdire.errors import UsageError
from voirdire.exam import exam_named, measures_of, part_of, views_of
from voirdire.formats.files import write_lines
from voirdire.formats.guesswhat import write_games
from voirdire.formats.oracle_answers import ObjectAnswers, OracleAnswers
from voirdire.metrics.key import Key
from voirdire.questions.correction import confusion_of
from voirdire.questions.exam import ScoreQuestionsOptions
from voirdire.questions.kinds import QuestionTexts, own_lexicon, score_kinds
from voirdire.questions.oracle_accuracy import score_agreement, score_oracle
from voirdire.questions.score import score_questions
from voirdire.runs import Run, read_run, write_run
from voirdire.runs.view import estimate_views
from voirdire.session.config import Config, option_abouts
from voirdire.session.session import run_session
from voirdire.verdict.pairing import check_comparable


class Yes:
    """An oracle that says yes to everything."""

    identity = "yes"

    def answer(self, games, progress=None):
        return [ObjectAnswers(game.id, np.zeros((len(game.qas), len(game.objects)), np.int8)) for game in games]


def runs() -> dict[str, Run]:
    games, oracle = WELL
    words = ("is it red?", "is it on the left?", "is it a cup?", "is it red?")
    asked = QuestionTexts((1, 1, 2, 2), (1, 1, 2, 2), (1, 2, 1, 2), words, 2)
    human = np.array([0, 1], np.int8)
    table = OracleAnswers(
        np.array([1, 2]), np.array([0, 1]), np.arange(2), human, ("a, b", "[c]"), human[:, None] * [1, 0]
    )
    accuracy = score_oracle(games, Yes())
    return {
        "score": score_questions(games, oracle, options=ScoreQuestionsOptions(answers="recorded")),
        "score, corrected": score_questions(games, Yes(), confusion=confusion_of(accuracy)),
        "kinds": score_kinds(asked, against=own_lexicon()),
        "oracle-accuracy": accuracy,
        "agreement": score_agreement(table),
    }


@pytest.mark.parametrize("name", ["score", "score, corrected", "kinds", "oracle-accuracy", "agreement"])
def test_every_figure_is_of_a_measure_that_is_declared(name: str) -> None:
    run = runs()[name]
    declared = measures_of(run)
    for key in run.measures:
        assert Key.parse(str(key)) == key
        measure = declared[key.measure]
        assert measure.description
        assert measure.label


def test_measures_that_lead() -> None:
    def leading(name: str) -> list[str]:
        found = (measure for measure in measures_of(runs()[name]).values() if measure.leads)
        return [one.name for one in sorted(found, key=lambda one: one.leads)]

    assert leading("score") == ["task_success", "effectiveness", "last_referring"]
    assert leading("oracle-accuracy") == ["accuracy"]
    assert leading("kinds") == []


@pytest.mark.parametrize("name", ["score", "score, corrected", "kinds"])
def test_the_figures_of_a_stored_run_come_from_its_views(name: str, tmp_path: Path) -> None:
    run = runs()[name]
    stored = read_run(write_run(run, tmp_path / "run"))
    assert dict(estimate_views(views_of(stored), seed=0)) == dict(run.measures)


def test_what_a_session_knows() -> None:
    exam = exam_named("questions")
    assert [input_.name for input_ in exam.session_inputs(of_model=True)] == ["games"]
    assert [input_.name for input_ in exam.session_inputs(of_model=False)] == ["oracle", "coco", "originals"]
    assert set(option_abouts(exam)) == {
        *("answers", "common", "incomplete", "limit", "max_questions", "other_answers", "seed", "strict", "wins"),
        "exclusive_object",
        # Of games that a live model plays.
        *("questioner", "oracle", "guesser", "may_stop", "boxes", "table"),
    }
    asked = exam.session_inputs(of_model=False, asked=True)
    assert [task.name for task in asked] == ["oracle", "coco", "originals", "to_play", "instances"]


@pytest.mark.slow
def test_a_session_joins_the_games_that_lack_their_lists(tmp_path: Path) -> None:
    """One file to join with for all models, some of which bring their lists; each file is read once for both parts."""
    pairs = [game(["yyn", "ynn"], id_=number) for number in range(1, 4)]
    games, _ = given(*pairs)
    write_games(games, tmp_path / "games.jsonl")
    logs = [
        {
            **{"image_id": game.image.id, "target_id": game.target_id, "guess_id": game.target_id, "success": True},
            "qas": [{"question": qa.question, "answer": qa.answer} for qa in game.qas],
        }
        for game in games
    ]
    (tmp_path / "logs.jsonl").write_text("".join(json.dumps(log) + "\n" for log in logs))
    write_lines([line for pair in pairs for line in lines_of(*pair)], tmp_path / "said.jsonl")
    models = {name: {"questions": {"games": str(tmp_path / f"{name}.jsonl")}} for name in ("games", "logs")}
    data = {"oracle": f"table:{tmp_path / 'said.jsonl'}", "originals": str(tmp_path / "games.jsonl")}
    finished = run_session(Config(models, {"questions": data}), tmp_path / "out")
    assert finished.faults == ()
    found = {path.relative_to(tmp_path / "out" / "runs").as_posix(): read_run(path) for path in finished.runs}
    assert list(found) == ["games/questions", "games/questions-kinds", "logs/questions", "logs/questions-kinds"]
    first, second = found["games/questions"], found["logs/questions"]
    assert first.signature.data == {}
    assert set(second.signature.data) == {"originals"}
    assert {str(key): figure.value for key, figure in first.measures.items()} == {
        str(key): figure.value for key, figure in second.measures.items()
    }
    assert part_of(first).name == "score"
    assert first.options == {
        "common": False,
        "limit": None,
        "strict": False,
        **{"answers": "oracle", "incomplete": "apart", "max_questions": None, "other_answers": "strict"},
        **{"seed": 0, "wins": "told"},
    }


def test_runs_with_two_tables_compare_and_with_two_oracles_do_not() -> None:
    pairs = [game(["yyn", "ynn"], id_=number) for number in range(1, 4)]

    def run(identity: str) -> Run:
        return score_questions(*given(*pairs, identity=identity))

    assert check_comparable(("a", "b"), run("table 1"), run("table 2")) == [
        "The oracle of a and that of b are two tables; their figures compare only if the same oracle filled both."
    ]
    with pytest.raises(UsageError, match=r"options\.oracle"):
        check_comparable(("a", "b"), run("table 1"), run("model 2"))
