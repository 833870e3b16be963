"""The page on extending: its files are written as they stand there, and its calls are made."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
FILE = re.compile(r'^```\w+ title="(?P<name>[^"]+)"\n(?P<body>.*?)^```', re.MULTILINE | re.DOTALL)
CALLS = re.compile(r"^```shell\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)
POINTS = re.compile(r'^\[project\.entry-points\."(?P<group>[\w.]+)"\]\n(?P<body>.*?)^```', re.MULTILINE | re.DOTALL)


def install(folder: Path) -> None:
    """Write the files of the page, and what says to Python that they are an installed package."""
    text = PAGE.read_text(encoding="utf-8")
    for found in FILE.finditer(text):
        path = folder / found["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found["body"], encoding="utf-8")
    about = folder / "extending-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: extending\nVersion: 1.0\n")
    points = [f"[{found['group']}]\n{found['body'].replace(chr(34), '')}" for found in POINTS.finditer(text)]
    (about / "entry_points.txt").write_text("\n".join(points))


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call the command with the page's package beside it."""
    code = f"import sys; sys.argv = {['voirdire', *arguments]!r}\nfrom voirdire.cli.main import run\nrun()"
    above = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": above, "COLUMNS": "120", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all calls of the page were made."""
    folder = tmp_path_factory.mktemp("extended")
    install(folder)
    for block in CALLS.finditer(PAGE.read_text(encoding="utf-8")):
        for line in block["body"].splitlines():
            dollar, name, *arguments = shlex.split(line)
            assert (dollar, name) == ("$", "voirdire")
            done = call(folder, *arguments)
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return folder


def test_a_fifth_exam_has_its_verbs_and_flags(extended: Path) -> None:
    assert "brevity" in call(extended, "--help").stdout
    shown = call(extended, "brevity", "score", "--help").stdout
    assert "Words that a short answer may have." in shown
    assert "--generations" in shown
    refused = call(extended, "brevity", "score", "--generations", "truthful.json", "--most", "0")
    assert refused.returncode == 2
    assert "--most must be at least 1, got 0" in refused.stderr


def test_its_figures_are_those_of_the_answers(extended: Path) -> None:
    lists = json.loads((extended / "verbose.json").read_text())
    words = [len(row["generations"][0].split()) for row in lists]
    done = json.loads(
        call(extended, "brevity", "score", "--generations", "verbose.json", "--most", "2", "--json").stdout
    )
    assert done["exam"] == "brevity"
    assert done["measures"]["words"]["value"] == pytest.approx(sum(words) / len(words))
    assert done["measures"]["short"]["value"] == pytest.approx(sum(count <= 2 for count in words) / len(words))
    assert done["measures"]["short"]["n"] == len(words)


def test_its_runs_are_compared_by_its_views(extended: Path) -> None:
    shown = call(extended, "compare", "runs/truthful", "runs/verbose").stdout
    assert "brevity score: verbose against truthful" in shown
    assert "short ↑" in shown
    assert "words ↓" in shown


def test_its_section_is_in_the_report_and_its_runs_are_in_a_session(extended: Path) -> None:
    page = (extended / "report.html").read_text()
    assert "Are its answers short?" in page
    assert 'data-measure="short"' in page
    assert "the words of each answer were counted" in page
    assert (extended / "examined" / "runs" / "verbose" / "brevity" / "run.json").is_file()
    assert json.loads((extended / "examined/runs/verbose/brevity/run.json").read_text())["options"]["most"] == 4


def test_a_metric_is_scored_with_all_that_belongs_to_one(extended: Path) -> None:
    calls = ("answers", "score", "--generations", "truthful.json", "--json", "--measures", "exact")
    done = call(extended, *calls, "--references", "world/visdial_val_references_true.json")
    measures = json.loads(done.stdout)["measures"]
    assert set(measures) == {"exact", "exact:std"}
    assert 0 < measures["exact"]["low"] <= measures["exact"]["value"] <= 1


def test_an_encoder_makes_distances(extended: Path) -> None:
    calls = ("answers", "score", "--generations", "truthful.json", "--json", "--measures", "distance")
    references = ("--references", "world/visdial_val_references_true.json")
    measures = json.loads(call(extended, *calls, *references, "--encoder", "letters:5").stdout)["measures"]
    assert measures["l2[letters]"]["value"] > 0
    refused = call(extended, *calls, *references, "--encoder", "letters:many")
    assert refused.returncode == 2
    assert "letters:many must have a number" in refused.stderr


def test_a_format_is_recognised_and_its_faults_are_named(extended: Path) -> None:
    assert "list of colours (colours)" in call(extended, "validate", "paint.txt").stdout
    (extended / "odd.txt").write_text("red\nloud\n")
    shown = call(extended, "validate", "odd.txt")
    assert shown.returncode == 2
    assert "line 2: found 'loud', expected one of red, green, blue" in shown.stdout


def test_its_files_are_listed_and_its_keys_are_checked(extended: Path) -> None:
    assert "Are its answers short?" in call(extended, "list").stdout
    (extended / "wrong.yaml").write_text(
        "models:\n  a:\n    brevity: {generations: truthful.json}\noptions:\n  brevity: {mots: 4}\n"
    )
    refused = call(extended, "exam", "--config", "wrong.yaml", "-o", "other")
    assert refused.returncode == 2
    assert "line 5, field `options.brevity.mots`" in refused.stderr
    assert "one of most, seed" in refused.stderr
    assert "brevity" in call(extended, "validate", "truthful.json").stdout
