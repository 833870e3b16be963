"""Nothing that a folder holds is run: not of the working folder, not of a model's folder.

Whatever lies there notes in a file that it was run; the file must not come to be.
"""

import gzip
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from voirdire.runs import Run, Signature, write_run

pytestmark = pytest.mark.slow

COMMAND = "from voirdire.cli.main import run\n\nif __name__ == '__main__':\n    run()\n"
WORKERS = """
from functools import partial
from voirdire.engine import Processes

if __name__ == "__main__":
    with Processes(2).map(partial(partial, abs), range(-3, 0)) as results:
        print(list(results))
"""
COMPILED = """
import numpy as np
from voirdire.stats.compiled import compiled

@compiled
def double(number):
    return 2 * number

double(3)
"""
# What a process imports that is started, and what the command and its libraries import.
MODULES = """
multiprocessing concurrent pickle socket json gzip threading site sitecustomize usercustomize os_release
numpy scipy numba sklearn polars torch transformers sentence_transformers nltk HanTa voirdire rich typer msgspec yaml
matplotlib spacy cupy triton tensorflow flax jax peft kernels accelerate
"""


Call = Callable[..., subprocess.CompletedProcess[str]]


class Runs:
    """A pickle that notes that it was run."""

    def __init__(self, note: Path) -> None:
        self.note = note

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.note,))


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def folder(tmp_path: Path, note: Path) -> Path:
    """A working folder with files under all names that something might look for."""
    folder = tmp_path / "data"
    folder.mkdir()
    code = f"open({str(note)!r}, 'a').write(__name__)\n"
    for name in MODULES.split():
        (folder / f"{name}.py").write_text(code)
    (folder / "morphmodel_en.pgz").write_bytes(gzip.compress(pickle.dumps(Runs(note))))
    about = folder / "hostile-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    groups = ("encoders", "exams", "formats", "taggers", "text_metrics")
    (about / "entry_points.txt").write_text("".join(f"[voirdire.{group}]\nhanta = json:x\n" for group in groups))
    for name in ("minilm", "hanta", "static", "all-MiniLM-L6-v2"):
        (folder / name).mkdir()
        (folder / name / "modules.json").write_text('[{"name": "0", "path": "", "type": "json.Runs"}]')
    return folder


@pytest.fixture
def call(tmp_path: Path, folder: Path) -> Call:
    """Run a program, which lies elsewhere as the installed command does, in the working folder."""

    def call(program: str, *words: str) -> subprocess.CompletedProcess[str]:
        script = tmp_path / "program.py"
        script.write_text(program)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
        return subprocess.run(
            [sys.executable, str(script), *words],
            cwd=folder,
            env={**environment, "VOIRDIRE_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )

    return call


def test_a_verb_that_tags(call: Call, note: Path) -> None:
    done = call(COMMAND, "scorekeeping", "explain", "is there a dog?", "yes")
    assert not note.exists(), note.read_text()
    assert done.returncode == 0, done.stderr
    assert "there is a dog" in done.stdout


def test_an_encoder_by_its_name(call: Call, note: Path) -> None:
    program = "from voirdire.text.encoders import encoder\nprint(encoder('minilm').encode(['a dog']).shape)"
    done = call(program)
    assert not note.exists(), note.read_text()
    assert done.stdout == "(1, 384)\n", done.stderr


def test_the_process_that_looks_at_changed_items(call: Call, tmp_path: Path, note: Path) -> None:
    items = pl.DataFrame({"score": [0.25, 0.75]})
    run = write_run(Run(exam="answers", options={}, items=items, measures={}, signature=Signature("0")), tmp_path / "r")
    items.with_columns(pl.col("score") * 2).write_parquet(run / "items.parquet")
    done = call(COMMAND, "report", str(run), "-o", str(tmp_path / "report.html"))
    assert not note.exists(), note.read_text()
    assert "field `score`: found other values" in done.stderr


def test_workers(call: Call, note: Path) -> None:
    done = call(WORKERS)
    assert not note.exists(), note.read_text()
    assert done.stdout == "[3, 2, 1]\n", done.stderr


def test_compiled_code_is_not_taken_from_where_the_working_folder_says(call: Call, folder: Path, note: Path) -> None:
    call(COMPILED)
    kept = folder / "kept"
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {kept}\n")
    done = call(COMPILED)
    for index in kept.rglob("*.nbi"):
        index.write_bytes(pickle.dumps(Runs(note)))
    done = call(COMPILED)
    assert not note.exists()
    assert done.returncode == 1
    assert "the working folder holds .numba_config.yaml" in done.stderr
