"""A session that is killed in the middle and called again ends as one that was not."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from voirdire.cli.main import run; run()", "exam"]
EPOCHS = ("epochs: 2", "epochs: 40")
"""Long enough that the probe is under way when others are done."""


def start(spoken: Path, config: str, out: Path, workers: int) -> subprocess.Popen[bytes]:
    words = [*COMMAND, "--config", str(spoken / config), "-o", str(out), "--workers", str(workers)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def finish(spoken: Path, config: str, out: Path, workers: int) -> str:
    process = start(spoken, config, out, workers)
    said = process.communicate()[1].decode()
    assert process.returncode == 0, said
    return said


def heads(out: Path) -> dict[str, dict[str, object]]:
    """Of each run all but the moment at which it was made; the items are in it by their SHA-256."""
    made = {path.parent.relative_to(out).as_posix(): json.loads(path.read_bytes()) for path in out.rglob("run.json")}
    for head in made.values():
        assert head.pop("created")
    return made


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_and_called_again(spoken: Path, tmp_path: Path, workers: int) -> None:
    config = f"killed{workers}.yaml"
    (spoken / config).write_text((spoken / "exam.yaml").read_text().replace(*EPOCHS))
    finish(spoken, config, tmp_path / "whole", 2)
    out = tmp_path / "killed"
    process = start(spoken, config, out, workers)
    try:
        # In the middle: a probe has kept its state, or at least a run is there and others are not.
        while process.poll() is None and not any(out.glob("runs/*/*.training/*.npz")):
            time.sleep(0.02)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert not (out / "report.html").exists()
    before = heads(out)
    assert "runs/truthful/scorekeeping" not in before
    said = finish(spoken, config, out, workers)
    assert heads(out) == heads(tmp_path / "whole")
    assert (out / "report.html").exists()
    assert not any(out.rglob("*.training"))
    assert ("there already" in said) == bool(before or (out / "propositions").exists())
    assert not list(out.rglob(".*.partial.*"))
