"""A model that is asked in several templates: one model of the session for each, counted and kept apart."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UsageError
from voirdire.session.config import Config, read_config
from voirdire.session.execute import execute
from voirdire.session.schedule import schedule
from voirdire.session.session import forecast_session
from voirdire.session.several_templates import over_templates
from voirdire.session.steps import OUTPUTS

REFERENCES = "visdial_val_references_true.json"
THREE = ("plain", "explicit", "brief")


@pytest.fixture
def spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A world of few scenes, and a model that says how many words it was sent."""
    from voirdire.world.build import build_world

    world = tmp_path / "world"
    build_world(world, 6, 3)
    (tmp_path / "mine.py").write_text(
        "def reply(messages, picture):\n    return str(len(' '.join(str(m['content']) for m in messages).split()))\n"
    )
    monkeypatch.chdir(tmp_path)
    data = {"answers": {"visdial": str(world / "visdial_val.json"), "references": str(world / REFERENCES)}}
    live = {"model": "python:mine.py:reply", "show": "nothing", "templates": THREE}
    return Config({"mine": {}}, data, live={"mine": live})


def test_each_template_is_a_model_of_its_own_in_their_order() -> None:
    live = {"model": "openai:m@http://127.0.0.1:9/v1", "templates": ("brief", "plain"), "connections": 3}
    filed: Mapping[str, Any] = {"answers": {"generations": "said.json"}}
    spread = over_templates(
        Config({"filed": filed, "m": {}, "n": {}}, live={"m": live, "n": {"model": "witness:blind"}})
    )
    assert list(spread.models) == ["filed", "m@brief", "m@plain", "n"]
    assert spread.models["filed"] == filed
    assert spread.live["m@plain"] == {"model": live["model"], "connections": 3, "template": "plain"}
    assert spread.live["n"] == {"model": "witness:blind"}


def test_without_templates_nothing_changes() -> None:
    config = Config({"m": {}}, live={"m": {"model": "openai:m@http://127.0.0.1:9/v1", "template": "brief"}})
    assert over_templates(config) == config


@pytest.mark.parametrize(
    ("models", "live", "said"),
    [
        ({"m": {"answers": {"ranks": "r.json"}}}, {}, "brings files"),
        ({"m": {}, "m@brief": {}}, {}, "m@brief is also the name of another model"),
        ({"m": {}}, {"templates": ("plain", "nowhere")}, "nowhere.* nothing that can be read"),
        ({"m": {}}, {"templates": ("plain",)}, "two or more names"),
        ({"m": {}}, {"templates": ("plain", "plain")}, "two or more names"),
        ({"m": {}}, {"template": "brief"}, "either `template` or `templates`"),
    ],
)
def test_what_cannot_be_spread_is_refused(models: Any, live: Any, said: str) -> None:
    given = {"model": "openai:m@http://127.0.0.1:9/v1", "templates": ("plain", "brief"), **live}
    with pytest.raises(UsageError, match=said):
        over_templates(Config(models, live={"m": given}))


def test_two_files_may_not_have_the_same_name(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.toml").write_text('name = "own"\nbase = "plain"\n')
    files = tuple(str(tmp_path / folder / "own.toml") for folder in ("one", "two"))
    given = {"model": "openai:m@http://127.0.0.1:9/v1", "templates": files}
    with pytest.raises(UsageError, match="two that are called own"):
        over_templates(Config({"m": {}}, live={"m": given}))


def test_a_config_names_templates_of_ours_and_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('base = "plain"\n')
    text = "models:\n  m: {model: 'openai:m@http://127.0.0.1:9/v1', templates: [plain, own.toml]}\n"
    (tmp_path / "exam.yaml").write_text(text)
    read = read_config(tmp_path / "exam.yaml")
    assert read.live["m"]["templates"] == ("plain", str(tmp_path / "own.toml"))
    assert list(over_templates(read).models) == ["m@plain", "m@own"]


def test_requests_are_counted_by_exam_and_template(spoken: Config, tmp_path: Path) -> None:
    live = {**spoken.live["mine"], "model": "openai:m@http://127.0.0.1:9/v1"}
    forecasts, _ = forecast_session(replace(spoken, live={"mine": live}), tmp_path / "out")
    assert list(forecasts) == [("ask answers score", template) for template in THREE]
    assert len({forecast.requests for forecast in forecasts.values()}) == 1
    tokens = {template: forecast.tokens for (_, template), forecast in forecasts.items()}
    assert tokens["brief"] < tokens["plain"] < tokens["explicit"]


def test_who_is_asked_without_words_is_not_spread(spoken: Config, tmp_path: Path) -> None:
    live = {"model": "witness:blind", "scenes": str(tmp_path / "world" / "scenes.jsonl"), "templates": THREE}
    with pytest.raises(UsageError, match="asked without words"):
        over_templates(replace(spoken, live={"mine": live}))


def test_the_files_of_each_template_are_kept_apart(spoken: Config, tmp_path: Path) -> None:
    plan = schedule(over_templates(spoken), tmp_path / "out")
    assert not execute(plan.asks)
    for template in THREE:
        label = f"mine@{template}"
        asked = (tmp_path / "out" / OUTPUTS / label / "answers-score" / "asked.json").read_text()
        assert re.search(rf'"template": "{template}-\d+:[0-9a-f]{{12}}"', asked)
        assert tmp_path / "out" / "runs" / label / "answers" in [step.place for step in plan.runs]
    said = {
        (tmp_path / "out" / OUTPUTS / f"mine@{each}" / "answers-score" / "generations.json").read_text()
        for each in THREE
    }
    assert len(said) == 3
