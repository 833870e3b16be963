"""Which steps wait for which."""

from pathlib import Path

import pytest

from voirdire.engine import Processes, WorkerLost
from voirdire.session.execute import Done, Fault, Line, Started, _lost, execute, lines_of, needs
from voirdire.session.steps import Step, do


def step(model: str, name: str, *reads: str, weight: int = 0) -> Step:
    return Step(model, "world answer", Path(name), {"reads": tuple(reads)}, weight=weight)


def names(steps: list[Step]) -> list[tuple[list[str], list[str]]]:
    """Of each line its steps, and the first steps of the lines that it needs."""
    lines = lines_of(steps)
    return [
        ([one.place.name for one in line.steps], sorted(lines[other].steps[0].place.name for other in line.after))
        for line in lines.values()
    ]


def test_steps_that_need_nothing_are_lines_of_their_own() -> None:
    assert names([step("a", "x"), step("a", "y"), step("b", "z")]) == [(["x"], []), (["y"], []), (["z"], [])]


def test_a_models_chain_is_one_line() -> None:
    steps = [step("a", "said"), step("a", "score", "said"), step("a", "kinds", "said"), step("b", "other")]
    assert names(steps) == [(["said", "score", "kinds"], []), (["other"], [])]


def test_a_line_waits_for_what_models_share() -> None:
    steps = [
        step("", "ranking"),
        step("", "noisy", "ranking"),
        step("a", "said", "noisy/clean.json", "noisy/1.json"),
        step("a", "score", "said/clean.json", "truth"),
        step("b", "alone"),
    ]
    assert names(steps) == [(["ranking", "noisy"], []), (["said", "score"], ["ranking"]), (["alone"], [])]


def test_two_lines_that_meet_are_one() -> None:
    steps = [step("a", "x"), step("a", "y"), step("a", "z", "x", "y"), step("a", "w", "z")]
    assert names(steps) == [(["x", "y", "z", "w"], [])]


def test_long_work_and_what_it_waits_for_come_first() -> None:
    steps = [
        step("a", "short"),
        step("", "survey"),
        step("a", "probe", "survey", weight=1),
        step("", "rank", weight=2),
    ]
    assert [line for line, _ in names(steps)] == [["rank"], ["survey"], ["probe"], ["short"]]


def test_no_step_no_line() -> None:
    assert lines_of([]) == {}


def test_a_file_in_a_folder_that_is_made_is_needed() -> None:
    made = {Path("noisy"), Path("x")}
    assert needs(step("a", "s", "noisy/clean.json", "y"), made) == {Path("noisy")}
    assert needs(step("a", "s", "elsewhere/noisy"), made) == set()


def short_of_memory(step: Step) -> None:
    raise MemoryError("Unable to allocate 2.00 TiB")


def make_it(step: Step) -> None:
    step.place.write_text("made")


def test_a_step_without_enough_memory_is_a_fault_and_others_go_on(tmp_path: Path) -> None:
    first = Step("a", "world answer", tmp_path / "x", {}, maker=f"{__name__}:short_of_memory")
    second = Step("b", "world answer", tmp_path / "y", {}, maker=f"{__name__}:make_it")
    (fault,) = execute([first, second])
    assert fault.step == first
    assert fault.message.startswith("this step: not enough memory (Unable to allocate 2.00 TiB).")
    assert second.place.read_text() == "made"


def test_what_needs_a_step_that_failed_is_not_tried(tmp_path: Path) -> None:
    first = Step("a", "world answer", tmp_path / "x", {}, maker=f"{__name__}:short_of_memory")
    second = Step("a", "world answer", tmp_path / "y", {"of": (str(first.place),)}, maker=f"{__name__}:make_it")
    other = Step("b", "world answer", tmp_path / "z", {"of": (str(first.place),)}, maker=f"{__name__}:make_it")
    alone = Step("a", "world answer", tmp_path / "w", {}, maker=f"{__name__}:make_it")
    faults = execute([first, second, other, alone])
    assert {fault.step.place.name for fault in faults} == {"x", "y", "z"}
    assert {fault.message for fault in faults[1:]} == {f"it needs {first.place}, which could not be made"}
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["w"]


def test_steps_of_files_that_are_known_to_be_bad_are_not_tried(tmp_path: Path) -> None:
    first = Step("a", "world answer", tmp_path / "x", {}, maker=f"{__name__}:make_it")
    second = Step("b", "world answer", tmp_path / "y", {"of": (str(first.place),)}, maker=f"{__name__}:make_it")
    events: list[object] = []
    faults = execute([first, second], on_event=events.append, bad_files=[Fault(first, "it is broken")])
    assert [(fault.step, fault.message) for fault in faults] == [
        (second, f"it needs {first.place}, which could not be made")
    ]
    assert [type(event) for event in events] == [Started, Fault], "the fault that is known was told before"
    assert not first.place.exists()


def test_a_line_is_begun_when_all_that_it_needs_is_there(tmp_path: Path) -> None:
    def step(model: str, name: str, *reads: str) -> Step:
        sources = {"of": tuple(str(tmp_path / read) for read in reads)}
        return Step(model, "world answer", tmp_path / name, sources, maker=f"{__name__}:make_of")

    # The first step of the first line needs nothing, the second what another makes.
    steps = [step("a", "x"), step("", "shared"), step("a", "y", "x", "shared")]
    done: list[object] = []
    assert execute(steps, on_event=done.append) == []
    assert [one.title for one in done if isinstance(one, Done)] == [steps[number].title for number in (1, 0, 2)]


def make_of(step: Step) -> None:
    step.place.write_text("".join(Path(path).read_text() for path in step.sources["of"]) or step.place.name)


def test_of_a_line_whose_worker_was_lost_the_first_step_that_is_not_there_did_it(tmp_path: Path) -> None:
    steps = tuple(Step("a", "world answer", tmp_path / name, {}, maker=f"{__name__}:make_it") for name in "xyz")
    do(steps[0])
    there, lost, after = _lost(Line(steps, frozenset()), WorkerLost("its worker ended"))
    assert there == Done(steps[0].title, None)
    assert lost == Fault(steps[1], "its worker ended")
    assert after == Fault(steps[2], f"it needs {steps[1].place}, which could not be made")


@pytest.mark.slow
def test_a_step_that_always_kills_its_worker_is_a_fault_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "step_makers.py").write_text(
        "import os, signal\n"
        "def die(step): os.kill(os.getpid(), signal.SIGKILL)\n"
        "def make(step): step.place.write_text('made')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    first = Step("a", "world answer", tmp_path / "x", {}, maker="step_makers:die")
    second = Step("b", "world answer", tmp_path / "y", {}, maker="step_makers:make")
    after = Step("a", "world answer", tmp_path / "z", {"of": (str(first.place),)}, maker="step_makers:make")
    faults = execute([first, second, after], Processes(2))
    assert [fault.step for fault in faults] == [first, after]
    assert faults[0].message.startswith("its worker ended without an answer 4 times: ")
    assert faults[1].message == f"it needs {first.place}, which could not be made"
    assert second.place.read_text() == "made"
