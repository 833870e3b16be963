"""Put the behaviours of hostile and quirky servers to a live model's client, and print how each call ends.

python tests/hostile/servers.py                the table of outcomes: the interview alone, in this process
python tests/hostile/servers.py --whole        `voirdire ask robustness` for each, files, scores and report
python tests/hostile/servers.py --memory       that for the heavy ones, each in a process of its own, with its peak
python tests/hostile/servers.py NAME …         only behaviours whose names have one of these in them
"""

import argparse
import logging
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from behaviours import KEY, Behaviour, always, chat
from hostile_servers import HEAVY, HOSTILE
from quirky_servers import QUIRKY
from scripted import Scripted, serving

from voirdire.errors import VoirDireError, shorten_text
from voirdire.live.interview import Interview
from voirdire.live.model import AnswerTask, Asking, JudgeTask, PointTask, Task, VisualInput
from voirdire.live.settings import LiveOptions

__all__ = ["ALL", "GOOD", "Outcome", "ask_whole", "fault_of", "peak_of", "put"]

ALL: tuple[Behaviour, ...] = (*HOSTILE, *HEAVY, *QUIRKY)
GOOD = Behaviour("a good server", always(chat("yes")), scored="Asked live")
VARIABLE = "VOIRDIRE_PLANTED_KEY"
MORE = 300
"""MB that a call may take above the same call on a good server."""
IMAGES = 3
"""Images that are asked about where pictures are shown."""
_SPELLINGS = re.compile(
    "|".join(
        re.escape(text)
        for text in (
            KEY,
            "".join(f"\\u{ord(s):04x}" for s in KEY),
            "".join(f"%{ord(s):02X}" for s in KEY),
            r"\x00".join(KEY),
            b64encode(b"Bearer " + KEY.encode()).decode()[12:-4],
        )
    )
)


@dataclass(frozen=True)
class Outcome:
    """How a call ended: its files' warnings, or the message that ended it.

    leaked  where the planted key was found
    grown   MB of memory that it took at most, beside what was in use before; 0 where the system does not say
    """

    scored: str = ""
    explained: str = ""
    crashed: str = ""
    leaked: str = ""
    requests: int = 0
    grown: int = 0

    def __str__(self) -> str:
        text = f"scored: {self.scored}" if self.scored else f"explained: {self.explained}"
        return " ".join((self.crashed or text).split()) + (f" LEAKED in {self.leaked}" if self.leaked else "")


def fault_of(behaviour: Behaviour, outcome: Outcome) -> str:
    """What is wrong with how a call ended; empty where it ended as it should."""
    if outcome.crashed or outcome.leaked:
        return str(outcome)
    if outcome.grown > MORE:
        return f"{outcome.grown} MB more than before"
    expected, got = behaviour.scored, outcome.scored
    if expected is None:
        expected, got = behaviour.explained or "", outcome.explained
    return "" if got and expected in got else f"expected {expected!r}, got {outcome}"


def _tasks(behaviour: Behaviour, interview: Interview) -> list[Task]:
    if behaviour.shows:
        return [
            AnswerTask(interview.seen(image), f"is it red, nr {image}?", alone=True) for image in range(7, 7 + IMAGES)
        ]
    seen = VisualInput(1)
    answers: list[Task] = [
        AnswerTask(seen, f"is it red, nr {number}?", alone=True) for number in range(1, behaviour.items + 1)
    ]
    judged: list[Task] = [JudgeTask(seen, "a room.", (), f"there are {number} cups.", "truth") for number in range(3)]
    return [*answers, *judged, PointTask(seen, "is it red?", "cup")]


@contextmanager
def _quickly() -> Iterator[None]:
    """Waits of a hundredth: what is waited for here is a server that waits for nothing."""
    from voirdire.live import client

    names = {"FIRST_WAIT": 0.01, "LONGEST_WAIT": 0.02, "LOOK_AGAIN": 0.02}
    before = {name: getattr(client, name) for name in names}
    for name, value in names.items():
        setattr(client, name, value)
    os.environ[VARIABLE] = KEY
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(client, name, value)
        del os.environ[VARIABLE]


@contextmanager
def _served(behaviour: Behaviour) -> Iterator[tuple[str, Scripted]]:
    """The model's name while a server behaves so."""
    with serving(behaviour.say) as server:
        url = server.url.removesuffix("/v1") + behaviour.below
        yield f"openai:m@{'http://127.0.0.1:9/v1' if behaviour.closed else url}", server


def _limits(behaviour: Behaviour) -> dict[str, Any]:
    return {"key": VARIABLE, "tries": 3, "timeout": 1.0, "wait": 0.1, "connections": 4, **behaviour.options}


def _memory(field: str) -> int:
    """MB that this process has now (VmRSS), or had at most (VmHWM); 0 where the system does not say."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) // 1024
    return 0


def _forget_peak() -> int:
    """Let the most memory be that of now, and return it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmHWM")


def put(behaviour: Behaviour, folder: Path) -> Outcome:
    """Interview a model behind such a server, in this process."""
    before = _forget_peak()
    options = {"show": "pictures" if behaviour.shows else "nothing", **_limits(behaviour)}
    scored = explained = crashed = ""
    logged: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: logged.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    level = logging.getLogger().level
    logging.getLogger().setLevel(logging.DEBUG)
    with _quickly(), _served(behaviour) as (model, server):
        try:
            images = [_pictures(folder)] if behaviour.shows else []
            with Interview(
                LiveOptions(model=model, **options), folder / "files", folder / "m.journal", images
            ) as interview:
                (folder / "files").mkdir(parents=True, exist_ok=True)

                def script(task: Task) -> Any:
                    async def ask_one(ask: Asking) -> str:
                        return (await ask(task)).text

                    return ask_one

                interview.ask_all([script(task) for task in _tasks(behaviour, interview)])
                provenance = interview.provenance()
                provenance.write(folder / "files")
                scored = " ".join(provenance.warnings)
        except VoirDireError as error:
            explained = str(error)
        except BaseException as error:
            crashed = f"{type(error).__name__}: {error}"
        requests = len(server.seen)
    logging.getLogger().removeHandler(handler)
    logging.getLogger().setLevel(level)
    own = {"the message": explained, "the warnings": scored, "the log": "\n".join(logged)}
    return Outcome(scored, explained, crashed, _leaks(folder, own), requests, _memory("VmHWM") - before)


def _leaks(folder: Path, texts: dict[str, str]) -> str:
    """Where the planted key is: in a text or in a file."""
    files = {
        str(path.relative_to(folder)): path.read_bytes().decode("latin-1")
        for path in folder.rglob("*")
        if path.is_file()
    }
    return ", ".join(name for name, text in {**texts, **files}.items() if _SPELLINGS.search(text))


def _pictures(folder: Path) -> Path:
    from PIL import Image

    place = folder / "pictures"
    place.mkdir(parents=True, exist_ok=True)
    for image in range(7, 7 + IMAGES):
        Image.new("RGB", (40, 30), (10 * image, 20, 30)).save(place / f"{image}.png")
    return place


def _words(behaviour: Behaviour, model: str, world: Path, out: Path) -> list[str]:
    """The words of the whole command."""
    words = ["ask", "robustness", "--model", model, "--data", str(world / "vqa_val_questions.json")]
    words += ["--data", str(world / "vqa_val_annotations.json"), "--scenes", str(world / "scenes.jsonl")]
    words += ["--images", str(world / "pictures"), "-o", str(out), "--limit", "2", "--name", "m"]
    options = {"show": "pictures" if behaviour.shows else "words", **_limits(behaviour)}
    for name, value in options.items():
        for each in value if isinstance(value, tuple) else (value,):
            words += [f"--{name.replace('_', '-')}", str(each)]
    return words


def ask_whole(behaviour: Behaviour, world: Path, folder: Path) -> Outcome:
    """The whole command against such a server, in this process: files, scores and report."""
    from typer.testing import CliRunner

    from voirdire.cli.main import app

    with _quickly(), _served(behaviour) as (model, server):
        done = CliRunner().invoke(app, _words(behaviour, model, world, folder / "out"))
        requests = len(server.seen)
    output = done.output + (done.stderr if done.stderr_bytes else "")
    crashed = "" if isinstance(done.exception, SystemExit | VoirDireError | None) else repr(done.exception)
    lines = [line for line in output.splitlines() if line.strip()]
    asked = folder / "out" / "said" / "m" / "robustness-score" / "asked.json"
    scored = asked.read_text(encoding="utf-8") if asked.is_file() and done.exit_code == 0 else ""
    explained = "" if scored else " ".join(lines[-3:])
    return Outcome(" ".join(scored.split()), explained, crashed, _leaks(folder, {"the output": output}), requests)


def peak_of(behaviour: Behaviour, world: Path, folder: Path) -> tuple[int, int]:
    """The exit code of the whole command in a process of its own, and the most memory that it had, in MB."""
    with _served(behaviour) as (model, _):
        words = [sys.executable, "-m", "voirdire", *_words(behaviour, model, world, folder / "out")]
        environment = {**os.environ, VARIABLE: KEY}
        with (folder / "printed").open("wb") as printed:
            process = subprocess.Popen(words, stdout=printed, stderr=printed, env=environment)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    assert b"Traceback" not in (folder / "printed").read_bytes()
    return process.returncode, used.ru_maxrss // 1024


def make_world(folder: Path, scenes: int = 6) -> Path:
    """A small world with pictures."""
    words = ["world", str(folder / "world"), "--scenes", str(scenes), "--seed", "7", "--pictures"]
    subprocess.run([sys.executable, "-m", "voirdire", *words], check=True, capture_output=True)
    return folder / "world"


def _in_table(outcome: Outcome) -> str:
    """An outcome on a line, with what differs from one call to the next left away."""
    text = re.sub(r"127\.0\.0\.1:\d+", "HOST", str(outcome))
    text = re.sub(r"^scored: Asked live: \S+ \d+ replies, shown \w+\. ?", "scored. ", text)
    return shorten_text(text, 300).replace("|", "\\|")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a call did not end as it should."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--memory", action="store_true")
    given = parser.parse_args(arguments)
    chosen = [
        one
        for one in ((GOOD, *HEAVY) if given.memory else ALL)
        if not given.names or any(n in one.name for n in given.names)
    ]
    faults = 0
    print("| behaviour | outcome | memory above that before |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place:
        world = make_world(Path(place)) if given.whole or given.memory else Path(place)
        for number, behaviour in enumerate(chosen):
            folder = Path(place) / str(number)
            folder.mkdir()
            if given.memory:
                code, peak = peak_of(behaviour, world, folder)
                print(f"| {behaviour.name} | exit {code} | at most {peak:,} MB in all |", flush=True)
                continue
            outcome = ask_whole(behaviour, world, folder) if given.whole else put(behaviour, folder)
            fault = (outcome.crashed or outcome.leaked) if given.whole else fault_of(behaviour, outcome)
            faults += bool(fault)
            more = f"{outcome.grown} MB" if outcome.grown else ""
            print(
                f"| {behaviour.name} | {_in_table(outcome)} | {more} |{' FAULT: ' + fault if fault else ''}", flush=True
            )
        print(f"\n{len(chosen)} behaviours, {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
