"""A config proposed from a folder: everything in its place, nothing lost, and it can be used as it is."""

import shutil
from pathlib import Path

import pytest

from voirdire.errors import UsageError
from voirdire.exam import exam_named, part_named
from voirdire.session.config import read_config
from voirdire.session.init import propose
from voirdire.session.schedule import schedule
from voirdire.session.steps import note_of


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


def test_every_file_has_its_place(folder: Path, tmp_path: Path) -> None:
    found = propose(folder, tmp_path)
    path = tmp_path / "exam.yaml"
    path.write_text(found.text, encoding="utf-8")
    config = read_config(path)
    data = config.data
    assert data["answers"]["dialogues"] == f"{folder}/data/visdial_val.json"
    assert data["answers"]["dense"] == f"{folder}/data/visdial_val_dense.json"
    assert data["answers"]["references"] == f"{folder}/data/visdial_val_references_true.json"
    assert data["robustness"]["annotations"] == f"{folder}/data/vqa_val_annotations.json"
    assert data["robustness"]["questions"] == (f"{folder}/data/vqa_val_questions.json",)
    assert data["questions"]["oracle"] == f"scenes:{folder}/data/scenes.jsonl"
    assert data["scorekeeping"]["dialogues"] == f"{folder}/data/visdial_val.json"
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
    assert "visdial_train.json" in rest
    assert "partition1.json" not in rest
    assert all(line.startswith("#") for line in rest.splitlines())
    assert "truthful: answers, robustness" in found.told
    assert "keen: questions" in found.told


def test_what_is_guessed_is_a_comment(folder: Path, tmp_path: Path) -> None:
    sure = propose(folder, tmp_path)
    assert "a guess at" not in sure.text
    assert not any("to check" in line for line in sure.told)
    outputs = folder / "outputs"
    (outputs / "mcan" / "seed1").mkdir(parents=True)
    shutil.copy(outputs / "truthful" / "ranks.json", outputs / "mcan" / "seed1" / "ranks.json")
    shutil.copy(outputs / "keen_games.jsonl", outputs / "games.jsonl")
    references = folder / "data" / "visdial_val_references_true.json"
    shutil.copy(references, references.with_name("more_references.json"))
    found = propose(folder, tmp_path)
    assert "  seed1:  # a guess at its name, from outputs/mcan/seed1/ranks.json\n" in found.text
    assert "  model:  # a guess at its name, from outputs/games.jsonl\n" in found.text
    assert "# Sets of valid answers; one of 2 such files; the end has the others" in found.text
    assert "3 guesses to check; a comment in the config says of what" in found.told
    (tmp_path / "exam.yaml").write_text(found.text, encoding="utf-8")
    assert {"seed1", "model"} < set(read_config(tmp_path / "exam.yaml").models)


def test_what_a_session_made_is_not_taken_for_data(folder: Path, tmp_path: Path) -> None:
    made = folder / "results" / "propositions" / "train.json"
    dialogues = {"dialogues": str(folder / "data" / "visdial_val.json")}
    part_named("scorekeeping propositions").carry_out(dialogues, outputs={"output": str(made)})
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


def test_what_is_still_to_be_set_is_told(folder: Path, tmp_path: Path) -> None:
    (folder / "data" / "visdial_val_references_true.json").unlink()
    said = (
        "still to be set: field `models.blind.answers.generations`: needs `data.answers.references`, which is not given"
    )
    assert said in propose(folder, tmp_path).told


def test_that_games_need_an_oracle_is_told(folder: Path, tmp_path: Path) -> None:
    said = f"still to be set: `data.questions.oracle`: {exam_named('questions').part('score').input('oracle').help}"
    said = said.rstrip(".")
    assert said not in propose(folder, tmp_path).told
    (folder / "data" / "scenes.jsonl").unlink()
    assert said in propose(folder, tmp_path).told
    (folder / "outputs" / "keen_games.jsonl").unlink()
    assert said not in propose(folder, tmp_path).told


def test_a_folder_without_outputs_of_models(spoken: Path, tmp_path: Path) -> None:
    found = propose(spoken / "world", tmp_path)
    assert "no output of a model was found" in found.told[0]
    assert "# mine:" in found.text
    # The example, uncommented, is a config that can be read.
    text = found.text.replace("  # mine:", "  mine:").replace("  #   ", "    ")
    (tmp_path / "exam.yaml").write_text(text, encoding="utf-8")
    assert "states" in read_config(tmp_path / "exam.yaml").models["mine"]["scorekeeping"]


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        propose(tmp_path / "nowhere", tmp_path)
