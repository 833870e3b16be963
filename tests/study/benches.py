"""Small studies for the tests of this folder, people who judge them, and a server in a process of its own."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire._version import __version__
from voirdire.study import folder as study_folder
from voirdire.study.database import JudgedStore, Message
from voirdire.study.design import StudyTask
from voirdire.study.folder import AboutStudy, OpenedStudy, open_study
from voirdire.study.judge_page import written_texts

__all__ = ["Judging", "Reply", "Served", "Wire", "asgi", "judge_all", "plain_tasks", "sets", "write_study"]

TEXTS = {
    "deselect": "voirdire.answers:study_texts",
    "yes-no-na": "voirdire.questions:study_texts",
    "true-shared": "voirdire.scorekeeping:study_texts",
}
EXAMS = {
    "deselect": ("answers", "humans"),
    "yes-no-na": ("questions", "oracle-accuracy"),
    "true-shared": ("scorekeeping", "humans"),
}
JPEG = bytes.fromhex("ffd8ffd9")


def write_study(
    place: Path,
    tasks: Sequence[StudyTask],
    judges: int = 2,
    *,
    minutes: float = 30.0,
    per_judge: int | None = None,
    seed: int = 0,
    language: str = "en",
    pictures: Mapping[str, bytes] | None = None,
) -> OpenedStudy:
    """A study's folder of these tasks, as `make` writes one."""
    way = tasks[0].way
    about = AboutStudy(1, __version__, *EXAMS[way], judges, per_judge, minutes, seed, {}, {})
    place.mkdir(parents=True)
    study_folder._write(place, about, tasks, None, written_texts(language, TEXTS[way], way), lambda *_: lambda *_: None)
    if pictures:
        for name, data in pictures.items():
            (place / "pictures" / name).write_bytes(data)
        sealed = ["study.json", "tasks.jsonl", *(f"pictures/{name}" for name in sorted(pictures))]
        lines = [f"{study_folder._digest(place / name)}  {name}\n" for name in sealed]
        (place / "seal.txt").write_text("".join(lines))
    return open_study(place)


def plain_tasks(count: int, checks: int = 0) -> list[StudyTask]:
    """Sentences that are true and shared by turns; then checks."""
    made = []
    for number in range(count + checks):
        true, turn, shared = number % 2 == 0, 2, (0, 1, 3)[number % 3]
        key = {
            "splits": "val", "dialogues": number, "turns": turn, "indices": 0, "true_gold": true,
            "shared_gold": turn >= shared, "turns_shared": shared, "rules": "there",
            "kinds": "entailment" if true else "contradiction", "facts": None, "questions": "is it?", "answers": "yes",
            "propositions": f"sentence {number}",
        }  # fmt: skip
        truth = ("yes" if true else "no", "yes" if turn >= shared else "no")
        lines = (("caption", "a dog"), ("question", "is it big?"), ("answer", "yes"))
        made.append(
            StudyTask(
                "true-shared", f"sentence {number}", None, lines=lines, key=key, truth=truth if number >= count else ()
            )
        )
    return made


def sets(count: int, checks: int, rng: np.random.Generator) -> tuple[list[StudyTask], list[tuple[str, ...]]]:
    """Sets of answers for images, and what is true of each; in a check the first must stay and the last must go."""
    made, true = [], []
    for number in range(count + checks):
        size = int(rng.integers(3, 9))
        answers = tuple(("yes", "no")[int(one)] for one in rng.random(size) < 0.25)
        if number >= count:
            answers = ("yes", *answers[1:-1], "no")
        key = {"image_id": number, "round_id": 1, "set": "HS"[number % 2]}
        truth = ("yes", *([None] * (size - 2)), "no") if number >= count else ()
        items = tuple(f"answer {place}" for place in range(size))
        made.append(StudyTask("deselect", f"question {number}?", number, items=items, key=key, truth=truth))
        true.append(answers)
    return made, true


class Reply(msgspec.Struct):
    """What came back: the status, the headers with small letters, and the body."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


Wire = Callable[[str, str, dict[str, str], bytes | None], Reply]


class Judging:
    """One person's page, without the page: asks, judges, is through."""

    def __init__(self, wire: Wire, token: str) -> None:
        self.wire, self.token, self.stamp = wire, token, 0

    def ask(self, path: str, body: Any = None) -> Reply:
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is None:
            return self.wire("GET", path, headers, None)
        headers["Content-Type"] = "application/json"
        return self.wire("POST", path, headers, json.dumps(body).encode())

    def consent(self) -> None:
        assert self.ask("/api/consent", {}).status == 200

    def next(self) -> Any:
        reply = self.ask("/api/next")
        assert reply.status == 200, reply
        return reply.json()

    def say(self, number: int, answers: Sequence[str | None], done: bool = True, **more: Any) -> Reply:
        self.stamp += 1
        message = {"number": number, "stamp": self.stamp, "answers": list(answers), "done": done, "seconds": 1.5}
        return self.ask("/api/message", message | more)

    def judge_all(self, decide: Callable[[Any], Sequence[str]]) -> list[tuple[Any, list[str]]]:
        """Judge what is given until nothing is left: what was shown and what was said to it."""
        self.consent()
        said = []
        given = self.next()
        while "code" not in given:
            answers = list(decide(given["task"]))
            said.append((given["task"], answers))
            reply = self.say(given["number"], answers, next=True)
            given = reply.json()
            assert (reply.status, given["kept"]) == (200, True)
        assert re.fullmatch("[A-Z2-9]{10}", given["code"])
        return said


@contextlib.contextmanager
def asgi(study: OpenedStudy, anyone: bool = False, host: str = "127.0.0.1:8377") -> Iterator[Wire]:
    """The application in this process."""
    from starlette.testclient import TestClient

    from voirdire.study.app import make_app

    with TestClient(make_app(study, anyone), base_url=f"http://{host}") as client:

        def wire(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Reply:
            made = client.request(
                method,
                path,
                headers=[(a.encode("latin-1"), b.encode("latin-1")) for a, b in headers.items()],
                content=body,
            )
            return Reply(made.status_code, {name.lower(): value for name, value in made.headers.items()}, made.content)

        yield wire


class Served:
    """A study that is served by a process of its own, over real sockets."""

    def __init__(self, study: Path, *words: str, port: int = 0) -> None:
        code = "from voirdire.cli.main import run; run()"
        call = [sys.executable, "-c", code, "study", "serve", str(study), "--port", str(port), *words]
        self.process = subprocess.Popen(call, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.said: list[str] = []
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                break
        else:
            raise AssertionError(f"not served: {''.join(self.said)}")
        self.port = int(found[1])
        self.url = found[0]
        # What it says later must not fill the pipe.
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.said += list(self.process.stderr)

    def wire(self) -> Wire:
        """Requests over a connection that is kept."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)

        def ask(method: str, path: str, headers: dict[str, str], body: bytes | None) -> Reply:
            connection.request(method, path, body, headers)
            made = connection.getresponse()
            return Reply(made.status, {name.lower(): value for name, value in made.getheaders()}, made.read())

        return ask

    def kill(self) -> None:
        """As `kill -9` does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def judge_all(study: OpenedStudy, people: int, decide: Callable[[StudyTask, int], tuple[str, ...]]) -> None:
    store = JudgedStore(study)
    for number, invited in enumerate(store.invite(people)):
        person = store.judge_of(invited.token)
        while (place := store.next(person)) is not None:
            store.record(person, Message(place.number, 1, decide(study.tasks[place.task], number), done=True))
    store.close()
