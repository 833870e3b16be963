"""Fifty judges at once on a study's page: how long an answer takes from being sent to being acknowledged, on disk.

    python benchmarks/study.py [--judges 50] [--tasks 40] [--think 0]

Judges are threads of one process, each over a connection of its own, that answer as fast as they are given tasks, or
think for a time in between. The server is a process of its own. Beside the way of the page, which gets the next task
with the acknowledgement, stand one more request for it, and with that a server that commits one request at a time, as a
plain application over SQLite does.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "study"))

from benches import plain_tasks, write_study

from voirdire.study.database import JudgedStore

SERVER = """
import sys
import voirdire.study.app as server
from voirdire.study.folder import open_study
from voirdire.study.serve import serve_study
server.AT_ONCE = int(sys.argv[2])
serve_study(open_study(sys.argv[1]), port=0, announce=lambda line: print(line, flush=True))
"""


def judge(port: int, token: str, think: float, together: bool, waits: list[float]) -> None:
    """One judge: everything that there is; `together`, whether what follows comes with the acknowledgement."""
    rng = random.Random(token)
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(method: str, path: str, body: object = None) -> dict[str, object]:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        data = answer.read()
        assert answer.status == 200, (answer.status, data)
        found: dict[str, object] = json.loads(data)
        return found

    ask("POST", "/api/consent", {})
    given = ask("GET", "/api/next")
    while "code" not in given:
        if think:
            time.sleep(rng.expovariate(1 / think))
        message = {"number": given["number"], "stamp": 1, "answers": ["yes", "no"], "done": True, "seconds": 1}
        began = time.perf_counter()
        told = ask("POST", "/api/message", {**message, "next": together})
        waits.append(time.perf_counter() - began)
        given = told if together else ask("GET", "/api/next")


def measure(judges: int, tasks: int, think: float, at_once: int, together: bool) -> str:
    """A line of figures for a study in which each of the judges judges each of the tasks."""
    with tempfile.TemporaryDirectory() as folder:
        study = write_study(Path(folder) / "study", plain_tasks(tasks), judges=judges)
        store = JudgedStore(study)
        tokens = [one.token for one in store.invite(judges)]
        store.close()
        words = [sys.executable, "-c", SERVER, str(study.folder), str(at_once)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
            waits: list[float] = []
            threads = [threading.Thread(target=judge, args=(port, token, think, together, waits)) for token in tokens]
            began = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.perf_counter() - began
            server.terminate()
        store = JudgedStore(study)
        assert len(store.read().kept) == len(waits) == judges * tasks
        store.close()
    middle, high, highest = (1000 * one for one in np.quantile(waits, [0.5, 0.99, 1.0]))
    return f"{len(waits):>6,} {seconds:>8.1f} {len(waits) / seconds:>9,.0f} {middle:>8.1f} {high:>8.1f} {highest:>8.1f}"


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judges", type=int, default=50)
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--think", type=float, default=0.0, help="seconds that a judge thinks, on average")
    given = parser.parse_args()
    print(f"{given.judges} judges, each {given.tasks} tasks, thinking {given.think} s; times in ms")
    print(f"{'':28} {'answers':>6} {'seconds':>8} {'per s':>9} {'median':>8} {'99 %':>8} {'slowest':>8}")
    for name, at_once, together in (
        ("as the page asks", 64, True),
        ("what follows asked for apart", 64, False),
        ("and a commit per request", 1, False),
    ):
        print(f"{name:28} {measure(given.judges, given.tasks, given.think, at_once, together)}")


if __name__ == "__main__":
    main()
