"""The ledger of the papers' figures: its page is what its rows make, and every row names what exists."""

import ast
import re
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from voirdire.exam import exam_named

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "evidence"))

import ledger  # noqa: E402

PAPERS = ledger.read_rows()
ROWS = [(paper, row) for paper in PAPERS for row in paper.rows]
EXAMS = ("answers", "questions", "robustness", "scorekeeping")


@cache
def functions(path: Path) -> set[str]:
    """The tests of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}


def test_the_page_is_what_the_rows_make() -> None:
    assert ledger.PAGE.read_text(encoding="utf-8") == ledger.page(PAPERS)


@pytest.mark.parametrize("test", ledger.every_test(PAPERS))
def test_each_named_test_exists(test: str) -> None:
    path, _, name = test.partition("::")
    assert (ROOT / path).is_file(), path
    assert not name or name in functions(ROOT / path), test


def test_each_named_command_is_a_verb_with_these_flags() -> None:
    commands = [shlex.split(row.shown) for _, row in ROWS if row.command]
    assert len(commands) > 20
    for _, *words in commands:
        if words[0] not in EXAMS:
            continue
        (part,) = (part for part in exam_named(words[0]).parts if part.name == words[1])
        known = {source.flag_name for source in part.inputs} | {"--help", "--output"}
        known |= {f"--{output.name}" for output in part.outputs}
        known |= {f"--{field.replace('_', '-')}" for field in part.options.__dataclass_fields__}
        assert {word for word in words if word.startswith("--")} <= known, words


@pytest.mark.parametrize(("paper", "row"), ROWS)
def test_each_row_says_what_its_status_asks_for(paper: ledger.Paper, row: ledger.Row) -> None:
    assert row.status in ledger.STATUSES
    if row.status in ("digit", "near"):
        assert row.shown, "a figure that comes out is shown by something"
    if row.status in ("near", "procedure", "impossible"):
        assert row.note, "it says how far, or why"
    if row.status == "procedure":
        assert row.shown, "a procedure is a command or a test"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_table_and_figure_has_a_row(paper: ledger.Paper) -> None:
    numbered: set[tuple[str, int]] = set()
    for row in paper.rows:
        for kind, numbers in re.findall(r"(Table|Figure)s? ((?:\d+[a-z]?(?:-\d+)?(?:, | and )?)+)", row.where):
            for first, last in re.findall(r"(\d+)[a-z]?(?:-(\d+))?", numbers):
                numbered |= {(kind, number) for number in range(int(first), int(last or first) + 1)}
    for kind, last in re.findall(r"(Table|Figure) 1-(\d+)", paper.floats):
        assert {(kind, number) for number in range(1, int(last) + 1)} <= numbered


@pytest.mark.parametrize("name", [paper.name for paper in PAPERS])
def test_the_paper_has_no_more_tables_and_figures_than_that(name: str, paper) -> None:
    """Counted by their captions, in the paper's text, which lies beside the real data."""
    text = paper(name)
    (of,) = (one for one in PAPERS if one.name == name)
    for kind, last in re.findall(r"(Table|Figure) 1-(\d+)", of.floats):
        captions = {int(number) for number in re.findall(rf"^{kind} (\d+)(?:[:.]| shows)", text, re.MULTILINE)}
        assert max(captions) <= int(last)


@pytest.mark.slow
def test_a_row_that_does_not_hold_is_told_and_leaves_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    failing = tmp_path / "test_no.py"
    failing.write_text("import pytest\ndef test_no(): assert 0\ndef test_later(): pytest.skip('needs the real data')\n")
    row = ledger.Row("Table 1", "a figure", "digit", "", f"{failing}")
    monkeypatch.setattr(ledger, "read_rows", lambda: [ledger.Paper("x", "X", "Table 1-1", (row,))])
    monkeypatch.setattr(ledger, "PAGE", tmp_path / "ledger.md")
    monkeypatch.setattr(sys, "argv", ["ledger.py"])
    monkeypatch.setenv("VOIRDIRE_REAL_DATA", str(tmp_path))
    assert ledger.main() == 1
    told = capsys.readouterr().err
    assert "test_no: failure" in told
    assert "test_later: skipped: needs the real data" in told
    assert not ledger.PAGE.exists()
