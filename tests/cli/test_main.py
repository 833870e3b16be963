"""The command as a whole: its version, its exit codes, and what it says when it is stopped."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from voirdire import __version__

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from voirdire.cli.main import run; run()"]


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)


def test_version() -> None:
    assert call("--version").stdout == f"voirdire {__version__}\n"


def test_the_package_is_the_command_where_its_name_is_not_on_the_path() -> None:
    done = subprocess.run([sys.executable, "-m", "voirdire", "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: python -m voirdire [OPTIONS]" in done.stdout
    for verb in ("answers", "ask", "compare", "report", "exam", "doctor"):
        assert verb in done.stdout
    wrong = subprocess.run([sys.executable, "-m", "voirdire", "nothing"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2


def test_a_fault_in_the_call_is_one_message_and_exit_code_2(tmp_path: Path) -> None:
    done = call("world", str(tmp_path / "w"), "--text-only", "--pictures")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("voirdire: a world of text alone has no pictures")
    assert "Traceback" not in done.stderr


def test_help_shows_words_in_brackets_and_joins_the_lines_of_a_paragraph() -> None:
    assert "ranks[i]" in call("answers", "rank", "--help").stdout
    assert "the same call goes on where it was" in call("exam", "--help").stdout


def test_an_unknown_verb_is_exit_code_2() -> None:
    assert call("nothing").returncode == 2


def test_interrupt_is_said_and_leaves_no_half_file(tmp_path: Path) -> None:
    words = ["world", str(tmp_path / "w"), "--scenes", "20000", "--seed", "0"]
    running = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "w").exists():
        time.sleep(0.05)
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, said = running.communicate()
    assert running.returncode == 130
    assert "voirdire: stopped; files that were finished are kept" in said
    assert "Traceback" not in said
    assert not [path for path in (tmp_path / "w").iterdir() if ".partial." in path.name]


def test_an_output_that_cannot_be_is_refused_before_any_work(tmp_path: Path) -> None:
    done = call("world", "answer", "--witness", "truthful", "--questions", "none.json", "-o", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == f"voirdire: {tmp_path}: cannot be written: it is a folder; name a file\n"


def test_a_full_standard_output_is_no_traceback() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr


FAILS = """
import warnings
from voirdire.cli import main
from voirdire.errors import CacheWarning

def work():
    warnings.warn("the index is damaged; it is made again", CacheWarning)
    raise MemoryError

main.app = work
main.run()
"""


def test_too_little_memory_and_what_is_made_anew_are_one_line_each() -> None:
    done = subprocess.run([sys.executable, "-c", FAILS], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert first == "voirdire: the index is damaged; it is made again"
    assert "not enough memory" in second


def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = call("validate", str(tmp_path / "pipe"), "/dev/zero")
    assert done.returncode == 2
    assert "found a pipe" in done.stdout
    assert "found a device" in done.stdout


def test_signs_that_standard_output_has_not_are_spelt_out() -> None:
    for encoding in ("cp1252", "ascii"):
        words = ["robustness", "rank", "--help"]
        told = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run([*COMMAND, *words], capture_output=True, check=False, env=told)
        assert done.returncode == 0, done.stderr
        assert rb"\u2016" in done.stdout  # ‖, of the LASSO's formula


def test_json_is_in_utf_8_whatever_the_terminal_has(tmp_path: Path) -> None:
    name = tmp_path / "caf\xe9≥.txt"
    name.write_text("is the\nwhat\n")
    told = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([*COMMAND, "validate", str(name), "--json"], capture_output=True, check=False, env=told)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"][0]["path"] == str(name)


def test_who_stops_reading_gets_no_traceback() -> None:
    with subprocess.Popen([*COMMAND, "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""


def test_a_file_name_in_another_encoding_is_said(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(name)).write_text("is the\nwhat\n")
    for words in (["--json"], []):
        done = subprocess.run([*COMMAND, "validate", name, *words], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert b"caf" in done.stdout
    done = subprocess.run([*COMMAND, "validate", name + b"x"], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_place_to_write_to_without_a_name() -> None:
    for words in (
        ["scorekeeping", "board", "run", "--dialogues", "d.json", "--dialogue", "1", "-o", ""],
        ["answers", "score", "--generations", "g.json", "--references", "r.json", "-o", ""],
    ):
        done = call(*words)
        assert done.returncode == 2
        assert re.search(r"voirdire: (--output|-o) must name .*, got an empty name", done.stderr)
