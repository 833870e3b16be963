"""The judges' page at unlucky moments: keys and clicks while something is on its way, answers that are none, a task
that is gone, two pages of one person, a browser that is killed. What is acknowledged stays, and is there once."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benches import Served, plain_tasks, sets, write_study
from judging import Held, agree, catch, kept, links, shown, until
from opening import ARGUMENTS, TIMEOUT, executable

from voirdire.study.database import JudgedStore, Message
from voirdire.study.design import StudyTask

pytestmark = pytest.mark.slow

pytest.importorskip("starlette", reason="needs the extra study: pip install -e '.[study]'")

PICTURE = "0123456789abcdef0123456789abcdef.png"


def out(page: Any) -> int:
    """How many answers are taken out."""
    found: int = page.locator(".target.out").count()
    return found


def test_keys_and_clicks_while_something_is_on_its_way(come: Any, tmp_path: Path) -> None:
    tasks, _ = sets(6, 0, np.random.default_rng(0))
    study = write_study(tmp_path / "study", tasks, judges=1)
    (token,) = links(study, 1)
    with Served(study.folder) as served:
        page = come(served, token)
        agree(page)

        def nothing_happens() -> None:
            for key in ("1", "s", "c", "i", "b", "Enter"):
                page.keyboard.press(key)
            page.locator(".target").first.click()
            page.locator("#comment").click()
            assert page.locator("dialog").count() == 0
            assert out(page) == 0

        # An answer, and then a task that was skipped, on their way to the server.
        held = Held(page)
        page.keyboard.press("Enter")
        held.wait()
        nothing_happens()
        held.let()
        shown(page, 2)
        held = Held(page)
        page.keyboard.press("s")
        page.wait_for_selector("dialog")
        page.keyboard.press("2")
        held.wait()
        nothing_happens()
        held.let()
        shown(page, 3)
        assert out(page) == 0
        # The task before, on its way here, while a click is on its way there.
        held = Held(page)
        page.keyboard.press("2")
        held.wait()
        page.keyboard.press("b")
        page.keyboard.press("1")
        assert out(page) == 1
        held.let()
        shown(page, 2)
        held = Held(page, "**/api/task/*")
        page.keyboard.press("Enter")
        held.wait()
        nothing_happens()
        held.let()
        shown(page, 3)
        assert out(page) == 1
        # A key that is held down, and the second click of two, are not the next task's.
        page.keyboard.down("Enter")
        shown(page, 4)
        page.keyboard.down("Enter")
        page.keyboard.up("Enter")
        page.keyboard.press("1")
        assert out(page) == 1
        where = page.locator("#next").bounding_box()
        page.mouse.click(where["x"] + 9, where["y"] + 9)
        shown(page, 5)
        page.mouse.down(click_count=2)
        page.mouse.up(click_count=2)
        page.keyboard.press("1")
        assert out(page) == 1
        shown(page, 5)
        assert page.inner_text("#count") == "4 of 6"
    assert sorted(judgement.answers.count("no") for judgement in kept(study)) == [0, 0, 1, 1]


def test_comments_and_second_thoughts(come: Any, tmp_path: Path) -> None:
    tasks, _ = sets(3, 0, np.random.default_rng(0))
    study = write_study(tmp_path / "study", tasks, judges=1)
    (token,) = links(study, 1)

    def remark(text: str) -> None:
        page.keyboard.press("c")
        # Half of a character, as a cut emoji leaves it, is none that can be sent.
        page.locator("#remark").evaluate("(field, text) => { field.value = text + '\\ud83d'; }", text)
        page.click("#keep")

    with Served(study.folder) as served:
        page = come(served, token)
        agree(page)
        held = Held(page)
        page.keyboard.press("2")
        held.wait()
        remark("while a click is on its way ")
        page.keyboard.press("Enter")
        held.let()
        shown(page, 2)
        (first,) = kept(study)
        assert (first.answers.count("no"), first.comment) == (1, "while a click is on its way \ufffd")
        # What was done and is changed needs no second "Next".
        page.keyboard.press("b")
        shown(page, 1)
        with page.expect_response("**/api/message"):
            page.keyboard.press("1")
        page.reload()
        shown(page, 2)
        assert [judgement.answers.count("no") for judgement in kept(study)] == [2]
        # A comment on what was skipped leaves it skipped.
        page.keyboard.press("s")
        page.keyboard.press("1")
        shown(page, 3)
        page.keyboard.press("b")
        shown(page, 2)
        with page.expect_response("**/api/message"):
            remark("too dark ")
        page.keyboard.press("b")
        shown(page, 1)
    store = JudgedStore(study)
    assert [(reason, said) for _, _, reason, said in store.read().skipped] == [
        ("I cannot see the picture well", "too dark \ufffd")
    ]
    store.close()


def test_answers_that_are_none(come: Any, tmp_path: Path) -> None:
    tasks, _ = sets(3, 0, np.random.default_rng(0))
    study = write_study(tmp_path / "study", tasks, judges=1)
    (token,) = links(study, 1)
    portal = "<!doctype html><title>Welcome to our network</title>"
    wrong: list[dict[str, Any]] = [
        {"status": 429, "body": "{}"},
        {"status": 500, "body": portal},
        {"status": 408, "body": ""},
        {"status": 200, "content_type": "text/html", "body": portal},
        {"status": 200, "content_type": "application/json", "body": '{"kept": tr'},
    ]
    with Served(study.folder) as served:
        page = come(served, token)
        agree(page)
        given = iter(wrong)

        def answer(route: Any) -> None:
            if (one := next(given, None)) is None:
                route.continue_()
            else:
                route.fulfill(**one)
                assert not kept(study)

        def hurry() -> bool:
            page.evaluate("window.dispatchEvent(new Event('online'))")
            return bool(page.locator("#task[data-number='2']").count())

        page.route("**/api/message", answer)
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.locator("#note", has_text="No connection").wait_for()
        until(page, hurry)
        assert next(given, None) is None
        assert page.inner_text("#note") == ""
        assert [judgement.answers.count("no") for judgement in kept(study)] == [1]
        page.unroute("**/api/message")
        # No answer at all: the page asks again.
        page.evaluate(
            """() => { AbortSignal.timeout = () => {
                const one = new AbortController(); window.late = () => one.abort(); return one.signal; }; }"""
        )
        held = Held(page)
        page.keyboard.press("Enter")
        held.wait()
        page.evaluate("window.late()")
        page.locator("#note", has_text="No connection").wait_for()
        held.routes.pop(0)  # Given up; the page may have asked again already.
        held.let()
        shown(page, 3)
        assert len(kept(study)) == 2
        # A server in between that refuses: what was said is there, and is sent when the page is opened again.
        page.route("**/api/message", lambda route: route.fulfill(status=403, body=portal))
        page.keyboard.press("1")
        page.locator("h2", has_text="Something went wrong").wait_for()
        page.unroute("**/api/message")
        page.reload()
        shown(page, 3)
        assert out(page) == 1
        page.keyboard.press("Enter")
        page.wait_for_selector("#code")
    assert sorted(judgement.answers.count("no") for judgement in kept(study)) == [0, 1, 1]


def test_a_task_that_is_gone_and_a_picture_of_the_task_before(come: Any, tmp_path: Path) -> None:
    tasks = [StudyTask("yes-no-na", f"is it {number}?", picture=PICTURE, key={}) for number in range(3)]
    study = write_study(tmp_path / "study", tasks, judges=1, pictures={PICTURE: b"no picture at all"})
    mine, other = links(study, 2)
    with Served(study.folder) as served:
        page = come(served, mine)
        pictures = Held(page, "**/picture/*")
        agree(page)
        pictures.wait(1)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        shown(page, 2)
        pictures.wait(2)[0].fulfill(status=404, content_type="application/json", body='{"refused": "picture"}')
        held = Held(page)
        page.keyboard.press("2")
        held.wait()
        page.keyboard.press("c")
        page.wait_for_selector("#remark")
        store = JudgedStore(study, clock=lambda: time.time() + 3600)
        person = store.judge_of(other)
        while (place := store.next(person)) is not None:
            store.record(person, Message(place.number, 1, ("no",), done=True))
        store.close()
        held.let()
        page.wait_for_selector("#code")
        assert page.locator("dialog").count() == 0
        assert "given to somebody else" in page.inner_text("#note")
    assert sorted((judgement.judge, judgement.answers) for judgement in kept(study)) == [
        ("judge-1", ("yes",)),
        ("judge-2", ("no",)),
        ("judge-2", ("no",)),
    ]


def test_two_pages_of_one_person(come: Any, tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", plain_tasks(3), judges=1)
    (token,) = links(study, 1)
    with Served(study.folder) as served:
        one = come(served, token)
        agree(one)
        two = one.context.new_page()
        two.goto(one.url)
        shown(two, 1)
        for key in ("1", "3", "Enter"):
            two.keyboard.press(key)
        shown(two, 2)
        # The first page still shows the first task; what is said there cannot be sent, and the other one goes on.
        one.route("**/api/message", lambda route: route.abort())
        for key in ("2", "4", "Enter"):
            one.keyboard.press(key)
        one.locator("#note", has_text="No connection").wait_for()
        for key in ("1", "3", "Enter"):
            two.keyboard.press(key)
        shown(two, 3)
        assert [said.answers for said in kept(study)] == [("yes", "yes")] * 2
        one.close()
        two.reload()
        shown(two, 3)
        assert sorted(said.answers for said in kept(study)) == [("no", "no"), ("yes", "yes")]
        for key in ("1", "3", "Enter"):
            two.keyboard.press(key)
        two.wait_for_selector("#code")
    assert len(kept(study)) == 3


def kill_browser(profile: Path) -> None:
    """End the browser of a profile and all processes that it began, as `kill -9` does."""
    listed = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], check=True, capture_output=True, text=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    doomed = {row[0] for row in rows if len(row) == 3 and f"--user-data-dir={profile}" in row[2]}
    assert doomed, "the browser runs"
    while more := {row[0] for row in rows if row[1] in doomed} - doomed:
        doomed |= more
    for number in doomed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(number), signal.SIGKILL)


def test_a_browser_that_is_killed(browser: Any, come: Any, tmp_path: Path) -> None:
    tasks, _ = sets(8, 0, np.random.default_rng(0))
    study = write_study(tmp_path / "study", tasks, judges=1)
    (token,) = links(study, 1)
    profile = tmp_path / "profile"
    acknowledged: dict[str, int] = {}

    def start() -> Any:
        context = browser.browser_type.launch_persistent_context(
            profile, executable_path=executable(), args=ARGUMENTS, timeout=TIMEOUT
        )
        page = context.pages[0]
        page.set_default_timeout(TIMEOUT)
        catch(page)
        page.goto(f"{served.url}#{token}")
        return page

    def judge(page: Any, number: int) -> None:
        """One task, until it is acknowledged."""
        shown(page, number)
        text = page.inner_text("#text")
        assert text not in acknowledged
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        shown(page, number + 1)
        acknowledged[text] = 1

    def kill(page: Any) -> None:
        with page.context.expect_event("close"):
            kill_browser(profile)

    def check(page: Any, number: int, taken_out: int) -> None:
        """The page is where it was, by what was acknowledged."""
        shown(page, number)
        assert page.inner_text("#text") not in acknowledged
        assert page.inner_text("#count") == f"{number - 1} of 8"
        assert out(page) == taken_out
        found = {study.tasks[judgement.task].text: judgement.answers.count("no") for judgement in kept(study)}
        assert found == acknowledged

    with Served(study.folder) as served:
        # A click was acknowledged.
        page = start()
        agree(page)
        judge(page, 1)
        with page.expect_response("**/api/message"):
            page.keyboard.press("1")
        kill(page)
        check(come(served, token), 2, 1)
        page = start()
        check(page, 2, 1)
        # An answer is kept, and the page was not told.
        text = page.inner_text("#text")
        held = Held(page)
        page.keyboard.press("Enter")
        held.wait()[0].fetch()
        acknowledged[text] = 1
        kill(page)
        check(come(served, token), 3, 0)
        page = start()
        check(page, 3, 0)
        judge(page, 3)
        # An answer has not reached the server. The browser may have kept it or not, and nothing else is lost.
        shown(page, 4)
        text = page.inner_text("#text")
        held = Held(page)
        page.keyboard.press("Enter")
        held.wait()
        kill(page)
        check(come(served, token), 4, 0)
        page = start()
        page.wait_for_selector("#task")
        if page.locator("#task[data-number='5']").count():
            acknowledged[text] = 0
            check(page, 5, 0)
        else:
            check(page, 4, 0)
            judge(page, 4)
        for number in (5, 6, 7):
            judge(page, number)
        page.keyboard.press("Enter")
        page.wait_for_selector("#code")
        page.context.close()
    assert [judgement.task for judgement in kept(study)] == list(range(8))
