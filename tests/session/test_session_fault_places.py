"""Faults in the words of a config: the key and the line where each can be mended."""

from pathlib import Path

import pytest

from voirdire.session.config import Config, read_config
from voirdire.session.execute import Fault
from voirdire.session.session import with_config_place
from voirdire.session.steps import Step

TEXT = """\
data:
  answers: {references: same.json, visdial: same.json}
  robustness: {annotations: a.json, questions: [asked.json]}
  questions: {oracle: "table:table.json", originals: o.jsonl}
  images: pictures
models:
  mine:
    answers: {generations: g.json}
    robustness: {clean: c.json, noisy: "p{}.json"}
    questions: {games: g.jsonl}
options:
  answers:
    encoder: [minilm, "nope:x"]
    round_base: 1
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.chdir(tmp_path)
    Path("exam.yaml").write_text(TEXT)
    Path("table.json").touch()
    return read_config("exam.yaml")


def told(config: Config, kind: str, message: str, file: str = "", model: str = "mine", *reads: str) -> str:
    step = Step(model, kind, Path("out"), dict.fromkeys(reads, ()))
    return with_config_place(Fault(step, message, file), config).message


@pytest.mark.parametrize(
    ("kind", "file", "place"),
    [
        ("answers score", "g.json", "line 8, field `models.mine.answers.generations`"),
        ("robustness score", "p3.json", "line 9, field `models.mine.robustness.noisy`"),
        ("questions score", "table.json", "line 4, field `data.questions.oracle`"),
        # The file of another exam, or below a folder.
        ("report", "asked.json", "line 3, field `data.robustness.questions`"),
        ("report", "pictures/1.jpg", "line 5, field `data.images`"),
        # No file, but what messages call one, or several together.
        ("answers score", "generations", "line 8, field `models.mine.answers.generations`"),
        ("answers score", "generations and references", "line 8, field `models.mine.answers`"),
    ],
)
def test_a_file_is_found_by_its_path(config: Config, kind: str, file: str, place: str) -> None:
    assert told(config, kind, f"{file}: found nothing", file) == f"exam.yaml: {place}: {file}: found nothing"


@pytest.mark.parametrize(("role", "key"), [("references", "references"), ("visdial", "visdial")])
def test_of_two_keys_with_one_file_it_is_that_which_the_step_reads(config: Config, role: str, key: str) -> None:
    said = told(config, "answers bounds", "same.json: no", "same.json", "references", role)
    assert said == f"exam.yaml: line 2, field `data.answers.{key}`: same.json: no"


@pytest.mark.parametrize(
    ("kind", "message", "said"),
    [
        (
            "answers score",
            "there is no encoder 'nope'",
            "line 13, field `options.answers.encoder`: there is no encoder 'nope'",
        ),
        (
            "questions score",
            "`oracle` is needed",
            "line 4, field `data.questions.oracle`: `data.questions.oracle` is needed",
        ),
        # Of several options that which is set.
        (
            "questions score",
            "`coco` and `originals` exclude",
            "line 4, field `data.questions.originals`: `data.questions.coco` and `data.questions.originals` exclude",
        ),
        (
            "answers rank",
            "set `common` or `round_base`",
            "line 14, field `options.answers.round_base`: set `options.answers.common` or `options.answers.round_base`",
        ),
        # A name that is no option or input of the exam, and a field of a file, are said as they are.
        ("robustness score", "join them with `coco`", "line 9, field `models.mine.robustness`: join them with `coco`"),
        ("answers rank", "field `common`: found", "line 8, field `models.mine.answers`: field `common`: found"),
    ],
)
def test_an_option_is_found_by_its_name_or_its_value(config: Config, kind: str, message: str, said: str) -> None:
    assert told(config, kind, message).startswith(f"exam.yaml: {said}")


def test_what_has_no_key_is_told_as_it_is(config: Config) -> None:
    assert told(config, "world answer", "name it with `scenes`") == "name it with `scenes`"
    assert told(config, "questions score", "with `nothing`").endswith(": with `nothing`")


def test_a_config_that_is_no_file_has_keys_alone() -> None:
    said = told(Config({}), "answers overlap", "or set `common`", model="references")
    assert said == "field `options.answers.common`: or set `options.answers.common`"


def test_a_fault_of_a_call_is_said_in_its_flags() -> None:
    step = Step("mine", "ask answers score", Path("out"), {}, manner={"live": {"model": "openai:mine"}})
    fault = Fault(step, "`key` is not set", option="key")
    assert with_config_place(fault, Config({"mine": {}})) == fault


def test_a_setting_of_a_live_model_is_found_at_the_model(tmp_path: Path) -> None:
    (tmp_path / "live.yaml").write_text("models:\n  mine:\n    model: openai:mine\n    key: KEY\n")
    read = read_config(tmp_path / "live.yaml")
    step = Step("mine", "ask answers score", Path("out"), {}, manner={"live": read.live["mine"]})
    said = with_config_place(Fault(step, "`key` is not set", option="key"), read).message
    assert said == f"{tmp_path}/live.yaml: line 4, field `models.mine.key`: `models.mine.key` is not set"


def test_a_setting_of_a_model_in_several_templates_is_found_at_the_model(tmp_path: Path) -> None:
    (tmp_path / "live.yaml").write_text("models:\n  mine:\n    model: openai:mine\n    key: KEY\n")
    read = read_config(tmp_path / "live.yaml")
    step = Step("mine@brief", "ask answers score", Path("out"), {}, manner={"live": read.live["mine"]})
    said = with_config_place(Fault(step, "`key` is not set"), read).message
    assert said == f"{tmp_path}/live.yaml: line 4, field `models.mine.key`: `models.mine.key` is not set"
