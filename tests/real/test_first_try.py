"""A user's first try on published files: `voirdire init` and `voirdire exam`, in each folder without an edit."""

import re
import shutil
from pathlib import Path

import pytest

from first_try import APART, FLAT, OUTPUTS, OWN, call, make_folder
from voirdire.runs import read_run
from voirdire.session.config import read_config

pytestmark = pytest.mark.slow

ANSWERS = {
    "references": "refs_H_human_val.json",
    "visdial": "visdial_1.0_val_crowdsourced.json",
    "dense": "visdial_1.0_val_dense_annotations_crowdsourced.json",
}
BY_SETS = {"blip2", "cca-aq-g", "blip2@refs_S_human_val", "cca-aq-g@refs_S_human_val"}
"""The models, and what they are called where a further file of reference sets examines them."""
NO_ORACLE = "human: questions score needs `data.questions.oracle`"


def test_dialogues_with_two_kinds_of_reference_sets(real_data: Path, tmp_path: Path) -> None:
    folder = make_folder("dialogues", real_data, tmp_path)
    printed = call(folder, "init", ".")
    assert printed.returncode == 0, printed.stdout
    assert "left out" not in printed.stdout
    config = read_config(folder / "exam.yaml")
    assert {key: Path(file).name for key, file in config.data["answers"].items()} == ANSWERS
    assert set(config.models) == BY_SETS
    assert "scorekeeping:\n" not in (folder / "exam.yaml").read_text()
    cheap(folder)
    done = call(folder, "exam")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("config: exam.yaml, of this folder\n")
    assert done.stdout.count("scored: 2,064 of 2,064 rounds, 18,576 others left aside\n") == 4
    assert "6 runs, and the report: results/report.html" in done.stdout


def test_questions_with_the_answers_of_three_models(real_data: Path, tmp_path: Path) -> None:
    folder = make_folder("questions", real_data, tmp_path)
    assert call(folder, "init", ".").returncode == 0
    assert set(read_config(folder / "exam.yaml").models) == {"gpt2", "vggpt2", "model"}
    done = call(folder, "exam")
    assert done.returncode == 0, done.stdout
    assert "3 runs, and the report: results/report.html" in done.stdout
    runs = {path.parent.name: read_run(path) for path in (folder / "results" / "runs").glob("*/*") if path.is_dir()}
    assert {name: run.measures["accuracy"].n for name, run in runs.items()} == dict.fromkeys(runs, 189)
    assert len(runs) == 3


def test_games_without_an_oracle(real_data: Path, tmp_path: Path) -> None:
    folder = make_folder("games", real_data, tmp_path)
    assert NO_ORACLE in call(folder, "init", ".").stdout
    done = call(folder, "exam")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(NO_ORACLE) == 1
    assert "1 run, and the report: results/report.html" in done.stdout


@pytest.mark.parametrize("name", [FLAT, APART])
def test_all_of_them_mixed(real_data: Path, tmp_path: Path, name: str) -> None:
    folder = make_folder(name, real_data, tmp_path)
    printed = call(folder, "init", ".")
    assert printed.returncode == 0, printed.stdout
    config = read_config(folder / "exam.yaml")
    assert {key: Path(file).name for key, file in config.data["answers"].items()} == ANSWERS
    assert len(config.models) == 8
    assert set(config.models) >= BY_SETS
    assert {exam for files in config.models.values() for exam in files} == {"answers", "robustness", "questions"}
    cheap(folder)
    done = call(folder, "exam")
    assert done.returncode == 0, done.stdout
    assert "10 runs, and the report: results/report.html" in done.stdout


def test_generations_of_another_split_are_left_out(real_data: Path, tmp_path: Path) -> None:
    """Reference sets of train share no round with what was said to val."""
    folder = make_folder("dialogues", real_data, tmp_path)
    for name in ("refs_H_human_val.json", "refs_S_human_val.json"):
        (folder / name).unlink()
    shutil.copyfile(real_data / "visdial/dense/refs_H_human_train.json", folder / "refs_H_human_train.json")
    printed = call(folder, "init", ".")
    assert "left out: refs_H_human_train.json: shares no image with " in printed.stdout
    assert "references" not in read_config(folder / "exam.yaml").data.get("answers", {})
    against = call(folder, "validate", "refs_H_human_train.json", "--against", "blip2_val_generations.json")
    assert against.returncode == 2
    assert "they may be of another split" in against.stdout


def cheap(folder: Path) -> None:
    """Leave the measures out that take long; what is read and how it is put together stays."""
    path = folder / "exam.yaml"
    text = path.read_text()
    assert "    # measures: " in text
    lines = [line if "# measures: " not in line else "    measures: [bleu]" for line in text.splitlines()]
    path.write_text("\n".join(lines) + "\n")


def test_what_a_model_writes_in_sentences(real_data: Path, tmp_path: Path) -> None:
    folder = make_folder(OUTPUTS, real_data, tmp_path)
    unknown, converted, *others = [call(folder, *words) for words in OWN]
    assert unknown.returncode == 2
    assert "voirdire convert answers.jsonl --to vqa_results" in " ".join(unknown.stdout.split())
    assert converted.returncode == 0, converted.stdout
    scored, limited = others[1:]
    assert [one.returncode for one in others] == [0, 0, 0], [one.stdout for one in others]
    figures = dict(re.findall(r"^(accuracy\w*) +([\d.]+)", scored.stdout, re.MULTILINE))
    assert float(figures["accuracy"]) < 5
    assert float(figures["accuracy_normalised"]) > 90
    assert "Limited to 20 of 100 images" in " ".join(limited.stdout.split())
