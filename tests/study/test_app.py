"""The server under attack: tokens of nobody, other sites, scripts, paths, floods; and what it lets through is kept."""

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benches import JPEG, Judging, Served, Wire, asgi, plain_tasks, write_study

from voirdire.study.database import JudgedStore, Message
from voirdire.study.design import StudyTask
from voirdire.study.folder import OpenedStudy

pytest.importorskip("starlette", reason="needs the extra study: pip install -e '.[study]'")

from voirdire.study.app import LARGEST_BODY

PICTURE = "0123456789abcdef0123456789abcdef.jpg"
SITES = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "another host of the site": {"Sec-Fetch-Site": "same-site"},
    "an address that was typed": {"Sec-Fetch-Site": "none"},
    "another origin": {"Origin": "https://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:9999"},
    "no origin at all": {"Origin": "null"},
}


def tokens(study: OpenedStudy, count: int) -> list[str]:
    store = JudgedStore(study)
    made = [judge.token for judge in store.invite(count)]
    store.close()
    return made


def kept(study: OpenedStudy) -> list[Any]:
    store = JudgedStore(study)
    found = store.read().kept
    store.close()
    return found


@pytest.fixture
def study(tmp_path: Path) -> OpenedStudy:
    tasks = [StudyTask("true-shared", "a sentence", picture=PICTURE, key={"secret": "gold"}, truth=("yes", "no"))]
    return write_study(tmp_path / "study", [*tasks, *plain_tasks(4)], pictures={PICTURE: JPEG})


@pytest.fixture
def wire(study: OpenedStudy) -> Iterator[Wire]:
    with asgi(study) as made:
        yield made


def test_a_study_from_the_first_request_to_the_code(study: OpenedStudy, wire: Wire) -> None:
    person = Judging(wire, tokens(study, 1)[0])
    assert person.ask("/api/me").json() == {"consented": False, "progress": {"done": 0, "total": 5, "last": 0}}
    assert person.ask("/api/next").json() == {"refused": "consent"}
    said = person.judge_all(lambda task: ("yes", "no"))
    assert len(said) == 5
    assert person.next()["progress"]["done"] == 5
    assert len(kept(study)) == 5


def test_what_follows_comes_with_the_acknowledgement_where_it_is_wanted(study: OpenedStudy, wire: Wire) -> None:
    person = Judging(wire, tokens(study, 1)[0])
    person.consent()
    first = person.next()
    assert set(person.say(first["number"], ("yes", None), done=False).json()) == {"kept", "progress"}
    told = person.say(first["number"], ("yes", "no"), next=True).json()
    assert told.pop("kept") is True
    assert told == person.next()
    assert (told["number"], told["progress"]["done"]) == (2, 1)
    # Sent again, it brings the same task; skipped, another one.
    person.stamp -= 1
    assert person.say(first["number"], ("yes", "no"), next=True).json() == {**told, "kept": False}
    skipped = person.say(2, (), done=False, reason="too dark", next=True).json()
    assert skipped["task"]["text"] != told["task"]["text"]
    assert (skipped["number"], person.ask("/api/task/2").json()["reason"]) == (3, "too dark")
    assert person.say(9, ("yes", "no"), next=True).json() == {"refused": "gone"}


def test_what_gives_a_label_away_stays_on_the_server(study: OpenedStudy, wire: Wire) -> None:
    person = Judging(wire, tokens(study, 1)[0])
    person.consent()
    for _ in study.tasks:
        given = person.next()
        assert set(given["task"]) == {"way", "text", "picture", "box", "lines", "items"}
        assert "gold" not in json.dumps(given)
        person.say(given["number"], ("yes", "yes"))


@pytest.mark.parametrize(
    "token", ["", "x", "A" * 43, "../../etc/passwd", "' OR 1=1 --", "%00", "a b", "\xff", "0" * 10_000]
)
def test_guessed_tokens(study: OpenedStudy, wire: Wire, token: str) -> None:
    tokens(study, 2)
    header = {"Authorization": f"Bearer {token}"}
    for method, path in (
        *(("GET", one) for one in ("/api/me", "/api/next", "/api/task/1", f"/picture/{PICTURE}")),
        *(("POST", one) for one in ("/api/consent", "/api/message")),
    ):
        body = b"{}" if method == "POST" else None
        reply = wire(method, path, {**header, "Content-Type": "application/json"}, body)
        assert reply.status in (400, 401), (path, reply)
        assert wire(method, path, {"Content-Type": "application/json"}, body).status in (400, 401)
    assert not kept(study)


def test_the_token_of_another_study_and_of_somebody_who_was_revoked(
    study: OpenedStudy, wire: Wire, tmp_path: Path
) -> None:
    foreign = tokens(write_study(tmp_path / "other", plain_tasks(3)), 1)[0]
    assert Judging(wire, foreign).ask("/api/me").status == 401
    own = Judging(wire, tokens(study, 1)[0])
    own.consent()
    given = own.next()
    store = JudgedStore(study)
    store.revoke("judge-1")
    assert own.say(given["number"], ("yes", "yes")).status == 401
    assert not store.read().kept


def test_the_task_of_somebody_else_cannot_be_judged(study: OpenedStudy, wire: Wire) -> None:
    one, two = (Judging(wire, token) for token in tokens(study, 2))
    one.consent()
    two.consent()
    number = one.next()["number"]
    assert two.ask(f"/api/task/{number}").json() == {"refused": "gone"}
    assert two.say(number, ("yes", "yes")).status == 409
    assert two.say(10**9, ("yes", "yes")).status == 409
    assert not kept(study)


@pytest.mark.parametrize("site", SITES)
def test_requests_of_other_sites(study: OpenedStudy, wire: Wire, site: str) -> None:
    token = tokens(study, 1)[0]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **SITES[site]}
    for method, path in (("POST", "/api/consent"), ("GET", "/api/me"), ("GET", f"/picture/{PICTURE}")):
        reply = wire(method, path, headers, b"{}" if method == "POST" else None)
        assert (reply.status, reply.json()) == (403, {"refused": "site"})
        assert not [name for name in reply.headers if name.startswith("access-control")]
    same = {**headers, "Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:8377"}
    assert wire("GET", "/api/me", same, None).json()["consented"] is False


def test_a_form_of_another_site_is_no_message(study: OpenedStudy, wire: Wire) -> None:
    token = tokens(study, 1)[0]
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
        assert wire("POST", "/api/consent", headers, b"{}").status == 415
    assert wire("OPTIONS", "/api/message", {"Origin": "https://evil.example"}, None).status == 405
    assert wire("PUT", "/api/message", {}, b"{}").status == 405


def test_who_is_let_in_without_a_link_comes_by_this_machines_own_name(study: OpenedStudy) -> None:
    with asgi(study, anyone=True) as wire:
        made = wire("POST", "/api/open", {"Content-Type": "application/json"}, b"{}")
        assert Judging(wire, made.json()["token"]).ask("/api/me").status == 200
    for host in ("rebound.example:8377", "rebound.example", "127.0.0.1.evil.example"):
        with asgi(study, anyone=True, host=host) as wire:
            made = wire("POST", "/api/open", {"Content-Type": "application/json"}, b"{}")
            assert (made.status, made.json()) == (421, {"refused": "host"})
            assert wire("GET", "/", {}, None).status == 421
    with asgi(study) as wire:
        assert wire("POST", "/api/open", {"Content-Type": "application/json"}, b"{}").status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/picture/../study.json",
        "/picture/..%2fstudy.json",
        "/picture/%2e%2e%2ftasks.jsonl",
        "/picture/....//tasks.jsonl",
        "/picture/%2fetc%2fpasswd",
        "/picture/..\\tasks.jsonl",
        "/picture/" + PICTURE + "%00.txt",
        "/picture/" + "x" * 5_000,
        "/tasks.jsonl",
        "/judged.sqlite3",
        "/pictures/" + PICTURE,
        "//etc/passwd",
        "/%ff%fe",
    ],
)
def test_only_the_studys_own_pictures_are_served(study: OpenedStudy, wire: Wire, path: str) -> None:
    person = Judging(wire, tokens(study, 1)[0])
    assert person.ask(path).status in (400, 404)
    good = person.ask(f"/picture/{PICTURE}")
    assert (good.status, good.body, good.headers["content-type"]) == (200, JPEG, "image/jpeg")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"number": 1}',
        b'{"number": "1", "stamp": 1}',
        b'{"number": 1, "stamp": 1, "answers": ["yes", "no"], "done": true, "more": 1}',
        b'{"number": 1, "stamp": 0, "answers": ["yes", "no"]}',
        b'{"number": 1, "stamp": 1e400, "answers": ["yes", "no"]}',
        b'{"number": 1, "stamp": 99999999999999999999, "answers": ["yes", "no"]}',
        b'{"number": 1, "stamp": 1, "answers": ["yes", "no"], "seconds": -1}',
        b'{"number": 1, "stamp": 1, "answers": ["yes", "no"], "seconds": NaN}',
        b'{"number": 1, "stamp": 1, "answers": ["yes", {"a": 1}]}',
        b'{"number": 1, "stamp": 1, "answers": ["yes", "maybe"], "done": true}',
        b'{"number": 1, "stamp": 1, "comment": "' + b"x" * 2_001 + b'", "answers": ["yes", "no"]}',
        b"[" * 60_000,
        b"\xff\xfe",
    ],
)
def test_bodies_that_are_no_message(study: OpenedStudy, wire: Wire, body: bytes) -> None:
    person = Judging(wire, tokens(study, 1)[0])
    person.consent()
    number = person.next()["number"]
    assert number == 1
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
    assert wire("POST", "/api/message", headers, body).status == 400
    assert not kept(study)


def test_a_comment_is_kept_as_it_is(study: OpenedStudy, wire: Wire) -> None:
    person = Judging(wire, tokens(study, 1)[0])
    person.consent()
    message = "</script><script>hit()</script> '; DROP TABLE given; -- \u202e \x00 =1+1"
    assert person.say(person.next()["number"], ("yes", "yes"), comment=message).status == 200
    assert [judgement.comment for judgement in kept(study)] == [message]


def test_every_answer_has_its_headers_and_the_page_loads_nothing(study: OpenedStudy, wire: Wire) -> None:
    for path in ("/", "/api/me", "/nowhere"):
        headers = wire("GET", path, {}, None).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in headers
        assert "server" not in headers
    page = wire("GET", "/", {}, None).body.decode()
    assert "connect-src &#39;self&#39;" in page
    assert "http://" not in page
    assert "https://" not in page


class TestOverSockets:
    """Over real connections, by a process of its own."""

    @pytest.mark.slow
    def test_large_bodies_are_refused_and_cost_nobody_else(self, study: OpenedStudy) -> None:
        token = tokens(study, 1)[0]
        with Served(study.folder) as served:
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            for size in (LARGEST_BODY + 1, 10_000_000):
                try:
                    reply = served.wire()("POST", "/api/message", headers, b"x" * size)
                except (BrokenPipeError, ConnectionError):
                    continue
                assert reply.status == 413
            lying = {**headers, "Transfer-Encoding": "chunked"}
            chunk = b"%x\r\n%b\r\n" % (50_000, b"x" * 50_000)
            with contextlib.suppress(BrokenPipeError, ConnectionError):
                assert served.wire()("POST", "/api/message", lying, chunk * 200 + b"0\r\n\r\n").status == 413
            person = Judging(served.wire(), token)
            assert len(person.judge_all(lambda task: ("yes", "no"))) == 5
        assert len(kept(study)) == 5

    @pytest.mark.slow
    def test_ten_thousand_requests_are_answered_and_nothing_is_lost(self, tmp_path: Path) -> None:
        """As fast as four connections can, which is above ten thousand a minute."""
        study = write_study(tmp_path / "flooded", plain_tasks(50), judges=4)
        good = tokens(study, 4)
        statuses: Counter[int] = Counter()
        lock = threading.Lock()

        def flood(served: Served, token: str) -> None:
            wire, own = served.wire(), Counter[int]()
            person = Judging(wire, token)
            person.consent()
            answered = 0
            for number in range(2_450):
                if number % 49 == 0 and "code" not in (given := person.next()):
                    own[person.say(given["number"], ("yes", "no")).status] += 1
                    answered += 1
                bad = {"Authorization": "Bearer guessed"} if number % 2 else {}
                own[wire("GET", ("/api/me", "/api/next", "/nowhere", "/")[number % 4], bad, None).status] += 1
            with lock:
                statuses.update(own)
            assert answered == 50

        with Served(study.folder) as served:
            threads = [threading.Thread(target=flood, args=(served, token)) for token in good]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert sum(statuses.values()) == 10_000
        assert set(statuses) <= {200, 401, 404}
        found = kept(study)
        assert Counter(one.task for one in found) == dict.fromkeys(range(50), 4)

    @pytest.mark.slow
    def test_killed_it_has_lost_nothing_that_was_acknowledged(self, tmp_path: Path) -> None:
        study = write_study(tmp_path / "killed", plain_tasks(400), judges=3)
        people = tokens(study, 3)
        acknowledged: dict[tuple[str, str], list[str]] = {}
        lock = threading.Lock()

        def work(served: Served, place: int) -> None:
            person = Judging(served.wire(), people[place])
            person.stamp = len(acknowledged) * 1_000
            try:
                person.consent()
                for turn in range(1_000):
                    given = person.next()
                    if "code" in given:
                        return
                    answers = [("yes", "no")[(turn + place) % 2], ("yes", "no")[turn % 2]]
                    if person.say(given["number"], answers).status == 200:
                        with lock:
                            acknowledged[given["task"]["text"], f"judge-{place + 1}"] = answers
                            if len(acknowledged) in (60, 150):
                                served.kill()
            except (ConnectionError, OSError, AssertionError, ValueError):
                served.process.wait(10)  # It was killed, and nothing else is the reason.

        for _ in range(2):
            with Served(study.folder) as served:
                threads = [threading.Thread(target=work, args=(served, place)) for place in range(3)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(60)
                assert served.process.poll() is not None, "killed in the middle"
        store = JudgedStore(study)
        found = {(study.tasks[one.task].text, one.judge): list(one.answers) for one in store.read().kept}
        assert len(acknowledged) >= 150
        assert {point: found.get(point) for point in acknowledged} == acknowledged
        # What was on its way may be there, one message for each who judged at each kill.
        assert len(found) - len(acknowledged) <= 6
        assert store.base.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_disk_that_is_full_acknowledges_nothing(study: OpenedStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3

    with asgi(study) as wire:
        person = Judging(wire, tokens(study, 1)[0])
        person.consent()
        number = person.next()["number"]
        record = JudgedStore.record

        def full(self: JudgedStore, judge: Any, message: Message) -> bool:
            record(self, judge, message)
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(JudgedStore, "record", full)
        reply = person.say(number, ("yes", "no"))
        assert (reply.status, reply.json()) == (503, {"refused": "busy"})
        assert not kept(study)
        monkeypatch.undo()
        assert person.say(number, ("yes", "no")).status == 200
    assert len(kept(study)) == 1
