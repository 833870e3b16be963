"""Whoever sends half a request, and however many do, keeps nobody waiting who sends a whole one."""

import contextlib
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import Judging, Served, plain_tasks, write_study

from voirdire.study.database import JudgedStore
from voirdire.study.folder import OpenedStudy

pytest.importorskip("uvicorn", reason="needs the extra study: pip install -e '.[study]'")

from voirdire.study.connections import PATIENCE

HALVES = {
    "nothing": b"",
    "a head without an end": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "half a body": b"POST /api/message HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    b"Authorization: Bearer x\r\nContent-Length: 100\r\n\r\n{",
}


@pytest.fixture
def study(tmp_path: Path) -> OpenedStudy:
    return write_study(tmp_path / "study", plain_tasks(5))


def token(study: OpenedStudy) -> str:
    store = JudgedStore(study)
    (invited,) = store.invite(1)
    store.close()
    return invited.token


@pytest.fixture
def many_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.slow
@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_a_judge_does_not_wait_behind_1005_half_requests(study: OpenedStudy, half: bytes) -> None:
    with Served(study.folder, "--open") as served, contextlib.ExitStack() as stack:
        judge = Judging(served.wire(), token(study))
        judge.consent()
        for _ in range(1005):
            other = stack.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=10))
            with contextlib.suppress(ConnectionError):
                other.sendall(half)
        late = Judging(served.wire(), judge.token)
        waits = []
        for person in (late, judge, late):
            started = time.monotonic()
            given = person.next()
            assert person.say(given["number"], ("yes", "no"), done=False).status == 200
            waits.append(time.monotonic() - started)
        # A second on a machine at rest; behind the halves it would be as long as these are waited for.
        assert max(waits) < PATIENCE / 2, waits
    assert not any("Traceback" in line for line in served.said)


@pytest.mark.slow
def test_half_a_request_is_cut_off_however_it_trickles_in_and_a_silent_page_is_not(study: OpenedStudy) -> None:
    with Served(study.folder, "--open") as served:
        judge = Judging(served.wire(), token(study))
        judge.consent()
        with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE + 10) as slow:
            started = time.monotonic()
            slow.sendall(HALVES["a head without an end"])
            slow.settimeout(1)
            while time.monotonic() - started < PATIENCE + 5:
                try:
                    slow.sendall(b"x")
                    if slow.recv(1) == b"":
                        break
                except TimeoutError:
                    continue
                except ConnectionError:
                    break
            assert PATIENCE - 1 < time.monotonic() - started < PATIENCE + 3
        assert judge.next()["number"] == 1
