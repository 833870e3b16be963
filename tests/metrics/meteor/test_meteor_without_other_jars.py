"""METEOR where nothing else of the package is there: neither of its jars under the GPL and the AGPL, nor its code."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.bundled import METEOR

pytestmark = pytest.mark.slow

CODE = """
import sys
from pathlib import Path

partial, whole = sys.argv[1:]
sys.path.insert(0, partial)

def refuse(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(whole + "/"):
        raise AssertionError(f"{arguments[0]} is read")

sys.addaudithook(refuse)
from voirdire.bundled import METEOR
from voirdire.metrics.meteor import meteor_segments

assert all(path.is_relative_to(partial) for path in METEOR.paths()), METEOR.paths()
print(meteor_segments(["two dogs in a park"], [["a pair of dogs at the park", "no cats"]]))
assert "pycocoevalcap" not in sys.modules
"""


def test_two_files_are_enough(tmp_path: Path) -> None:
    """The package's folder with these two files alone, before the whole one, of which nothing may be opened."""
    files = METEOR.paths()
    whole = files[0].parents[1]
    for path in files:
        copy = tmp_path / "pycocoevalcap" / path.relative_to(whole)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path), str(whole)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert 0 < float(done.stdout.strip("[]\n")) < 1
