"""`voirdire exam` and `voirdire init` as they are called: what they print, and how they exit."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from voirdire.atomic import lock_folder
from voirdire.cli.main import app
from voirdire.errors import InputError, OutputError, UsageError
from voirdire.runs import read_run

CONFIG = """\
output: out
data: {answers: {references: references.json}}
models:
  good: {answers: {generations: good.json}}
  bad: {answers: {generations: bad.json}}
options: {answers: {measures: [bleu], bounds: false}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    flags = [1] + [0] * 99
    sets = [
        {
            "image_id": image,
            "round_id": 0,
            "in_cluster_idxs": flags,
            "refs": ["yes it is"],
            "question": "is it",
            "gt_answer": "yes it is",
        }
        for image in range(3)
    ]
    said = [{"image_id": image, "round_id": 0, "generations": ["yes it is"]} for image in range(3)]
    (tmp_path / "references.json").write_text(json.dumps(sets))
    (tmp_path / "good.json").write_text(json.dumps(said))
    (tmp_path / "bad.json").write_text(json.dumps([said[0] | {"generations": [5]}]))
    (tmp_path / "exam.yaml").write_text(CONFIG)
    return tmp_path


def call(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(map(str, words)))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def test_one_bad_file_is_told_before_any_work_and_the_rest_is_done(folder: Path) -> None:
    code, out, err = call("exam", "--config", folder / "exam.yaml")
    assert code == 2
    assert out.endswith(f"\n1 run, and the report: {folder}/out/report.html\n")
    lines = err.splitlines()
    place = f"{folder}/exam.yaml: line 5, field `models.bad.answers.generations`"
    assert lines[0].startswith(f"voirdire: bad: answers score: {place}: {folder}/bad.json: ")
    assert any(line.startswith("good: answers score: ") and line.endswith(" s") for line in lines[1:])
    assert "skipped: good, bad: no files for robustness, questions, scorekeeping" in lines
    assert lines[-1] == "voirdire: the steps that were named at the beginning, before the work, are not done"
    assert err.count("bad.json") == 1


def test_how_much_of_what_was_asked_is_scored_is_said(folder: Path) -> None:
    (folder / "bad.json").write_text(json.dumps(json.loads((folder / "good.json").read_text())[:2]))
    code, _, err = call("exam", "--config", folder / "exam.yaml")
    assert code == 0
    (line,) = (line for line in err.splitlines() if line.startswith("bad: answers score: "))
    assert line.endswith(" s; scored: 2 of 3 rounds")
    assert (
        "bad: answers score: there already; scored: 2 of 3 rounds" in call("exam", "--config", folder / "exam.yaml")[2]
    )


def run_of(folder: Path, model: str = "good") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "out" / "runs" / model / "answers" / "run.json").read_text())
    return found


@pytest.mark.slow
def test_a_limit_for_all_exams_by_flag_or_by_config(folder: Path) -> None:
    (folder / "bad.json").write_text((folder / "good.json").read_text())
    code, _, err = call("exam", "--config", folder / "exam.yaml", "--limit", 2, "--seed", 4)
    assert code == 0, err
    assert "good: answers score: " in err
    assert "scored: 2 of 3 images, seed 4" in err
    run = run_of(folder)
    assert (run["options"]["limit"], run["options"]["seed"], run["items"]["rows"]) == (2, 4, 2)
    # The same from the config, where an exam's own goes before what is said for all, and a flag before both.
    text = CONFIG.replace("{measures", "{limit: 1, measures").replace(
        "{answers: {limit", "{limit: 2, seed: 4, answers: {limit"
    )
    (folder / "exam.yaml").write_text(text)
    assert call("exam", "--config", folder / "exam.yaml")[0] == 0
    assert (run_of(folder)["options"]["limit"], run_of(folder)["options"]["seed"]) == (1, 4)
    err = call("exam", "--config", folder / "exam.yaml", "--limit", 3)[2]
    assert run_of(folder)["items"]["rows"] == 3
    assert "seed 4" not in err
    (folder / "exam.yaml").write_text(text.replace("{limit: 2", "{limit: 0"))
    with pytest.raises(InputError, match=r"`options.limit`: found 0, expected a whole number >= 1"):
        call("exam", "--config", folder / "exam.yaml")
    assert CliRunner().invoke(app, ["exam", "--config", str(folder / "exam.yaml"), "--limit", "0"]).exit_code == 2


@pytest.mark.slow
def test_own_slices_by_flag_or_by_config(folder: Path) -> None:
    (folder / "bad.json").write_text((folder / "good.json").read_text())
    (folder / "halls.csv").write_text("image_id,hall\n0,left\n1,right\n")
    page = folder / "out" / "report.html"
    assert call("exam", "--config", folder / "exam.yaml")[0] == 0
    assert "hall: left" not in page.read_text()
    assert call("exam", "--config", folder / "exam.yaml", "--slices", folder / "halls.csv")[0] == 0
    assert "hall: left" in page.read_text()
    (folder / "exam.yaml").write_text(CONFIG.replace("}}\nmodels", "}, slices: halls.csv}\nmodels"))
    page.unlink()
    assert call("exam", "--config", folder / "exam.yaml")[0] == 0
    assert "hall: left" in page.read_text()
    # Another table is another report.
    (folder / "halls.csv").write_text("image_id,hall\n0,north\n1,right\n")
    assert call("exam", "--config", folder / "exam.yaml")[0] == 0
    assert "hall: north" in page.read_text()


def test_slices_that_do_not_fit_are_told_and_the_report_is_there_without_them(folder: Path) -> None:
    (folder / "bad.json").write_text((folder / "good.json").read_text())
    (folder / "exam.yaml").write_text(CONFIG.replace("}}\nmodels", "}, slices: halls.csv}\nmodels"))
    with pytest.raises(UsageError, match=r"line 2, field `data.slices`: .*halls.csv: found no such file"):
        call("exam", "--config", folder / "exam.yaml")
    assert not (folder / "out" / "runs").exists()
    (folder / "halls.csv").write_text("image_id,hall\n900,left\n")
    code, out, err = call("exam", "--config", folder / "exam.yaml")
    assert (code, out.splitlines()[-1]) == (2, f"2 runs, and the report: {folder}/out/report.html")
    assert "field `data.slices`" in err
    assert "found no item of any run by image_id" in err


def test_the_config_of_the_folder_is_taken_where_none_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "bad.json").write_text((folder / "good.json").read_text())
    code, out, err = call("exam")
    assert (code, out.splitlines()[-1]) == (0, "2 runs, and the report: out/report.html")
    assert err.startswith("config: exam.yaml, of this folder\n")
    (folder / "exam.yaml").unlink()
    with pytest.raises(UsageError, match=r"there is no exam.yaml in this folder; `voirdire init FOLDER` writes one"):
        call("exam")


def test_when_it_is_mended_only_that_is_done(folder: Path) -> None:
    call("exam", "--config", folder / "exam.yaml", "-o", folder / "elsewhere")
    (folder / "bad.json").write_text((folder / "good.json").read_text())
    code, out, err = call("exam", "--config", folder / "exam.yaml", "-o", folder / "elsewhere")
    assert code == 0, err
    assert out.splitlines()[-1] == f"2 runs, and the report: {folder}/elsewhere/report.html"
    assert "good: answers score: there already" in err
    assert "bad: answers score: there already" not in err


def test_a_fault_that_several_models_share_is_told_once(folder: Path) -> None:
    (folder / "references.json").unlink()
    code, out, err = call("exam", "--config", folder / "exam.yaml")
    assert (code, out) == (2, "")
    assert err.count("no such file") == 1
    assert "voirdire: good: answers score; bad: answers score: " in err


def test_calls_that_cannot_be_carried_out(folder: Path) -> None:
    with pytest.raises(UsageError, match="either --config or --world"):
        call("exam", "--config", folder / "exam.yaml", "--world", folder)
    with pytest.raises(UsageError, match="--world needs -o"):
        call("exam", "--world", folder)
    with pytest.raises(InputError, match="no such file"):
        call("exam", "--world", folder, "-o", folder / "out")
    with pytest.raises(InputError, match="no such file"):
        call("exam", "--config", folder / "nowhere.yaml")
    (folder / "exam.yaml").write_text(CONFIG.removeprefix("output: out\n"))
    with pytest.raises(UsageError, match="no folder for its output"):
        call("exam", "--config", folder / "exam.yaml")


def test_init_writes_a_config_and_spares_one_that_is_there(folder: Path) -> None:
    path = folder / "new" / "exam.yaml"
    code, out, err = call("init", folder, "-o", path)
    assert code == 0, err
    assert "good: answers" in out
    assert out.endswith(f"{path}: look through it, then: voirdire exam --config {path}\n")
    text = path.read_text()
    assert "references: ../references.json" in text
    with pytest.raises(UsageError, match="is there already; name another file, or add --overwrite"):
        call("init", folder, "-o", path)
    assert call("init", folder, "-o", path, "--overwrite")[0] == 0
    assert call("init", folder, "-o", "-")[1].startswith("# A session of exams")
    with pytest.raises(OutputError, match="it is a folder"):
        call("init", folder, "-o", folder)
    with pytest.raises(UsageError, match="is not a folder"):
        call("init", folder / "exam.yaml", "-o", folder / "x.yaml")


def test_a_folder_of_pictures_that_is_not_there_is_refused_before_any_work(folder: Path) -> None:
    config = folder / "exam.yaml"
    config.write_text(CONFIG.replace("}}\nmodels", "}, images: gone}\nmodels"))
    with pytest.raises(
        UsageError, match=r"line 2, field `data\.images`: .*gone: found nothing, expected a folder or a zip of pictures"
    ):
        call("exam", "--config", config)
    assert not (folder / "out").exists()


def test_a_broken_picture_does_not_cost_the_report(folder: Path) -> None:
    (folder / "pictures").mkdir()
    (folder / "pictures" / "1.jpg").write_bytes(b"no picture")
    config = folder / "exam.yaml"
    config.write_text(CONFIG.replace("}}\nmodels", "}, images: pictures}\nmodels"))
    _, out, _ = call("exam", "--config", config)
    assert out.endswith(f"\n1 run, and the report: {folder}/out/report.html\n")
    message = "1 picture could not be read: 1.jpg (no picture of a kind that is known)"
    assert message in (folder / "out" / "report.html").read_text()


def test_two_sessions_do_not_work_in_one_folder(folder: Path) -> None:
    with (
        lock_folder(folder / "out", ".lock"),
        pytest.raises(UsageError, match="out: another run is at work here"),
    ):
        call("exam", "--config", folder / "exam.yaml")
    assert call("exam", "--config", folder / "exam.yaml")[1].splitlines()[-1].startswith("1 run")


def test_a_place_that_is_no_folder_is_refused_before_any_work(folder: Path) -> None:
    with pytest.raises(OutputError, match=r"good\.json: cannot be written"):
        call("exam", "--config", folder / "exam.yaml", "-o", folder / "good.json")


def test_logs_of_games_do_not_cost_the_report_its_texts(folder: Path) -> None:
    log = {"index": 0, "image_id": 1, "target_category": "cup", "target_center_xy_ybottom": [1, 2], "status": "success"}
    (folder / "log.jsonl").write_text(json.dumps({**log, "qas": [{"question": "is it red?", "answer": "Yes"}]}) + "\n")
    config = folder / "exam.yaml"
    config.write_text("output: out\nmodels: {one: {questions: {games: log.jsonl}}}\noptions: {}\n")
    err = call("exam", "--config", config)[2]
    assert "one: questions kinds: " in err
    assert "report: not done" not in err


def test_the_verdict_and_the_figures_are_printed_when_it_is_done(folder: Path) -> None:
    (folder / "bad.json").write_text((folder / "good.json").read_text())
    code, out, _ = call("exam", "--config", folder / "exam.yaml")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Answers: A tie: good and bad have the same BLEU-1, 1.000 (3 rounds that both were asked)."
    assert "good  1.0000 (1.0000 … 1.0000)" in lines
    assert (folder / "out" / "verdict.txt").read_text().startswith(lines[0])
    # A session that finds everything done says the same.
    assert call("exam", "--config", folder / "exam.yaml")[1] == out


def test_what_a_verb_would_warn_of_is_printed(folder: Path) -> None:
    said = json.loads((folder / "good.json").read_text())
    (folder / "bad.json").write_text(json.dumps([*said[1:], said[0] | {"generations": [""]}]))
    _, _, err = call("exam", "--config", folder / "exam.yaml")
    run = read_run(folder / "out" / "runs" / "bad" / "answers")
    assert run.warnings
    assert [f"warning: bad: answers score: {text}" for text in run.warnings] == [
        line for line in err.splitlines() if line.startswith("warning: bad")
    ]
