"""When is a step done? Its content, options and version decide, never names or times."""

from pathlib import Path
from typing import Any

import pytest

from voirdire.session import steps as module
from voirdire.session.named_files import fingerprint, spec_placed
from voirdire.session.steps import Step, do, is_made

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


def test_fingerprints_of_folders_and_providers(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "x").write_text("1")
    before = fingerprint(str(folder))
    assert before == fingerprint(str(folder))
    (folder / "deep" / "x").rename(folder / "deep" / "y")
    assert fingerprint(str(folder)) != before
    file = tmp_path / "v.npz"
    file.write_text("1")
    named = fingerprint(f"npz:{file}")
    assert named.startswith("npz ")
    assert fingerprint(f"bert:{file}?pool=mean") != named
    file.write_text("22")
    assert fingerprint(f"npz:{file}") != named
    assert fingerprint("minilm") == "minilm"
    assert fingerprint("npz:nowhere.npz") == "npz:nowhere.npz"


def test_options_after_a_providers_path_count(tmp_path: Path) -> None:
    file = tmp_path / "b"
    file.write_text("1")
    assert fingerprint(f"bert:{file}?pool=mean") != fingerprint(f"bert:{file}?pool=cls")


def test_providers_with_several_files(tmp_path: Path) -> None:
    for name in ("oracle.npz", "crops.h5"):
        (tmp_path / name).write_text(name)
    placed = spec_placed("model:oracle.npz,crops.h5", tmp_path)
    assert placed == f"model:{tmp_path}/oracle.npz,{tmp_path}/crops.h5"
    assert len(fingerprint(placed).split()) == 3
    assert spec_placed("vlm:some-name", tmp_path) == "vlm:some-name"
