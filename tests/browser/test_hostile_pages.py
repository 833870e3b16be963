"""Pages and SVGs of texts that would like to be code, in a browser: nothing runs, nothing is asked for, all is shown.

That a page stays free of errors, of breaches of its policy among them, and asks for nothing, the fixture looks after.
"""

import csv
from pathlib import Path
from typing import Any

import pytest
from hostile_pages import DRAWN, PAGES, TEXTS, cases, held
from voirdire.scorekeeping.sheet import collect, draw_rows, read_sheet, write_sheet
from watching import barriers

from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet

LIVELY = ("script", "attribute", "apostrophe", "foreign", "comment", "style", "separators", "template", "half")
"""Texts that a browser might make something of; the others are read by parsers alone."""


@pytest.mark.parametrize("kind", PAGES)
def test_texts_are_shown_and_do_not_run(open_page: Any, kind: str, tmp_path: Path) -> None:
    for _, name in cases([kind], LIVELY):
        path = tmp_path / f"{name}.html"
        PAGES[kind](TEXTS[name], path)
        page = open_page(path)
        assert page.evaluate("window.hit") is None, name
        assert page.evaluate("(text) => document.body.textContent.includes(text)", held(TEXTS[name])), name
        assert page.locator("body").is_visible(), name


@pytest.mark.parametrize("kind", DRAWN)
def test_a_drawing_that_is_opened_by_itself_runs_nothing(open_page: Any, kind: str, tmp_path: Path) -> None:
    for name in ("script", "attribute", "foreign", "section"):
        path = tmp_path / f"{name}.svg"
        DRAWN[kind](TEXTS[name], path)
        page = open_page(path)
        assert page.evaluate("window.hit") is None, name
        assert page.evaluate("document.documentElement.tagName") == "svg"


@pytest.mark.parametrize("kind", sorted(set(PAGES) - {"report"}))
def test_nothing_bars_a_reader(open_page: Any, kind: str, tmp_path: Path) -> None:
    PAGES[kind]("a plain text", tmp_path / "a.html")
    assert barriers(open_page(tmp_path / "a.html")) == []


def test_what_a_judge_saves_can_be_read_and_is_no_formula(open_page: Any, tmp_path: Path) -> None:
    formula = '=HYPERLINK("http://example.invalid","</script>")'
    facts = (Proposition(formula, 1, 0, "caption", None), Proposition("-it is not.", 0, 0, "caption", None))
    dialogues = Dialogues((Dialogue(1, "@a caption", (("+is it?", "no"),) * 10),))
    propositions = PropositionSet("val", "x.json", {0: facts})
    rows = draw_rows(propositions, dialogues, 1, 0)
    write_sheet(rows, tmp_path / "sheet.html")
    page = open_page(tmp_path / "sheet.html")
    page.get_by_label("true", exact=True).check()
    page.get_by_label("yes, it is shared").check()
    page.get_by_label("Your name or code").fill("=ann")
    page.keyboard.press("Tab")
    assert page.locator("#left").inner_text() == "1 of 1 answered"
    page.reload()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save the table").click()
    waiting.value.save_as(tmp_path / "judged.csv")
    with (tmp_path / "judged.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    judged = collect([read_sheet(tmp_path / "judged.csv")], propositions, dialogues)
    assert judged.judges == ("=ann",)
    assert judged.propositions == (rows[0].proposition,)
    assert (judged.true.tolist(), judged.shared.tolist()) == ([True], [True])
