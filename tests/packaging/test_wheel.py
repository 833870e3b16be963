"""The built wheel, installed into an empty environment, does what the README says."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

USE = """
import voirdire
from pathlib import Path
assert Path(voirdire.__file__).is_relative_to(Path(__import__("sys").prefix)), voirdire.__file__
voirdire.build_world(Path("world"), scenes=10, seed=1)
report = voirdire.validate([Path("world")])
assert report.ok and len(report.files) > 5, report
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel, what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    install = [str(folder / "venv/bin/python"), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt")]
    # Few of the modules that come along are ever imported: most of the time would go into compiling the others.
    done = subprocess.run([*install, "--no-compile", str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "venv"


def test_installed_command_and_package(environment: Path, tmp_path: Path) -> None:
    def call(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    command, python = str(environment / "bin/voirdire"), str(environment / "bin/python")
    assert call(command, "--version").startswith("voirdire ")
    call(python, "-c", USE)
    assert "visdial" in call(command, "validate", "world")
    assert (environment / "lib").exists()
    assert call(python, "-c", "import voirdire; print(voirdire.__file__)").startswith(str(environment))
