"""What a long run says about itself."""

import io
import time
from collections.abc import Callable

import pytest

from voirdire.cli import progress_bars
from voirdire.cli.progress_bars import Pace, show_progress, shown_stages
from voirdire.progress import COMPILING, report_compiling


@pytest.fixture(autouse=True)
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only reports make lines, unless a test says otherwise: its clock stands still between them, that of the watch
    does not."""
    monkeypatch.setattr(progress_bars, "TICK", 3600.0)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "finished", "expected"),
    [
        (10.0, 25, "2.5 shards/s, 26 s left"),
        (100.0, 10, "6.0 shards/min, 13 min 20 s left"),
        (3600.0, 10, "10.0 shards/h, 8 h 00 min left"),
        (7200.0, 1, "0.5 shards/h, 178 h 00 min left"),
        (50.0, 90, "1.8 shards/s, took 50 s"),
    ],
)
def test_rate_counts_only_what_this_run_did(seconds: float, finished: int, expected: str) -> None:
    clock = Clock()
    pace = Pace("shards", clock)
    assert pace.describe(910, 1000) == ""
    clock.now += seconds
    assert pace.describe(910 + finished, 1000) == expected


def test_what_is_done_once_does_not_count_when_more_is_finished() -> None:
    clock = Clock()
    pace = Pace("shards", clock)
    pace.describe(0, 100)
    clock.now += 100.0
    assert pace.describe(10, 100) == "6.0 shards/min, 15 min 00 s left"
    clock.now += 5.0
    assert pace.describe(20, 100) == "2.0 shards/s, 40 s left"
    clock.now += 40.0
    # Beside the whole time stands the rate of the whole time.
    assert pace.describe(100, 100) == "41.4 shards/min, took 2 min 25 s"


def test_a_rate_is_not_read_off_the_blink_after_the_first_piece() -> None:
    """It said "26,228 texts/s, took 1 min 42 s" of 701 texts: 512 in the first piece, the others a moment later."""
    clock = Clock()
    pace = Pace("texts", clock)
    pace.describe(0, 900)
    clock.now += 102.0
    pace.describe(512, 900)
    clock.now += 0.007
    assert pace.describe(701, 900) == "6.9 texts/s, 29 s left"
    assert pace.describe(900, 900) == "8.8 texts/s, took 1 min 42 s"


def test_without_a_terminal_a_line_now_and_then() -> None:
    clock, out = Clock(), io.StringIO()
    with show_progress("ranking", stream=out, clock=clock) as report:
        for done in range(0, 2001):
            report(done, 2000)
            clock.now += 0.125
    lines = out.getvalue().splitlines()
    assert lines[0] == "ranking: 16 of 2,000 shards (0 %), 8.0 shards/s, 4 min 08 s left"
    assert lines[1] == "ranking: 496 of 2,000 shards (24 %), 8.0 shards/s, 3 min 08 s left"
    assert lines[-1] == "ranking: 2,000 of 2,000 shards (100 %), 8.0 shards/s, took 4 min 10 s"
    assert len(lines) == 6


def test_short_work_is_not_spoken_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even afterwards, while the next stage has not begun."""
    monkeypatch.setattr(progress_bars, "TICK", 0.001)
    clock, out = Clock(), io.StringIO()
    with show_progress("ranking", stream=out, clock=clock) as report:
        report(0, 3)
        clock.now += 1.9
        report(3, 3)
        clock.now += 100.0
        time.sleep(0.05)
    assert out.getvalue() == ""


def test_a_note_and_the_first_line_do_not_wait_for_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_bars, "TICK", 0.001)
    clock, out, notes = Clock(), io.StringIO(), ["preparing"]
    lines = ["rank: 0 of 9 questions (0 %), preparing", "rank: 0 of 9 questions (0 %), compiling"]
    with show_progress("rank", "questions", out, clock, note=lambda: notes[-1]) as report:
        report(0, 9)
        clock.now += 2.0
        wait_for(lambda: out.getvalue().splitlines() == lines[:1])
        notes.append("compiling")
        wait_for(lambda: out.getvalue().splitlines() == lines)
        notes.append("")
        clock.now += 2.0
        report(9, 9)
    assert out.getvalue().splitlines() == [*lines, "rank: 9 of 9 questions (100 %), 2.2 questions/s, took 4 s"]


def wait_for(there: Callable[[], bool]) -> None:
    for _ in range(6000):
        if there():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come")


def test_a_terminal_gets_a_bar() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    clock, out = Clock(), Terminal()
    with show_progress("ranking [b]", "questions", out, clock, lambda: "compiling [b]") as report:
        report(0, 40)
        clock.now += 2.0
        report(40, 40)
    assert "ranking [b]" in out.getvalue()
    assert "40/40" in out.getvalue()
    assert "compiling [b]" in out.getvalue()
    assert "20.0" in out.getvalue()


def test_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with show_progress("ranking", clock=clock) as report:
        clock.now += 2.0
        report(1, 1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("ranking: 1 of 1 shards")


def test_what_no_stage_tells_of_is_said_to_be_at_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`answers references --method S` was silent for five minutes."""
    monkeypatch.setattr(progress_bars, "TICK", 0.01)
    monkeypatch.setattr(progress_bars, "UNREPORTED", 0.2)
    with shown_stages() as stages:
        time.sleep(0.5)
        assert capsys.readouterr().err == "at work (for 0 s)\n"
        read = stages("read", "files")
        read(0, 1)
        time.sleep(0.5)
        assert capsys.readouterr().err == ""  # That is said by the stage itself, in its time.
        read(1, 1)
        report_compiling(COMPILING)
        time.sleep(0.5)
        assert capsys.readouterr().err == "at work, after read (for 0 s), compiling (once)\n"
    time.sleep(0.3)
    assert capsys.readouterr().err == ""
