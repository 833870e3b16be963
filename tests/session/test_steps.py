"""When is a step done? Its content, options and version decide, never names or times."""

from pathlib import Path
from typing import Any

import pytest

from voirdire.exam import Output, Part, part_named
from voirdire.options import Options
from voirdire.session import steps as module
from voirdire.session.steps import Step, do, is_made, options_of_step, part_step

HERE = __name__


def join(step: Step) -> None:
    step.place.write_text(step.options["between"].join(Path(path).read_text() for path in step.sources["parts"]))


@pytest.fixture(autouse=True)
def _named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps name their makers by where they are, and this module is loaded under a name of pytest's own."""
    monkeypatch.setattr(module, "load", lambda place: globals()[place.partition(":")[2]])


@pytest.fixture
def made(tmp_path: Path) -> Step:
    for name in "ab":
        (tmp_path / name).write_text(name)
    sources = {"parts": (str(tmp_path / "a"), str(tmp_path / "b"))}
    step = Step("m", "join", tmp_path / "out", sources, {"between": "-"}, f"{HERE}:join")
    do(step)
    return step


def changed(step: Step, **parts: Any) -> Step:
    import dataclasses

    return dataclasses.replace(step, **parts)


def test_done_once(made: Step) -> None:
    assert made.place.read_text() == "a-b"
    assert is_made(made)


def test_other_options_are_another_step(made: Step) -> None:
    assert not is_made(changed(made, options={"between": "+"}))
    assert not is_made(changed(made, kind="add"))


def test_the_content_of_a_source_counts_and_its_name_does_not(made: Step, tmp_path: Path) -> None:
    (tmp_path / "a").rename(tmp_path / "c")
    assert is_made(changed(made, sources={"parts": (str(tmp_path / "c"), str(tmp_path / "b"))}))
    assert not is_made(changed(made, sources={"parts": (str(tmp_path / "b"), str(tmp_path / "c"))}))
    (tmp_path / "c").write_text("x")
    assert not is_made(changed(made, sources={"parts": (str(tmp_path / "c"), str(tmp_path / "b"))}))


def test_another_version_makes_it_anew(made: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__version__", "99")
    assert not is_made(made)


def test_what_was_changed_afterwards_is_not_what_was_made(made: Step) -> None:
    made.place.write_text("a+b")
    assert not is_made(made)
    made.place.unlink()
    assert not is_made(made)


def fail(step: Step) -> None:
    raise RuntimeError


def test_a_step_that_fails_leaves_no_note(made: Step) -> None:
    with pytest.raises(RuntimeError):
        do(changed(made, maker=f"{HERE}:fail"))
    assert made.place.read_text() == "a-b"
    assert not is_made(made)


def test_what_a_killed_session_left_is_removed(made: Step, tmp_path: Path) -> None:
    (tmp_path / ".abc.partial.out").mkdir()
    (tmp_path / ".abc.partial.out" / "run.json").touch()
    (tmp_path / ".def.partial..out.made_of.json").touch()
    (tmp_path / ".abc.partial.other").touch()
    do(made)
    assert [path.name for path in tmp_path.glob(".*.partial.*")] == [".abc.partial.other"]


def join_and_change(step: Step) -> None:
    join(step)
    (step.place.parent / "a").write_text("changed meanwhile")


def test_a_source_that_changes_while_it_is_read_is_read_again(made: Step, tmp_path: Path) -> None:
    slow = changed(made, maker=f"{HERE}:join_and_change")
    do(slow)
    assert not is_made(slow)


def test_what_is_read_in_another_role_is_another_step(made: Step) -> None:
    assert not is_made(changed(made, sources={"others": made.sources["parts"]}))


@pytest.mark.parametrize(
    ("title", "given"),
    [
        ("answers score", {"encoder": ("minilm", "static"), "seed": 3}),
        ("answers score", {"measures": ("bleu",)}),
        ("scorekeeping probe", {"encoder": "static", "epochs": 2}),
    ],
)
def test_options_come_out_of_a_step_as_they_went_in(title: str, given: dict[str, Any]) -> None:
    part = part_named(title)
    options = part.options(**given)
    step = part_step("m", title, Path("out"), {"generations": ("g.json",)}, options, 2)
    assert step.sources["generations"] == ("g.json",)
    assert options_of_step(part, step) == options
    assert (step.model, step.kind, step.weight) == ("m", title, 2)
    # A provider may read files, so it is something that is read.
    assert not {"encoder"} & step.options.keys()


def test_unfinished_work_is_kept_beside_a_step_until_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def probe(options: Options, stages: object, output: str, work: Path, overwrite: bool) -> None:
        work.mkdir(exist_ok=True)
        (work / "half").touch()
        if overwrite:
            Path(output).write_text("whole")

    part = Part("probe", "Probe.", probe, outputs=(Output("Where."),), takes="work overwrite", makes="lines")
    monkeypatch.setattr(module, "part_named", lambda kind: part)
    step = Step("m", "taste probe", tmp_path / "out", {})
    module.make_part(step)
    assert step.place.read_text() == "whole"
    assert not (tmp_path / "out.training").exists()
