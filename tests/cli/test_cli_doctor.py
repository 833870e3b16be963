"""`voirdire doctor`: what it says of this installation, and of ones where something is missing, old or broken."""

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire import __version__, doctor
from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.exam import Exam, exam_named

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
LIGHT = ["msgspec>=0.20", "rich>=13.7", "dull-package>=1; extra == 'spacy'"]


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An installation that needs little, so that a test need not load torch."""
    monkeypatch.setattr(doctor, "requires", lambda name: LIGHT)
    monkeypatch.setattr(doctor, "_threads", lambda: {"torch": 3})
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path / "cache"))


def test_every_extra_says_what_it_gives() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    assert set(doctor.GIVES) == set(project["optional-dependencies"])


def test_the_page_on_installing_lists_every_extra() -> None:
    page = (PROJECT.parent / "docs" / "install.md").read_text(encoding="utf-8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(extras) <= set(listed)


def test_a_whole_installation(light: None) -> None:
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == 0
    assert shown.stdout.startswith(f"voirdire {__version__}, CPython ")
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert ["msgspec", version("msgspec"), "works"] in lines
    assert ["files", "of", "minilm", "works"] in lines
    assert ["spacy", "lacks", "dull-package", "(not", "installed)"] in lines
    assert ["pip", "install", '"dull-package>=1"'] in lines
    assert ["torch", "3"] in lines
    assert shown.stdout.endswith("Nothing is wrong.\n")


def test_json_is_the_same_for_programs(light: None, tmp_path: Path) -> None:
    (tmp_path / "cache" / "vectors").mkdir(parents=True)
    (tmp_path / "cache" / "vectors" / "vectors-2.sqlite").write_bytes(b"x" * 1000)
    found = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    assert found["voirdire"] == __version__
    assert found["packages"][0] == {
        "name": "msgspec",
        "wanted": ">=0.20",
        "found": version("msgspec"),
        "fault": "",
    }
    assert found["caches"][0]["size"] == 1000
    assert found["settings"]["VOIRDIRE_CACHE"] == str(tmp_path / "cache")
    assert found["faults"] == []
    # To look is not to touch: what may be a damaged cache is left as it is.
    assert (tmp_path / "cache" / "vectors" / "vectors-2.sqlite").stat().st_size == 1000


def test_what_is_missing_or_old_is_a_fault_with_its_remedy(light: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "requires", lambda name: ["dull-package>=2", "msgspec>=999", "rich>=13"])
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == 2
    assert 'dull-package: not installed; pip install "dull-package>=2"' in shown.stdout
    there = version("msgspec")
    assert f'{there} is there, >=999 is needed; pip install --force-reinstall "msgspec>=999"' in shown.stdout
    assert "Nothing is wrong" not in shown.stdout


def test_a_requirement_of_another_platform_is_not_one_of_ours() -> None:
    needed, extras = doctor.packages_of(["dull-package>=2; sys_platform == 'nowhere'", "rich>=13"])
    assert [one.name for one in needed] == ["rich"]
    assert extras == ()


def test_a_setting_that_cannot_be_read_is_a_fault(light: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_CACHE_LIMIT", "a lot")
    found = doctor.examine()
    assert len(found.faults) == 1
    assert found.faults[0].startswith("vectors and models: UsageError: VOIRDIRE_CACHE_LIMIT is 'a lot'")


def test_a_declaration_that_leads_nowhere_is_a_fault(light: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = exam_named("answers")
    part = replace(sound.part("score"), measures="voirdire.answers.views:MEASURE")
    odd = Exam("taste", "Is it good?", (), (part,), "Taste.")
    monkeypatch.setattr("voirdire.exam.exams", lambda: (sound, odd))
    shown = CliRunner().invoke(app, ["doctor"])
    assert shown.exit_code == 2
    message = (
        "exam taste: DeclarationError: exam `taste`, part `score`: `measures` has 'voirdire.answers.views:MEASURE'"
    )
    assert message in shown.stdout
    (fault,) = doctor.examine().faults
    assert fault.startswith(message)


def test_an_exam_that_cannot_be_loaded_is_a_fault(light: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise UsageError("the exam 'taste' (taste:EXAM) cannot be loaded: ModuleNotFoundError: No module named 'salt'")

    monkeypatch.setattr("voirdire.exam.exams", broken)
    (fault,) = doctor.examine().faults
    assert fault.startswith("exams: UsageError: the exam 'taste' (taste:EXAM) cannot be loaded")


def test_the_home_folder_is_not_told(light: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    found = doctor.examine()
    assert found.caches[0].folder == "~/cache"
    assert found.settings["VOIRDIRE_CACHE"] == "~/cache"


def test_packages_that_do_not_load_do_not_stop_it(tmp_path: Path) -> None:
    """The real list, with numpy and torch broken: much fails with them, and all of it is told."""
    program = (
        "import sys; sys.modules.update(numpy=None, torch=None); sys.argv = ['voirdire', 'doctor', '--json']\n"
        "from voirdire.cli.main import run; run()"
    )
    environment = {**os.environ, "VOIRDIRE_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)
    state = {package["name"]: package["fault"] for package in found["packages"]}
    assert state["typer"] == ""
    for broken in ("numpy", "scipy", "torch"):
        assert state[broken].startswith("does not load (ModuleNotFoundError")
    assert any(fault.startswith("numpy: does not load") for fault in found["faults"])
    assert any(fault.startswith("threads: ") for fault in found["faults"])
