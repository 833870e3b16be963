"""While a session is at work it says so: not at once, not too often, and only of what is under way."""

import threading
from pathlib import Path

import pytest

from voirdire.cli.session_progress import AtWork, show_work
from voirdire.session.execute import Done, Fault, Started
from voirdire.session.steps import Step


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def said_at(work: AtWork, clock: Clock, now: float, capsys: pytest.CaptureFixture[str]) -> str:
    clock.now = 100 + now
    work.look()
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_a_long_step_is_said_after_a_while_and_then_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    work = AtWork(clock)
    assert said_at(work, clock, 0, capsys) == ""
    work.on_event(Started(("blind: world states", "blind: scorekeeping probe")))
    assert said_at(work, clock, 9.5, capsys) == ""
    assert said_at(work, clock, 10, capsys) == "at work: blind: world states … blind: scorekeeping probe (for 10 s)\n"
    assert said_at(work, clock, 69, capsys) == ""
    assert (
        said_at(work, clock, 96, capsys)
        == "at work: blind: world states … blind: scorekeeping probe (for 1 min 36 s)\n"
    )
    work.on_event(Done("blind: world states", 1.0))
    work.on_event(Done("blind: scorekeeping probe", 95.0))
    assert capsys.readouterr().err == "blind: world states: 1.0 s\nblind: scorekeeping probe: 95.0 s\n"
    assert said_at(work, clock, 1000, capsys) == ""


def test_of_several_those_that_are_over_are_not_said(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    work = AtWork(clock)
    work.on_event(Started(("a: answers score",)))
    clock.now += 5
    work.on_event(Started(("b: answers score",)))
    assert said_at(work, clock, 12, capsys) == "at work: a: answers score (for 12 s); b: answers score (for 7 s)\n"
    work.on_event(Fault(Step("a", "answers score", Path("a"), {}), "wrong"))
    assert capsys.readouterr().err == "a: answers score: not done, see below\n"
    assert said_at(work, clock, 22, capsys) == "at work: b: answers score (for 17 s)\n"
    work.on_event(Done("b: answers score", None))
    assert capsys.readouterr().err == "b: answers score: there already\n"


@pytest.mark.parametrize(
    "over", [Fault(Step("a", "ask answers score", Path("a"), {}), "no reply"), Done("a: ask", 1.0)]
)
def test_the_progress_of_an_interview_that_is_over_does_not_stick(
    capsys: pytest.CaptureFixture[str], over: Fault | Done
) -> None:
    clock = Clock()
    work = AtWork(clock)
    work.on_event(Started((over.title,)))
    progress = work.stages("ask a", "dialogues")
    progress(0, 3)
    work.stages.note("7 replies")
    assert said_at(work, clock, 12, capsys).endswith("(for 12 s); 0 of 3 dialogues, 7 replies\n")
    work.on_event(over)
    work.on_event(Started(("b: answers score",)))
    capsys.readouterr()
    assert said_at(work, clock, 30, capsys) == "at work: b: answers score (for 18 s)\n"
    # The next interview does not begin with the count of the last one.
    work.stages("ask b", "dialogues")(0, 5)
    assert said_at(work, clock, 100, capsys).endswith("; 0 of 5 dialogues\n")


def test_nobody_has_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = threading.Event()
    monkeypatch.setattr("voirdire.cli.progress_bars.TICK", 0.001)
    monkeypatch.setattr(AtWork, "look", lambda self: looked.set())
    with show_work() as work:
        work.on_event(Started(("report",)))
        assert looked.wait(60)
