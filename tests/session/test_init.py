"""A config proposed from a folder: everything in its place, nothing lost, and it can be used as it is."""

import json
import os
import shutil
from pathlib import Path

import pytest

from voirdire.call import Call
from voirdire.errors import UsageError
from voirdire.exam import exam_named, part_named
from voirdire.formats.game_logs import GameLog, write_game_logs
from voirdire.formats.guesswhat import read_games
from voirdire.session.config import Config, read_config
from voirdire.session.init import Proposal, _series, propose
from voirdire.session.schedule import schedule
from voirdire.session.steps import note_of
from voirdire.validation import validate


@pytest.fixture
def folder(spoken: Path, tmp_path: Path) -> Path:
    """Files as a user may have them: data in one folder, outputs by model and by file name."""
    place = tmp_path / "files"
    shutil.copytree(spoken / "world", place / "data")
    outputs = place / "outputs"
    for witness in ("truthful", "blind"):
        for condition in ("clean", *(f"partition{number}" for number in range(1, 8)), "control1"):
            (outputs / witness).mkdir(parents=True, exist_ok=True)
            shutil.copy(spoken / witness / "vqa.json", outputs / witness / f"{condition}.json")
        shutil.copy(spoken / witness / "generations.json", outputs / f"{witness}_generations.json")
    shutil.copy(spoken / "truthful" / "ranks.json", outputs / "truthful" / "ranks.json")
    shutil.copy(spoken / "keen" / "games.jsonl", outputs / "keen_games.jsonl")
    shutil.copy(spoken / "scorekeeper" / "states.npz", outputs / "scorekeeper.npz")
    shutil.copy(spoken / "blind" / "vqa.json", outputs / "blind" / "elsewhere.json")
    (outputs / "notes.json").write_text('{"note": 1}')
    (place / "data" / "pictures").mkdir()
    (place / "data" / "pictures" / "000000000001.png").touch()
    return place


def written(found: Proposal, place: Path, models: str = "") -> Config:
    """The config as it is read again."""
    path = place / "exam.yaml"
    path.write_text(models or found.text, encoding="utf-8")
    return read_config(path)


def write_generations_of_others(path: Path) -> Path:
    path.write_text(
        json.dumps([{"image_id": 10**6, "round_id": round_, "generations": ["yes"]} for round_ in range(10)])
    )
    return path


def test_every_file_has_its_place(folder: Path, tmp_path: Path) -> None:
    found = propose(folder, tmp_path)
    path = tmp_path / "exam.yaml"
    path.write_text(found.text, encoding="utf-8")
    config = read_config(path)
    data = config.data
    assert data["answers"]["visdial"] == f"{folder}/data/visdial_val.json"
    assert data["answers"]["dense"] == f"{folder}/data/visdial_val_dense.json"
    assert data["answers"]["references"] == f"{folder}/data/visdial_val_references_true.json"
    assert data["robustness"]["annotations"] == f"{folder}/data/vqa_val_annotations.json"
    assert data["robustness"]["questions"] == (f"{folder}/data/vqa_val_questions.json",)
    assert data["questions"]["oracle"] == f"scenes:{folder}/data/scenes.jsonl"
    # The states are of as many dialogues as train has.
    assert data["scorekeeping"]["dialogues"] == f"{folder}/data/visdial_train.json"
    assert config.images == f"{folder}/data/pictures"
    assert config.output == str(tmp_path / "results")
    assert set(config.models) == {"truthful", "blind", "keen", "scorekeeper"}
    truthful = config.models["truthful"]
    assert truthful["answers"]["generations"] == f"{folder}/outputs/truthful_generations.json"
    assert truthful["answers"]["ranks"] == f"{folder}/outputs/truthful/ranks.json"
    assert truthful["robustness"]["noisy"] == f"{folder}/outputs/truthful/partition{{}}.json"
    assert truthful["robustness"]["control"] == f"{folder}/outputs/truthful/control1.json"
    assert "questions" not in truthful
    assert len(schedule(config, tmp_path / "out").runs) == 10


def test_what_has_no_place_is_a_comment(folder: Path, tmp_path: Path) -> None:
    found = propose(folder, tmp_path)
    rest = found.text[found.text.index("# Not placed") :]
    assert "outputs/blind/elsewhere.json: VQA answers of a model (vqa_results)" in rest
    assert "outputs/notes.json: found a JSON object with the keys note" in rest
    assert "data/vqa_train_questions.json: VQA questions (vqa_questions); shares no question with " in rest
    assert "partition1.json" not in rest
    assert all(line.startswith("#") for line in rest.splitlines())
    assert "truthful: answers, robustness" in found.notes
    assert "keen: questions" in found.notes


def test_what_is_guessed_is_a_comment(folder: Path, tmp_path: Path) -> None:
    sure = propose(folder, tmp_path)
    assert "a guess at" not in sure.text
    assert not any("to check" in line for line in sure.notes)
    outputs = folder / "outputs"
    (outputs / "mcan" / "seed1").mkdir(parents=True)
    shutil.copy(outputs / "truthful" / "ranks.json", outputs / "mcan" / "seed1" / "ranks.json")
    shutil.copy(outputs / "keen_games.jsonl", outputs / "games.jsonl")
    references = folder / "data" / "visdial_val_references_true.json"
    shutil.copy(references, references.with_name("more_references.json"))
    found = propose(folder, tmp_path)
    assert "  seed1:  # a guess at its name, from outputs/mcan/seed1/ranks.json\n" in found.text
    assert "  model:  # a guess at its name, from outputs/games.jsonl\n" in found.text
    assert "2 guesses to check; a comment in the config says of what" in found.notes
    (tmp_path / "exam.yaml").write_text(found.text, encoding="utf-8")
    assert {"seed1", "model"} < set(read_config(tmp_path / "exam.yaml").models)


@pytest.mark.slow
def test_what_a_session_made_is_not_taken_for_data(folder: Path, tmp_path: Path) -> None:
    made = folder / "results" / "propositions" / "train.json"
    dialogues = {"dialogues": str(folder / "data" / "visdial_val.json")}
    Call(
        part_named("scorekeeping propositions"),
        dialogues,
        part_named("scorekeeping propositions").options(),
        {"output": str(made)},
    ).run()
    assert f"propositions: {made.relative_to(tmp_path)}" in propose(folder, tmp_path).text
    note_of(made).touch()
    text = propose(folder, tmp_path).text
    assert "results/propositions/train.json: propositions of dialogues that a session made" in text
    assert "# propositions: FILE" in text


def test_too_few_files_for_an_exam_are_left(folder: Path, tmp_path: Path) -> None:
    (folder / "outputs" / "blind" / "clean.json").unlink()
    (folder / "outputs" / "truthful" / "partition3.json").unlink()
    found = propose(folder, tmp_path)
    (tmp_path / "exam.yaml").write_text(found.text, encoding="utf-8")
    config = read_config(tmp_path / "exam.yaml")
    assert "robustness" not in config.models["blind"]
    assert "outputs/blind/partition1.json" in found.text[found.text.index("# Not placed") :]
    assert config.models["truthful"]["robustness"]["noisy"] == tuple(
        f"{folder}/outputs/truthful/partition{number}.json" for number in (1, 2)
    )
    # Those after a gap are of no use, and not lost either.
    assert "outputs/truthful/partition4.json" in found.text[found.text.index("# Not placed") :]


def test_of_several_outputs_the_first_is_taken_with_a_remark(folder: Path, tmp_path: Path) -> None:
    outputs = folder / "outputs"
    for split in ("test", "val"):
        (outputs / "blind" / split).mkdir()
        shutil.copy(outputs / "blind_generations.json", outputs / "blind" / split / "generations.json")
    text = propose(folder, tmp_path).text
    assert "  blind:  # its answers.generations is one of 2 such files; the end has the others\n" in text
    assert "generations: files/outputs/blind/val/generations.json" in text
    assert "outputs/blind/test/generations.json" in text[text.index("# Not placed") :]


def test_braces_in_the_name_of_a_file_stand_for_themselves(folder: Path, tmp_path: Path) -> None:
    (folder / "outputs" / "blind_generations.json").rename(folder / "outputs" / "odd{}_generations.json")
    text = propose(folder, tmp_path).text
    placed, left = text.split("# Not placed")
    assert "outputs/odd{}_generations.json" in placed
    assert "odd{}" not in left


def test_outputs_without_their_data_are_left_out_and_told(folder: Path, tmp_path: Path) -> None:
    (folder / "data" / "visdial_val_references_true.json").unlink()
    found = propose(folder, tmp_path)
    message = (
        "left out: outputs/blind_generations.json, outputs/truthful_generations.json: it needs "
        "`data.answers.references` (Sets of valid answers), and no file here that goes with the rest is that"
    )
    assert message in found.notes
    assert schedule(written(found, tmp_path), tmp_path / "out").runs


def test_where_no_output_has_its_data_these_are_still_to_be_set(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(
        folder / "outputs", tmp_path / "alone", ignore=shutil.ignore_patterns("*games*", "*.npz", "blind", "truthful")
    )
    message = "still to be set: field `models.blind.answers.generations`: needs `data.answers.references`"
    assert any(line.startswith(message) for line in propose(tmp_path / "alone", tmp_path).notes)


def test_without_an_oracle_the_parts_that_need_none_are_run(folder: Path, tmp_path: Path) -> None:
    def passed_over() -> list[str]:
        return [line for line in propose(folder, tmp_path).notes if line.startswith("not run: ")]

    assert passed_over() == []
    (folder / "data" / "scenes.jsonl").unlink()
    (said,) = passed_over()
    assert said.startswith("not run: keen: questions score needs `data.questions.oracle` (Who answers for every object")
    assert said.endswith(f"it would tell: {exam_named('questions').part('score').help}")
    plan = schedule(written(propose(folder, tmp_path), tmp_path), tmp_path / "out")
    assert [step.kind for step in plan.runs if step.model == "keen"] == ["questions kinds"]
    (folder / "outputs" / "keen_games.jsonl").unlink()
    assert passed_over() == []


def test_files_of_another_split_are_not_put_together(folder: Path, tmp_path: Path) -> None:
    others = write_generations_of_others(folder / "outputs" / "stranger_generations.json")
    found = propose(folder, tmp_path)
    assert "stranger" not in written(found, tmp_path).models
    (said,) = (line for line in found.notes if "stranger" in line)
    assert said == (
        "left out: outputs/stranger_generations.json: shares no image with data/visdial_val_references_true.json; they "
        "may be of another split, or have other ids"
    )
    # Each of the two is a fault of `validate --against`, too.
    assert not validate([others], folder / "data" / "visdial_val_references_true.json").ok
    # What is of another split keeps no file of the data from others.
    for name in ("blind_generations.json", "truthful_generations.json"):
        (folder / "outputs" / name).unlink()
    with_others = written(propose(folder, tmp_path), tmp_path).data
    others.unlink()
    assert written(propose(folder, tmp_path), tmp_path).data == with_others


def test_data_that_do_not_go_together_are_not_put_together(folder: Path, tmp_path: Path) -> None:
    dense = folder / "data" / "visdial_val_dense.json"
    rows = [row | {"image_id": row["image_id"] + 10**6} for row in json.loads(dense.read_text())]
    dense.write_text(json.dumps(rows))
    found = propose(folder, tmp_path)
    assert "dense" not in written(found, tmp_path).data["answers"]
    assert any("visdial_val_dense.json: shares no image with " in line for line in found.notes)


def test_a_file_with_faults_is_left_out_and_told(folder: Path, tmp_path: Path) -> None:
    (folder / "outputs" / "blind_generations.json").write_text('[{"image_id": 1, "round_id": 0, "generations": [5]}]')
    found = propose(folder, tmp_path)
    assert "answers" not in written(found, tmp_path).models["blind"]
    (said,) = (line for line in found.notes if "blind_generations" in line)
    assert said.startswith("left out: outputs/blind_generations.json: it has faults: ")


def test_a_dataset_is_nobodys_output(spoken: Path, tmp_path: Path) -> None:
    place = tmp_path / "games"
    place.mkdir()
    shutil.copy(spoken / "world" / "guesswhat_val.jsonl", place)
    found = propose(place, tmp_path)
    assert written(found, tmp_path, models="models: {x: {questions: {games: g}}}\n").models.keys() == {"x"}
    message = "left out: guesswhat_val.jsonl: its name is that of a dataset's part, not of a model's output"
    assert message in found.notes


def test_a_model_is_no_dataset(folder: Path, tmp_path: Path) -> None:
    """Games of a model have objects, but are no original games for those that lack theirs."""
    games = read_games(folder / "outputs" / "keen_games.jsonl")
    logs = [
        GameLog(game.image.id, game.qas, "success", target_id=game.target_id, guess_id=game.target_id) for game in games
    ]
    write_game_logs(logs, folder / "outputs" / "logged_games.jsonl")
    for name in ("coco_instances.json", "guesswhat_val.jsonl", "guesswhat_train.jsonl"):
        (folder / "data" / name).unlink()
    found = propose(folder, tmp_path)
    config = written(found, tmp_path)
    assert {"keen", "logged"} <= set(config.models), "\n".join(found.notes)
    assert "originals" not in config.data["questions"]


def test_lists_of_objects_concern_games_without_them_alone(folder: Path, tmp_path: Path) -> None:
    games = read_games(folder / "outputs" / "keen_games.jsonl")
    log = GameLog(10**6, games[0].qas, "success", target_id=1, guess_id=1)
    write_game_logs([log], folder / "outputs" / "logged_games.jsonl")
    coco = folder / "data" / "coco_instances.json"
    instances = json.loads(coco.read_text())
    instances["images"] = [instances["images"][0] | {"id": 10**6}]
    instances["annotations"] = [instances["annotations"][0] | {"id": 1, "image_id": 10**6}]
    coco.write_text(json.dumps(instances))
    config = written(propose(folder, tmp_path), tmp_path)
    assert config.models["keen"]["questions"]["games"] == f"{folder}/outputs/keen_games.jsonl"
    # Without an oracle nobody would read the lists.
    (folder / "data" / "scenes.jsonl").unlink()
    config = written(propose(folder, tmp_path), tmp_path)
    assert {"keen", "logged"} <= set(config.models)
    assert "coco" not in config.data.get("questions", {})


def test_answers_to_clean_questions_alone_are_enough(spoken: Path, tmp_path: Path) -> None:
    place = tmp_path / "vqa"
    place.mkdir()
    for name in ("vqa_val_annotations.json", "vqa_val_questions.json"):
        shutil.copy(spoken / "world" / name, place)
    shutil.copy(spoken / "blind" / "vqa.json", place / "blind_results.json")
    answers = json.loads((spoken / "truthful" / "vqa.json").read_text())
    as_words = {str(row["question_id"]): row["answer"].split() for row in answers}
    (place / "truthful_predictions.json").write_text(json.dumps(as_words))
    config = written(propose(place, tmp_path), tmp_path)
    assert {name: list(files["robustness"]) for name, files in config.models.items()} == {
        "blind": ["clean"],
        "truthful": ["clean"],
    }
    runs = schedule(config, tmp_path / "out").runs
    assert [step.kind for step in runs] == ["robustness accuracy", "robustness accuracy"]


def test_of_several_reference_sets_those_of_people_are_taken(folder: Path, tmp_path: Path) -> None:
    references = folder / "data" / "visdial_val_references_true.json"
    references.rename(references.with_name("refs_A_val.json"))
    shutil.copy(references.with_name("refs_A_val.json"), references.with_name("refs_H_val.json"))
    found = propose(folder, tmp_path)
    assert written(found, tmp_path).data["answers"]["references"] == f"{folder}/data/refs_H_val.json"
    # The others are used, too: by them each model is examined once more.
    config = written(found, tmp_path)
    assert config.models["blind@refs_A_val"]["answers"]["references"] == f"{folder}/data/refs_A_val.json"
    assert not any("refs_A_val" in line for line in found.notes if line.startswith("left out"))
    runs = {step.title for step in schedule(config, tmp_path / "out").runs}
    assert {"blind: answers score", "blind@refs_A_val: answers score"} <= runs


def test_exams_that_nobody_has_files_for_have_no_keys(folder: Path, tmp_path: Path) -> None:
    (folder / "outputs" / "scorekeeper.npz").unlink()
    text = propose(folder, tmp_path).text
    assert "\n  scorekeeping:" not in text
    assert "dialogues: FILE" not in text
    assert "  # scorekeeping: no model below has files for it\n" in text


def test_a_folder_without_outputs_of_models(spoken: Path, tmp_path: Path) -> None:
    found = propose(spoken / "world", tmp_path)
    assert "no output of a model was found" in found.notes[0]
    assert "# mine:" in found.text
    # The example, uncommented, is a config that can be read.
    text = found.text.replace("  # mine:", "  mine:").replace("  #   ", "    ")
    (tmp_path / "exam.yaml").write_text(text, encoding="utf-8")
    assert "states" in read_config(tmp_path / "exam.yaml").models["mine"]["scorekeeping"]


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        propose(tmp_path / "nowhere", tmp_path)


def test_a_name_that_no_config_can_hold_is_told(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"a\xff.json")).write_text('[{"question_id": 1, "answer": "yes"}]')
    with pytest.raises(UsageError, match="a config cannot hold a name that is not UTF-8; rename the file"):
        propose(tmp_path, tmp_path)


def test_files_with_numbers_are_one_name_where_all_are_there_and_differ_in_it_alone() -> None:
    def series(*names: str) -> str | tuple[str, ...]:
        return _series({f"robustness.noisy.{name[1]}": Path(name) for name in names}, "robustness.noisy", 3)

    assert series("p1.json", "p2.json", "p3.json") == "p{}.json"
    assert series("p1.json", "p2.json") == ("p1.json", "p2.json")
    assert series("p1.json", "p3.json") == ("p1.json",), "those after a gap are of another series"
    assert series("p1.json", "p2_b.json", "p3.json") == ("p1.json", "p2_b.json", "p3.json")
    assert series("p2.json") == ()


def test_questions_to_train_on_are_not_taken_beside_those_of_the_examination(folder: Path, tmp_path: Path) -> None:
    assert (folder / "data" / "vqa_train_questions.json").exists()
    config = written(propose(folder, tmp_path), tmp_path)
    assert config.data["robustness"]["questions"] == (f"{folder}/data/vqa_val_questions.json",)
