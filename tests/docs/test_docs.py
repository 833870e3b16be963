"""The documentation is executed: `>>>` examples must print what they show, and `$ voirdire` lines must succeed.

The blocks of one page run in order, in one fresh folder and one name space, as a reader would type them.
"""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?P<language>python|console)\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, int]]:
    """The page's executable blocks as (language, body, line number)."""
    text = page.read_text(encoding="utf-8")
    return [
        (match["language"], match["body"], text.count("\n", 0, match.start()) + 1) for match in BLOCK.finditer(text)
    ]


def run_console(body: str, place: str) -> None:
    """Run each `$ …` line of a console block; the lines below it, where there are any, must appear in its output."""
    for chunk in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = chunk.partition("\n")
        assert command.startswith("voirdire "), f"{place}: a console block runs voirdire alone, not {command!r}"
        done = CliRunner().invoke(app, shlex.split(command)[1:], env={"COLUMNS": "100", "NO_COLOR": "1"})
        assert done.exit_code == 0, f"{place}: {command} fails with {done.exception!r}:\n{done.stderr}"
        for line in filter(None, map(str.strip, expected.splitlines())):
            if line != "…":
                assert line in done.stdout, f"{place}: {command} does not print {line!r} but:\n{done.stdout}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    parser = doctest.DocTestParser()
    for language, body, line in blocks(page):
        place = f"{page.name}:{line}"
        if language == "console":
            run_console(body, place)
            continue
        examples = parser.get_doctest(body, names, place, str(page), line)
        assert examples.examples, f"{place}: a python block without a >>> example proves nothing"
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        report: list[str] = []
        failed = runner.run(examples, out=report.append, clear_globs=False).failed
        assert not failed, "".join(report)
        names = examples.globs
