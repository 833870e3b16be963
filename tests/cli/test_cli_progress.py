"""What a long run says about itself."""

import io

import pytest

from voirdire.cli.progress import Pace, show_progress


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


def test_without_a_terminal_a_line_now_and_then() -> None:
    clock, out = Clock(), io.StringIO()
    with show_progress("ranking", stream=out, clock=clock) as report:
        for done in range(0, 2001):
            report(done, 2000)
            clock.now += 0.125
    lines = out.getvalue().splitlines()
    assert lines[0] == "ranking: 0 of 2,000 shards (0 %)"
    assert lines[1] == "ranking: 480 of 2,000 shards (24 %), 8.0 shards/s, 3 min 10 s left"
    assert lines[-1] == "ranking: 2,000 of 2,000 shards (100 %), 8.0 shards/s, took 4 min 10 s"
    assert len(lines) == 6


def test_nothing_to_do_is_said() -> None:
    out = io.StringIO()
    with show_progress("ranking", stream=out) as report:
        report(0, 0)
    assert out.getvalue() == "ranking: 0 of 0 shards\n"


def test_a_terminal_gets_a_bar() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    clock, out = Clock(), Terminal()
    with show_progress("ranking [b]", unit="questions", stream=out, clock=clock) as report:
        report(0, 40)
        clock.now += 2.0
        report(40, 40)
    assert "ranking [b]" in out.getvalue()
    assert "40/40" in out.getvalue()
    assert "20.0" in out.getvalue()


def test_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("ranking") as report:
        report(1, 1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("ranking: 1 of 1 shards")
