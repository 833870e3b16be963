"""Write docs/evidence/ledger.md from ledger.toml: what the papers print, and what comes out here, row by row.

    python docs/evidence/ledger.py [--rows-only]

Before the page is written, the tests that rows name are run, those on real data too, in the folder that
VOIRDIRE_REAL_DATA names. A row whose test fails or is skipped is an error, and the page stays as it is. `--rows-only`
runs nothing: the page is then what the rows say.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

HERE = Path(__file__).parent
ROOT, PAGE, ROWS = HERE.parents[1], HERE / "ledger.md", HERE / "ledger.toml"
STATUSES = {
    "digit": ("to the digit", "what is printed comes out, or is checked, to the last digit"),
    "near": ("near", "the same quantity, at the distance that stands beside it"),
    "procedure": ("procedure only", "the way is there; the data of the printed figure is not public, or not at hand"),
    "impossible": ("not possible", "the reason stands beside it"),
    "none": ("nothing to measure", "an illustration"),
}
"""What a row may be: its words on the page, and what they mean."""
HEAD = """# The ledger

Every table, every figure and every number of the four papers, and what comes out here. The page is made from
`ledger.toml` by `python docs/evidence/ledger.py`, which first runs the tests that the rows name, on the public files
that they need. `voirdire EXAM table RUN …` prints the papers' tables of runs of your own.
"""


class Row(NamedTuple):
    """One printed table, figure or number.

    where, what  where it stands, and what it is
    status       one of STATUSES; `note` says how far, or why
    shown        tests with blanks between them, or a command
    """

    where: str
    what: str
    status: str
    note: str
    shown: str

    @property
    def command(self) -> bool:
        """Whether a command shows it."""
        return self.shown.startswith("voirdire ")

    @property
    def tests(self) -> list[str]:
        """The tests that show it, as pytest calls them."""
        return [] if self.command else self.shown.split()


class Paper(NamedTuple):
    """The rows of one paper; `floats` says which figures and tables it has, as `Figure 1-5, Table 1-10`."""

    name: str
    title: str
    floats: str
    rows: tuple[Row, ...]


def read_rows(path: Path = ROWS) -> list[Paper]:
    """The papers of the file in its order."""
    papers = []
    for section in tomllib.loads(path.read_text(encoding="utf-8")).values():
        rows = tuple(Row(*row) for row in section["rows"])
        papers.append(Paper(section["paper"], section["title"], section["floats"], rows))
    return papers


def page(papers: Sequence[Paper]) -> str:
    """The page that the rows make."""
    counts = Counter(row.status for paper in papers for row in paper.rows)
    lines = [HEAD, "| status | rows | what it means |", "| --- | --- | --- |"]
    lines += [f"| {words} | {counts[status]} | {meaning} |" for status, (words, meaning) in STATUSES.items()]
    for paper in papers:
        lines += ["", f"## {paper.title}", "", "| where | what is printed | here | how far, and why | shown by |"]
        lines += ["| --- | --- | --- | --- | --- |", *map(_line, paper.rows)]
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    shown = f"`{row.shown}`" if row.command else ", ".join(f"`{test.removeprefix('tests/')}`" for test in row.tests)
    cells = (row.where, row.what, STATUSES[row.status][0], row.note, shown)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def every_test(papers: Iterable[Paper]) -> list[str]:
    """All tests that rows name, each once."""
    return list(dict.fromkeys(test for paper in papers for row in paper.rows for test in row.tests))


def outcomes(tests: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Run tests; gives those that did not pass, with what became of them."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *tests]
        done = subprocess.run(command, cwd=ROOT, check=False)
        if not report.exists():
            sys.exit(f"pytest ended with {done.returncode} and without a report")
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            for result in case:
                if result.tag in ("failure", "error", "skipped"):
                    name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
                    yield name, f"{result.tag}: {result.get('message', '')[:200]}"
        if done.returncode not in (0, 1):
            yield "pytest", f"ended with {done.returncode}"


def main() -> int:
    """Run what the rows name and write the page; 1 where a row does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows-only", action="store_true", help="Run nothing.")
    papers = read_rows()
    if not parser.parse_args().rows_only:
        if not os.environ.get("VOIRDIRE_REAL_DATA"):
            sys.exit("VOIRDIRE_REAL_DATA must name the folder of public files, or ask for --rows-only")
        if wrong := list(outcomes(every_test(papers))):
            for test, what in wrong:
                print(f"{test}: {what}", file=sys.stderr)
            return 1
    PAGE.write_text(page(papers), encoding="utf-8")
    print(f"written: {PAGE}, {sum(len(paper.rows) for paper in papers)} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
