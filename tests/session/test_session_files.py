"""What a whole session opens and loads: each data file once, and nothing of the client where no live model is asked."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.world.build import build_world

pytestmark = pytest.mark.slow

COUNTED = """
import json, os, sys
from collections import Counter
root, report, *words = sys.argv[1:]
opened = Counter()

def count(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        writes = arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if path.startswith(root) and not writes and not os.path.isdir(path):
            opened[os.path.relpath(path, root)] += 1

sys.addaudithook(count)
sys.argv = ["voirdire", *words]
from voirdire.cli.main import run
try:
    run()
finally:
    with open(report, "w") as file:
        json.dump([opened, [name for name in sys.modules if name.startswith("voirdire.live.")]], file)
"""

WITHOUT_CLIENT = {f"voirdire.live.{name}" for name in ("settings", "trust", "endpoint", "replies", "reading")}
"""What is read of options, and of replies that a file has; none of these reaches anything."""


def counted(folder: Path, *words: str) -> tuple[dict[str, int], set[str]]:
    """How often a command opens each file below a folder, and the modules of live models that it loads."""
    report = folder.parent / "report.json"
    call = [sys.executable, "-c", COUNTED, str(folder.resolve()), str(report), *words]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    opened, modules = json.loads(report.read_text())
    return opened, set(modules)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opened") / "files"
    build_world(folder / "world", 30, 7)
    return folder


def test_a_session_opens_each_file_once_and_loads_no_client(folder: Path) -> None:
    opened, modules = counted(folder, "exam", "--world", "world", "-o", "out")
    # Work that may be resumed is read back from shards, which are no data.
    several = {name: times for name, times in opened.items() if times > 1 and ".work/" not in name}
    assert several == {}
    assert "world/visdial_val_references_true.json" in opened
    assert "out/said/truthful/noisy/partition7.json" in opened
    assert modules <= WITHOUT_CLIENT
    again, modules = counted(folder, "exam", "--config", "out/exam.yaml")
    assert {name: times for name, times in again.items() if times > 1} == {}
    assert modules <= WITHOUT_CLIENT


def test_a_verb_opens_each_file_once(folder: Path) -> None:
    said = ("--references", "world/visdial_val_references_true.json", "--measures", "bleu")
    opened, modules = counted(folder, "answers", "bounds", *said, "-o", "bounds")
    assert opened["world/visdial_val_references_true.json"] == 1
    assert modules == set()
