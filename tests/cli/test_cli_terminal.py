"""What is shown on a terminal, through a pseudo-terminal: a bar and colours there, and neither where there is none."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from voirdire.runs import Run, Signature, write_run

pytestmark = pytest.mark.slow

CALL = "from voirdire.cli.main import run; run()"
STYLED = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(arguments: list[str], folder: Path, both: bool = True, **environment: str) -> tuple[str, str]:
    """What a call shows on a terminal and, where only its stderr is one, what it writes to a pipe."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CALL, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs if both else subprocess.PIPE,
        stderr=theirs,
        cwd=folder,
        env={**kept, "TERM": "xterm-256color", "COLUMNS": "200", **environment},
    )
    os.close(theirs)
    shown: list[bytes] = []

    def read() -> None:
        try:
            while piece := os.read(ours, 65536):
                shown.append(piece)
        except OSError:  # Which is how a terminal ends whose process is gone.
            pass

    reader = threading.Thread(target=read)
    reader.start()
    piped = process.stdout.read() if process.stdout is not None else b""
    assert process.wait() == 0
    reader.join()
    os.close(ours)
    return b"".join(shown).decode(), piped.decode()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, shift in (("good", 0), ("bad", 4)):
        items = pl.DataFrame(
            {
                "image_id": [at // 2 for at in range(40)],
                "round": [at % 2 for at in range(40)],
                "rank": [1 + at % 7 + shift for at in range(40)],
            }
        )
        signature = Signature("0.1.0", data={"visdial": "a" * 64}, seed=0, options={"ties": "worst"})
        made = Run("answers", {"cutoff": "relevant", "seed": 0}, items, {}, signature, part="rank")
        write_run(made, folder / name)
    return folder


def test_compare_has_colours_on_a_terminal_alone(runs: Path) -> None:
    shown, _ = on_terminal(["compare", "good", "bad"], runs)
    assert "\x1b[1;32m" in shown  # The better figure of a difference that counts.
    assert "\x1b[31m" in shown
    plain, _ = on_terminal(["compare", "good", "bad"], runs, NO_COLOR="1")
    assert not STYLED.search(plain.partition("answers rank: bad against good")[2])
    piped = subprocess.run(
        [sys.executable, "-c", CALL, "compare", "good", "bad"], capture_output=True, text=True, cwd=runs, check=True
    )
    assert "\x1b" not in piped.stdout + piped.stderr
    table = shown[shown.index("answers rank: bad against good") :]
    assert STYLED.sub("", table).replace("\r\n", "\n").splitlines() == piped.stdout.splitlines()


def test_json_is_clean_beside_a_bar(runs: Path) -> None:
    shown, piped = on_terminal(["compare", "good", "bad", "--json"], runs, both=False)
    assert "compare answers rank" in shown
    assert json.loads(piped)["exam"] == "answers"


def test_exam_has_a_bar_over_its_steps(tmp_path: Path) -> None:
    ranks = [{"image_id": image, "round_id": 0, "ranks": [1, 2]} for image in (1, 2)]
    (tmp_path / "ranks.json").write_text(json.dumps(ranks))
    dialogs = [
        {
            "image_id": image,
            "caption": "a dog",
            "dialog": [{"question": 0, "answer": 0, "answer_options": [0, 1], "gt_index": 0}],
        }
        for image in (1, 2)
    ]
    data = {"questions": ["is it big"], "answers": ["yes", "no"], "dialogs": dialogs}
    (tmp_path / "visdial.json").write_text(json.dumps({"version": "1.0", "split": "val", "data": data}))
    (tmp_path / "exam.yaml").write_text(
        "data: {answers: {visdial: visdial.json}}\nmodels: {mine: {answers: {ranks: ranks.json}}}\noutput: out\n"
    )
    shown, _ = on_terminal(["exam"], tmp_path)
    assert re.search(r"exam ━+ [01]/2 0:00:", STYLED.sub("", shown))
    assert re.search(r"mine: answers rank: (\x1b\[[0-9;]*m)+[0-9.]+ s", shown)
    assert (tmp_path / "out" / "report.html").is_file()
