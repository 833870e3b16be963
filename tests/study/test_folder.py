"""From files to a study and back, as a user calls it: what is drawn, what is refused, and what is printed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benches import judge_all, plain_tasks, write_study

from voirdire.answers.exam import StudyAnswersOptions
from voirdire.answers.humans import draw_sets
from voirdire.errors import InputError, UsageError
from voirdire.formats.oracle_answers import ORACLE_ANSWERS, read_object_answers
from voirdire.formats.references import read_references
from voirdire.questions.exam import StudyQuestionsOptions
from voirdire.questions.games import read_games_file
from voirdire.questions.study import draw_questions
from voirdire.study.collect import collect_study
from voirdire.study.database import JudgedStore, Message
from voirdire.study.design import PILOT, StudyTask
from voirdire.study.folder import OpenedStudy, make_study, open_study
from voirdire.study.judge_page import read_texts
from voirdire.verdict.planning import FEW
from voirdire.world.build import build_world

Called = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("study") / "world"
    build_world(place, 60, 3, pictures=True)
    return place


def answers_of(world: Path, out: Path, **options: Any) -> OpenedStudy:
    given = {"human": [str(world / "visdial_val_references_true.json")]}
    return make_study("answers", given, StudyAnswersOptions(**options), out)


def test_a_pilot_is_as_large_as_a_plan_needs() -> None:
    assert PILOT == FEW


@pytest.mark.slow
def test_a_file_of_texts_of_ones_own(world: Path, tmp_path: Path) -> None:
    study = answers_of(world, tmp_path / "a", human_tasks=3)
    own = tmp_path / "own.txt"
    own.write_text((study.folder / "texts.txt").read_text().replace("[next]\nNext", "[next]\nSuivant"))
    given = {"human": [str(world / "visdial_val_references_true.json")]}
    made = make_study("answers", given, StudyAnswersOptions(human_tasks=3), tmp_path / "b", language=str(own))
    assert made.texts()["next"] == "Suivant"
    for change, message in (
        (("[next]\nSuivant", ""), r"\[next\]: found nothing"),
        (("[next]", "[nextt]"), r"\[nextt\]: found a text that no page shows"),
        (("[next]", "[back]"), r"\[back\] again"),
    ):
        bad = tmp_path / "bad.txt"
        bad.write_text(own.read_text().replace(*change))
        with pytest.raises(InputError, match=message):
            read_texts(bad, "deselect")


def test_the_same_seed_makes_the_same_bytes_and_another_another(world: Path, tmp_path: Path) -> None:
    made = [answers_of(world, tmp_path / str(place), human_tasks=9, seed=seed) for place, seed in enumerate((1, 1, 2))]
    seals = [one.seal for one in made]
    assert seals[0] == seals[1] != seals[2]


def test_checks_have_what_must_stay_and_what_must_go(world: Path) -> None:
    sets_ = read_references(world / "visdial_val_references_true.json")
    tasks = draw_sets(sets_, None, StudyAnswersOptions(human_tasks=40, checks=0.25))
    proper, checks = tasks[:40], tasks[40:]
    assert len(checks) == 10
    assert not any(task.truth for task in proper)
    rounds = zip(sets_.image_ids.tolist(), (sets_.rounds + sets_.base).tolist(), strict=True)
    by_round = {pair: row for row, pair in enumerate(rounds)}
    drawn = {(task.key["image_id"], task.key["round_id"]) for task in tasks}
    assert len(drawn) == 50, "no set is drawn twice"
    for task in checks:
        row = by_round[task.key["image_id"], task.key["round_id"]]
        (out,) = [text for text, true in zip(task.items, task.truth, strict=True) if true == "no"]
        (stays,) = [text for text, true in zip(task.items, task.truth, strict=True) if true == "yes"]
        assert stays == sets_.gt_answers[row]
        assert out not in sets_.of(row)
        assert set(task.items) - {out} == set(sets_.of(row))


def test_sets_of_a_method_from_annotated_rounds_alone(world: Path) -> None:
    every = read_references(world / "visdial_val_references_true.json")
    few = every.only(np.arange(30))
    tasks = draw_sets(few, every, StudyAnswersOptions(rounds="annotated", checks=0))
    known = {(int(image), int(round_)) for image, round_ in zip(few.image_ids, few.rounds, strict=True)}
    automatic = [task for task in tasks if task.key["set"] == "S"]
    assert len(automatic) == 30
    assert {(task.key["image_id"], task.key["round_id"] - every.base) for task in automatic} == known


def test_people_as_the_oracle(world: Path, tmp_path: Path) -> None:
    games = str(world / "guesswhat_val.jsonl")
    study = make_study(
        "questions",
        {"games": games},
        StudyQuestionsOptions(tasks=20, judges=3, checks=0.2),
        tmp_path / "q",
        images=str(world / "pictures"),
    )
    assert all(task.box is not None and task.picture for task in study.tasks)
    checks = [task for task in study.tasks if task.truth]
    assert [task.truth[0] for task in checks] == ["yes", "no", "yes", "no"]

    def decide(task: StudyTask, number: int) -> tuple[str, ...]:
        true = task.key.get("recorded") or task.truth[0]
        # One of three says n/a to all, and is outvoted.
        return ("n/a" if number == 2 else true,)

    judge_all(study, 3, decide)
    made = collect_study(study, tmp_path / "out")
    assert made.run.measures["agreement[people]"].value == 1.0
    assert [judge.judge for judge in made.judges if judge.named] == ["judge-3"]
    table = ORACLE_ANSWERS.read(tmp_path / "out" / "oracle_answers.csv")
    assert len(table) == 20
    assert (table.of("people") == table.human).all()


def test_people_as_the_oracle_of_whole_games(world: Path, tmp_path: Path) -> None:
    games = read_games_file(str(world / "guesswhat_val.jsonl"))
    options = StudyQuestionsOptions(about="objects", tasks=40, judges=1, checks=0)
    tasks = draw_questions(games, options=options)
    study = write_study(tmp_path / "q", tasks, judges=1)
    judge_all(study, 1, lambda task, number: (task.key["recorded"] or "no",))
    collect_study(study, tmp_path / "out")
    rows = read_object_answers(tmp_path / "out" / "object_answers.jsonl")
    by_id = {game.id: game for game in games.record}
    assert sum(len(row.answers) for row in rows) == len(tasks)
    for row in rows:
        assert set(row.answers) == {thing.id for thing in by_id[row.game_id].objects}


class TestVerbs:
    def test_from_files_to_a_table(self, world: Path, tmp_path: Path, called: Called) -> None:
        study, out = tmp_path / "study", tmp_path / "out"
        sets_ = world / "visdial_val_references_true.json"
        made = ("study", "make", "answers", "--human", sets_, "--automatic", sets_, "--images", world / "pictures")
        status, printed, err = called(*made, "--human-tasks", 8, "--automatic-tasks", 8, "--judges", 2, "-o", study)
        assert (status, err) == (0, "")
        assert "16 tasks and 2 attention checks for 2 people each, 36 judgements in all" in printed
        status, printed, _ = called(
            "study", "invite", study, "--people", 1, "--name", "ann", "--url", "https://lab.example/"
        )
        assert status == 0
        assert [line.split()[0] for line in printed.splitlines()] == ["ann", "judge-2"]
        assert all("https://lab.example/#" in line for line in printed.splitlines())
        status, printed, _ = called("study", "status", study)
        assert "answers: 0 of 36 judgements (0%)" in printed
        status, _, err = called("study", "collect", study, "-o", out)
        assert status == 2
        assert "nobody has finished a task yet" in err
        opened = open_study(study)
        store = JudgedStore(opened)
        for name in ("ann", "judge-2"):
            token = store.invite(names=[f"{name} again"])[0].token
            person = store.judge_of(token)
            while (place := store.next(person)) is not None:
                task = opened.tasks[place.task]
                said_ = tuple("no" if true == "no" else "yes" for true in task.truth or (None,) * len(task.items))
                store.record(person, Message(place.number, 1, said_, done=True))
        store.close()
        status, printed, err = called("study", "collect", study, "-o", out)
        assert status == 0
        for text in ("selected[H]", "selected_any[S]", "Fleiss' κ", "Krippendorff's α", "ann again", "selections.csv"):
            assert text in printed, text
        status, printed, _ = called("study", "collect", study, "--json", "--overwrite", "-o", out)
        assert json.loads(printed)["measures"]["selected[H]"]["value"] == 1.0
        status, printed, _ = called("answers", "humans", "--judgements", out / "selections.csv", "--json")
        assert json.loads(printed)["measures"]["selected[H]"]["value"] == 1.0
        status, printed, _ = called("plan", out / "run", "--half-width", 0.02)
        assert status == 0
        assert "selected[H]" in printed
        status, _, err = called("study", "collect", study, "-o", out)
        assert (status, "something is in place already" in err) == (2, True)
        status, printed, _ = called("study", "forget", study, "ann again")
        assert "would delete, with --yes: ann again, 18 judgements" in printed
        status, printed, _ = called("study", "forget", study, "ann again", "--yes")
        assert "deleted: ann again" in printed
        status, printed, _ = called("study", "revoke", study, "judge-2")
        status, printed, _ = called("study", "status", study)
        assert "revoked" in printed
        assert "18 of 36 judgements" in printed

    def test_a_report_shows_people_beside_models(self, tmp_path: Path, called: Called) -> None:
        study = write_study(tmp_path / "study", plain_tasks(12), judges=2)
        judge_all(study, 2, lambda task, number: ("yes", "yes"))
        collect_study(study, tmp_path / "people")
        status, printed, _ = called("report", f"people={tmp_path / 'people' / 'run'}", "--format", "md")
        assert status == 0
        assert "Human judgement" in printed
        assert "people" in printed

    def test_what_cannot_be_made(self, world: Path, tmp_path: Path, called: Called) -> None:
        sets_ = world / "visdial_val_references_true.json"
        make = ("study", "make", "answers", "--human", sets_, "-o", tmp_path / "s")
        for words, message in {
            ("--human-tasks", "100000"): "--human-tasks must be at most",
            ("--images", tmp_path / "nowhere"): "expected a folder or a zip of pictures",
            ("--language", "xx"): "--language must be one of en, de, or a file of texts, got xx",
            ("--judges", "0"): "--judges must be at least 1, got 0",
        }.items():
            status, _, err = called(*make, *words)
            assert status == 2
            assert message in err
            assert not (tmp_path / "s").exists()
        (tmp_path / "s").mkdir()
        status, _, err = called(*make)
        assert (status, "something is in place already" in err) == (2, True)


class TestSeal:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        tasks = [StudyTask("deselect", "q?", picture="a.png", items=("x",))]
        return write_study(tmp_path / "study", tasks, pictures={"a.png": b"\x89PNG"}).folder

    @pytest.mark.parametrize("name", ["study.json", "tasks.jsonl", "pictures/a.png", "seal.txt"])
    def test_a_folder_that_was_changed_is_refused_by_the_file(self, folder: Path, name: str) -> None:
        with (folder / name).open("ab") as file:
            file.write(b" \n")
        with pytest.raises(InputError, match=name.replace(".", r"\.")):
            open_study(folder)

    @pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "pictures/../../x", "pictures/.hidden", "texts.txt"])
    def test_a_seal_that_names_what_is_no_file_of_a_study(self, folder: Path, name: str) -> None:
        with (folder / "seal.txt").open("a") as file:
            file.write(f"{'0' * 64}  {name}\n")
        with pytest.raises(InputError, match="expected a file of the study"):
            open_study(folder)

    def test_what_is_no_study(self, folder: Path, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no such folder"):
            open_study(tmp_path / "nowhere")
        shutil.rmtree(folder / "pictures")
        with pytest.raises(InputError, match=r"a\.png.*no such file"):
            open_study(folder)

    def test_words_may_be_edited(self, folder: Path) -> None:
        path = folder / "texts.txt"
        path.write_text(path.read_text().replace("Thank you", "Merci"))
        assert open_study(folder).texts()["end title"] == "Merci"
