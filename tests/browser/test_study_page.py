"""The page on which people judge, in a browser: by keyboard alone, on a small screen, reloaded, two at once, without a
network for a while; texts that would like to be code are texts; nothing bars a reader."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benches import Served, plain_tasks, sets, write_study
from hostile_pages import TEXTS, held
from judging import agree, kept, links, shown
from watching import barriers

from voirdire.study.database import JudgedStore
from voirdire.study.design import StudyTask

pytestmark = pytest.mark.slow

pytest.importorskip("starlette", reason="needs the extra study: pip install -e '.[study]'")

PICTURE = "0123456789abcdef0123456789abcdef.png"


def drawn() -> bytes:
    from PIL import Image

    packed = io.BytesIO()
    Image.new("RGB", (64, 48), "teal").save(packed, "PNG")
    return packed.getvalue()


def test_a_whole_study_by_keyboard(come: Any, tmp_path: Path) -> None:
    tasks, _ = sets(4, 0, np.random.default_rng(0))
    study = write_study(tmp_path / "study", tasks, judges=1)
    (token,) = links(study, 1)
    with Served(study.folder) as served:
        page = come(served, token)
        page.wait_for_selector("#agree")
        assert "Keyboard" not in page.inner_text("main")
        assert "What is stored" in page.inner_text("main")
        for button in ("#agree", "#begin"):
            page.wait_for_selector(button)
            for _ in range(5):
                page.keyboard.press("Tab")
                if page.evaluate("document.activeElement.id") == button[1:]:
                    break
            page.keyboard.press("Enter")
        shown(page, 1)
        page.keyboard.press("2")
        assert page.locator(".target.out").count() == 1
        page.keyboard.press("2")
        assert page.locator(".target.out").count() == 0
        page.keyboard.press("1")
        page.keyboard.press("3")
        page.keyboard.press("Enter")
        shown(page, 2)
        assert page.inner_text("#count") == "1 of 4"
        page.keyboard.press("c")
        page.wait_for_selector("dialog")
        page.keyboard.type("a remark, 2 words")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog", state="detached")
        page.keyboard.press("b")
        shown(page, 1)
        assert page.locator(".target.out").count() == 2
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        shown(page, 2)
        page.keyboard.press("Enter")
        shown(page, 3)
        page.keyboard.press("s")
        page.wait_for_selector("dialog")
        page.keyboard.press("2")
        shown(page, 4)
        page.keyboard.press("i")
        assert "Examples" in page.inner_text("dialog")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        page.wait_for_selector("#code")
        assert len(page.inner_text("#code")) == 10
    found = {judgement.comment: judgement.answers for judgement in kept(study)}
    assert len(kept(study)) == 3
    assert "a remark, 2 words" in found
    first = next(judgement for judgement in kept(study) if "no" in judgement.answers)
    assert [place for place, answer in enumerate(first.answers) if answer == "no"] == [2]


def test_a_key_right_after_a_shut_dialogue_counts(come: Any, tmp_path: Path) -> None:
    tasks, _ = sets(1, 0, np.random.default_rng(0))
    study = write_study(tmp_path / "study", tasks, judges=1)
    (token,) = links(study, 1)
    with Served(study.folder) as served:
        page = come(served, token)
        agree(page)
        page.keyboard.press("i")
        page.wait_for_selector("dialog")
        page.evaluate(
            """() => {
                document.querySelector("dialog").close();
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
            }"""
        )
        page.wait_for_selector("#code")
    assert len(kept(study)) == 1


def test_on_a_small_screen_in_the_dark_and_reloaded_in_the_middle(come: Any, tmp_path: Path) -> None:
    tasks = [
        StudyTask("yes-no-na", f"is it {number}?", picture=PICTURE, box=(0.1, 0.2, 0.5, 0.4), key={})
        for number in range(3)
    ]
    study = write_study(tmp_path / "study", tasks, judges=1, pictures={PICTURE: drawn()}, language="de")
    (token,) = links(study, 1)
    with Served(study.folder) as served:
        page = come(served, token, dark=True, narrow=True)
        page.wait_for_selector("#agree")
        assert barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        agree(page)
        page.locator("img[src^=blob]").wait_for()
        frame, box = page.locator(".frame img").bounding_box(), page.locator(".box").bounding_box()
        assert abs(box["x"] - frame["x"] - 0.1 * frame["width"]) < 3
        assert abs(box["width"] - 0.5 * frame["width"]) < 3
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off at the side"
        assert all(one.bounding_box()["height"] >= 44 for one in page.locator(".target, nav button").all())
        assert barriers(page) == []
        page.get_by_label("Nein").tap()
        page.locator("#next:enabled").wait_for()
        page.reload()
        shown(page, 1)
        assert page.get_by_label("Nein").is_checked(), "what was clicked is there after a reload"
        page.locator("#next").tap()
        shown(page, 2)
        page.get_by_label("Ja").tap()
        page.locator("#next").tap()
        shown(page, 3)
        page.get_by_label("n/a").tap()
        page.locator("#next").tap()
        page.wait_for_selector("#code")
        assert barriers(page) == []
    assert sorted(judgement.answers[0] for judgement in kept(study)) == ["n/a", "no", "yes"]


def test_two_at_once(come: Any, tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", plain_tasks(4), judges=1)
    tokens = links(study, 2)
    with Served(study.folder) as served:
        pages = [come(served, token) for token in tokens]
        for page in pages:
            agree(page)
        assert len({page.inner_text("#text") for page in pages}) == 2, "one place, one person"
        for number in (1, 2):
            for page in pages:
                shown(page, number)
                page.keyboard.press("1")
                page.keyboard.press("4")
                page.keyboard.press("Enter")
        for page in pages:
            page.wait_for_selector("#code")
    found = kept(study)
    assert sorted(one.task for one in found) == [0, 1, 2, 3]
    assert {one.answers for one in found} == {("yes", "no")}
    assert {one.judge for one in found} == {"judge-1", "judge-2"}


def test_a_network_that_is_lost_and_comes_back(come: Any, tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", plain_tasks(3), judges=1)
    (token,) = links(study, 1)
    with Served(study.folder) as served:
        page = come(served, token)
        agree(page)
        page.context.set_offline(True)
        page.keyboard.press("2")
        page.keyboard.press("3")
        page.keyboard.press("Enter")
        page.locator("#note", has_text="No connection").wait_for()
        assert not kept(study)
        page.context.set_offline(False)
        shown(page, 2)
        assert [judgement.answers for judgement in kept(study)] == [("no", "yes")]
        # The server is killed, comes back at the same place, and the page goes on.
        served.kill()
        page.keyboard.press("1")
        page.keyboard.press("3")
        page.keyboard.press("Enter")
        page.locator("#note", has_text="No connection").wait_for()
        with Served(study.folder, port=served.port):
            shown(page, 3)
            # Lost with the page closed: the answer is kept by the browser.
            page.context.set_offline(True)
            page.keyboard.press("1")
            page.keyboard.press("4")
            page.keyboard.press("Enter")
            page.locator("#note", has_text="No connection").wait_for()
            url = page.url
            page.goto("about:blank")
            page.context.set_offline(False)
            page.goto(url)
            page.wait_for_selector("#code")
    assert sorted(judgement.answers for judgement in kept(study)) == [("no", "yes"), ("yes", "no"), ("yes", "yes")]


def test_texts_that_would_like_to_be_code(come: Any, tmp_path: Path) -> None:
    names = ("script", "attribute", "apostrophe", "foreign", "comment", "style", "template", "separators")
    tasks = []
    for name in names:
        text = TEXTS[name]
        tasks.append(
            StudyTask("deselect", text, lines=(("caption", text), ("question", text), ("answer", text)), items=(text,))
        )
    study = write_study(tmp_path / "study", tasks, judges=1)
    words = (study.folder / "texts.txt").read_text()
    hit = TEXTS["script"]
    words = words.replace("Before you begin", hit).replace("Which answers fit the picture?", hit)
    (study.folder / "texts.txt").write_text(words)
    (token,) = links(study, 1)
    with Served(study.folder) as served:
        page = come(served, token)
        page.wait_for_selector("#agree")
        assert page.inner_text("h1") == hit
        assert page.inner_text("h2 >> nth=0") == hit
        agree(page)
        seen = set()
        for number in range(1, len(names) + 1):
            shown(page, number)
            assert page.evaluate("window.hit") is None
            found = {
                name
                for name in names
                if page.evaluate("document.getElementById('text').textContent") == held(TEXTS[name])
            }
            seen |= found
            assert page.locator(".target .word").count() == 1
            page.keyboard.press("Enter")
        page.wait_for_selector("#code")
        assert seen == set(names)
        assert page.evaluate("window.hit") is None


def test_without_a_link_and_with_one_that_was_taken_back(come: Any, tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", plain_tasks(2), judges=1)
    token = links(study, 1)[0]
    with Served(study.folder) as served:
        for wrong in ("", "guessed"):
            page = come(served, wrong)
            page.locator("h2", has_text="This page needs your link").wait_for()
        page = come(served, token)
        agree(page)
        store = JudgedStore(study)
        store.revoke("judge-1")
        store.close()
        page.keyboard.press("1")
        page.locator("h2", has_text="This page needs your link").wait_for()
    assert not kept(study)


def test_for_oneself_on_this_machine(come: Any, tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", plain_tasks(1), judges=1)
    with Served(study.folder, "--open") as served:
        page = come(served)
        assert barriers(page) == []
        agree(page)
        assert barriers(page) == []
        page.keyboard.press("1")
        page.keyboard.press("3")
        page.keyboard.press("Enter")
        page.wait_for_selector("#code")
        assert page.evaluate("document.cookie") == ""
    assert [judgement.judge for judgement in kept(study)] == ["self-1"]
