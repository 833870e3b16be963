"""`transformers serve` on loopback with tiny models of random weights: one sees, one drops what it is shown."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from voirdire.exam import read_run

pytestmark = pytest.mark.slow
pytest.importorskip("fastapi", reason="`transformers serve` needs fastapi and uvicorn")

BIN = Path(sys.executable).parent
OFFLINE = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The URL at which a folder's model is served."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    words = [str(BIN / "transformers"), "serve", folder.name, "--host", "127.0.0.1", "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*words, "--device", "cpu"], cwd=folder.parent, env=OFFLINE, **quiet) as server:
        url, patience = f"http://127.0.0.1:{port}", time.monotonic() + 120
        while time.monotonic() < patience:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=2):
                break
            time.sleep(0.2)
        yield f"{url}/v1"
        server.kill()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve") / "world"
    words = [str(BIN / "voirdire"), "world", str(folder), "--scenes", "8", "--seed", "5", "--pictures"]
    subprocess.run(words, check=True)
    return folder


def ask(url: str, world: Path, out: Path, name: str) -> subprocess.CompletedProcess[str]:
    words = [str(BIN / "voirdire"), "ask", "answers", "--model", f"openai:{name}@{url}", "--data", str(world)]
    words += ["-o", str(out), "--name", name, "--connections", "1", "--limit", "1"]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_model_that_sees_sits_an_exam(world: Path, tmp_path: Path) -> None:
    from tiny_models import make_seer

    make_seer(tmp_path / "seer")
    with served(tmp_path / "seer") as url:
        done = ask(url, world, tmp_path / "out", "seer")
    assert done.returncode == 0, done.stderr
    run = read_run(tmp_path / "out" / "runs" / "seer" / "answers")
    assert run.items.height == 10
    assert run.signature.options["asked"]["shown"] == "pictures"


def test_typed_answers_of_a_real_server_are_read(world: Path, tmp_path: Path) -> None:
    from tiny_models import make_reader

    make_reader(tmp_path / "reader")
    with served(tmp_path / "reader") as url:
        words = [str(BIN / "voirdire"), "ask", "scorekeeping", "--model", f"systemone:reader@{url}", "--name", "typed"]
        words += ["--data", str(world), "-o", str(tmp_path / "out"), "--show", "words", "--limit", "1", "--turns", "1"]
        done = subprocess.run([*words, "--pairs", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    items = read_run(tmp_path / "out" / "runs" / "typed" / "scorekeeping-judge").items
    assert set(items["how"].unique()) == {"typed"}


def test_a_model_whose_server_drops_pictures_is_refused(world: Path, tmp_path: Path) -> None:
    from tiny_models import make_reader

    make_reader(tmp_path / "reader")
    with served(tmp_path / "reader") as url:
        done = ask(url, world, tmp_path / "out", "reader")
    assert done.returncode == 2
    assert "does not see" in done.stderr
