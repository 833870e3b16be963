"""A session that is killed in the middle and called again ends as one that was not."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from voirdire.session.config import read_config
from voirdire.session.session import run_session

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from voirdire.cli.main import run; run()", "exam"]
CONFIG = """\
data:
  answers: {visdial: world/visdial_val.json, references: world/visdial_val_references_true.json}
  scorekeeping: {dialogues: survey.json}
models:
  blind: {answers: {generations: blind/generations.json, ranks: blind/ranks.json}}
  truthful: {answers: {ranks: truthful/ranks.json}, scorekeeping: {states: scorekeeper/states.npz}}
options:
  answers: {measures: [bleu]}
  scorekeeping: {encoder: static, epochs: 30, standardise: true, batches: grouped, captions: 1.0}
"""
"""So many epochs that the probe is still under way when it is seen to be."""


@pytest.fixture(scope="module")
def whole(spoken: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that nobody killed, in one process."""
    (spoken / "killed.yaml").write_text(CONFIG)
    out = tmp_path_factory.mktemp("whole") / "out"
    assert run_session(read_config(spoken / "killed.yaml"), out).faults == ()
    return out


def start(spoken: Path, out: Path) -> subprocess.Popen[bytes]:
    words = [*COMMAND, "--config", str(spoken / "killed.yaml"), "-o", str(out), "--workers", "2"]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def heads(out: Path) -> dict[str, dict[str, object]]:
    """Of each run all but the moment at which it was made; the items are in it by their SHA-256."""
    made = {path.parent.relative_to(out).as_posix(): json.loads(path.read_bytes()) for path in out.rglob("run.json")}
    for head in made.values():
        assert head.pop("created")
    return made


def test_killed_and_called_again(spoken: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    process = start(spoken, out)
    try:
        # In the middle: a probe has kept its state and is not done.
        while process.poll() is None and not any(out.glob("runs/*/*.training/[!.]*.npz")):
            time.sleep(0.02)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    before = heads(out)
    assert "runs/truthful/scorekeeping" not in before
    assert not (out / "report.html").exists()
    again = start(spoken, out)
    said = again.communicate()[1].decode()
    assert again.returncode == 0, said
    assert "scorekeeping propositions: there already" in said
    assert heads(out) == heads(whole)
    assert set(before) < set(heads(out))
    assert (out / "report.html").exists()
    assert not any(out.rglob("*.training"))
    assert not list(out.rglob(".*.partial.*"))
