"""Steps in which a model is asked: what they depend on, and what is only the manner of asking."""

from pathlib import Path
from typing import Any

import pytest

from voirdire.exam import exam_named
from voirdire.live.settings import LiveOptions
from voirdire.progress import UNSEEN
from voirdire.session import steps as module
from voirdire.session.steps import Step, ask_step, interviews_shown_by


def asked(**live: Any) -> Step:
    exam = exam_named("answers")
    part = exam.part("score")
    assert part.ask is not None
    options = LiveOptions(model="openai:mine", **live)
    return ask_step("mine", exam, part, options, part.ask.options(), {"visdial": ("v.json",)}, "pictures", Path("out"))


def test_a_step_has_the_place_of_its_part_and_reads_the_data() -> None:
    step = asked()
    assert (step.title, step.place) == ("mine: ask answers score, answers-score", Path("out/said/mine/answers-score"))
    assert step.sources == {"visdial": ("v.json",)}
    assert step.manner["images"] == ["pictures"]


def test_files_of_the_asking_count_by_their_content_and_other_settings_by_their_value(tmp_path: Path) -> None:
    (tmp_path / "own.toml").touch()
    step = asked(template=str(tmp_path / "own.toml"), scenes="scenes.jsonl", thinking=7)
    assert step.sources["live.template"] == (str(tmp_path / "own.toml"),)
    assert step.sources["live.scenes"] == ("scenes.jsonl",)
    assert step.options["live"]["thinking"] == 7
    # A file under another name is the same.
    assert not {"template", "scenes"} & step.options["live"].keys()
    assert asked().options["live"]["template"] == "plain"


@pytest.mark.parametrize("manner", [{"connections": 2}, {"tries": 1}, {"key": "KEY"}])
def test_how_fast_replies_come_changes_nothing_of_a_step(manner: dict[str, Any]) -> None:
    assert asked(**manner).options == asked().options
    assert asked(**manner).manner != asked().manner


def test_what_models_cost_is_added_up_within_a_session_alone() -> None:
    with interviews_shown_by(UNSEEN):
        assert module._SPENT.get() == {}
    assert module._SPENT.get() is None
    assert module._STAGES.get() is UNSEEN
