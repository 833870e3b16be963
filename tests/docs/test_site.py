"""The documentation as a site: every page can be reached, every link leads somewhere, nothing comes from elsewhere.

Links and navigation are checked without the extra `docs`; the build itself where it is installed.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
OUTSIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
EXAMPLE = DOCS / "example" / "report.html"
"""Made by `make docs`, not kept."""

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def navigation(entry: object) -> Iterator[str]:
    """The pages of the navigation, in order."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, list):
        for part in entry:
            yield from navigation(part)
    elif isinstance(entry, dict):
        yield from navigation(list(entry.values()))


def links(text: str) -> list[str]:
    """What a page links to on this site."""
    plain = CODE.sub("", FENCED.sub("", text))
    found = [first or second for first, second in LINK.findall(plain)]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(text: str) -> set[str]:
    """The ids of a page's headings: letters and digits in lower case, `-` between words, `_1` where one comes again."""
    ids: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        letters = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", letters).strip().lower())
        count = 1
        name = slug
        while name in ids:
            name, count = f"{slug}_{count}", count + 1
        ids.add(name)
    return ids


def faults(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    problems = []
    for link in links(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target == EXAMPLE:
            continue
        if not target.exists():
            problems.append(f"{page.name}: {link} is not there")
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            problems.append(f"{page.name}: {link} names no heading of {target.name}")
    return problems


def test_every_page_is_in_the_navigation_once() -> None:
    project = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    assert sorted(navigation(project["nav"])) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.parametrize("page", [*OUTSIDE, *PAGES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    assert faults(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Here, now\n\n[a](#here-now) [b](#there) [c](gone.md) [d](page.md#here-now) `[e](code.md)` [f](https://a.b/c)\n"
    )
    assert [fault.split(": ")[1].split()[0] for fault in faults(page)] == ["#there", "gone.md"]


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page.read_text("utf-8"))]
    left = {page for page in PAGES if page not in reached}
    assert {page.relative_to(DOCS).as_posix() for page in left} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_lists_and_tables_stand_apart(page: Path) -> None:
    """Without an empty line before it, a list or a table would be a part of the paragraph above it on the site."""
    lines = FENCED.sub(lambda block: "\n" * block[0].count("\n"), page.read_text(encoding="utf-8")).splitlines()
    joined = [
        number + 1
        for number, (above, line) in enumerate(zip(["", *lines[:-1]], lines, strict=True))
        if re.match(r"[-*] |\|", line) and above.strip() and not re.match(r"[-*] |\||  ", above)
    ]
    assert joined == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly from a copy of the pages."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("needs the extra docs: pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs")
    for name in ("zensical.toml", "CHANGELOG.md", "SECURITY.md"):
        shutil.copy(ROOT / name, folder / name)
    words = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


class Resources(HTMLParser):
    """What a page loads, by its markup."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.asked += [value for name, value in attrs if value and name in ("src", "srcset", "poster", "data")]
        if tag == "link":
            self.asked += [value for name, value in attrs if value and name == "href"]


def test_the_build_has_every_page_and_its_changelog(site: Path) -> None:
    for page in PAGES:
        assert (site / page.relative_to(DOCS)).with_suffix(".html").is_file(), page
    assert "newest first" in (site / "changelog.html").read_text(encoding="utf-8")


def test_the_build_names_headings_as_the_check_of_links_does(site: Path) -> None:
    for page in PAGES:
        built = (site / page.relative_to(DOCS)).with_suffix(".html").read_text(encoding="utf-8")
        assert anchors(page.read_text(encoding="utf-8")) <= set(re.findall(r'<h\d id="([^"]*)"', built)), page


def test_nothing_comes_from_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        resources = Resources()
        resources.feed(text)
        assert resources.asked, page
        assert [address for address in resources.asked if re.match(r"(https?:)?//", address)] == [], page
        assert "default-src 'self'" in text, f"{page.name} has no content security policy"
    for sheet in site.rglob("*.css"):
        assert re.findall(r"(?:url\(\s*['\"]?|@import\s*['\"])(?:https?:)?//", sheet.read_text(encoding="utf-8")) == []


def test_readme_and_how_tos_stay_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
    sizes = {
        page.name: (DOCS / page.name).stat().st_size
        for page in sorted((DOCS / "evidence").glob("*.md"))
        if page.name != "ledger.md"
    }
    assert len(sizes) == 4
    assert max(sizes.values()) <= 12 * 1024, sizes
