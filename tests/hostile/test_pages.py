"""No text of a file becomes code in a page or an SVG: whatever a text is, what is written has the same elements."""

import re
import sys
import xml.etree.ElementTree as ET
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

sys.path.append(str(Path(__file__).parent))

from hostile_pages import DRAWN, PAGES, PLAIN, TEXTS, cases, held

pytestmark = pytest.mark.slow

Element = tuple[str, frozenset[str]]


class Parsed(HTMLParser):
    """What stands in a page: kinds of elements, scripts that run, addresses, the policy, and all texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[Element] = set()
        self.scripts: list[str] = []
        self.addresses: list[str] = []
        self.policy = ""
        self.said: list[str] = []
        self._runs = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.elements.add((tag, frozenset(named)))
        self.addresses += [named[name] for name in ("href", "src", "action", "xlink:href") if name in named]
        self._runs = tag == "script" and "type" not in named
        if self._runs:
            self.scripts.append("")
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"]

    def handle_endtag(self, tag: str) -> None:
        self._runs = False

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data: str) -> None:
        if self._runs:
            self.scripts[-1] += data
        else:
            self.said.append(data)


@cache
def harmless(kind: str) -> Parsed:
    with TemporaryDirectory() as folder:
        return Parsed(written(kind, PLAIN, Path(folder) / "a.html"))


def written(kind: str, text: str, path: Path) -> str:
    PAGES[kind](text, path)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", PAGES)
def test_a_harmless_page_may_run_nothing_but_its_own_scripts(kind: str) -> None:
    page = harmless(kind)
    assert page.policy.startswith("default-src 'none';")
    allowed = re.findall(r"script-src ([^;]*);", page.policy)[0].split()
    assert allowed == ["'none'"] if not page.scripts else all(one.startswith("'sha256-") for one in allowed)
    assert not {name for _, names in page.elements for name in names if name.startswith("on")}
    assert PLAIN in " ".join(page.said)


@pytest.mark.parametrize(("kind", "text"), cases(PAGES))
def test_no_text_adds_an_element_or_a_script_to_a_page(kind: str, text: str, tmp_path: Path) -> None:
    page, plain = Parsed(written(kind, TEXTS[text], tmp_path / "a.html")), harmless(kind)
    assert page.elements <= plain.elements
    assert page.scripts == plain.scripts
    assert page.policy == plain.policy
    assert all(
        address.startswith(("#", "data:image/", "data:text/csv;", "data:application/pdf;"))
        for address in page.addresses
    )
    assert held(TEXTS[text]) in page.said


@pytest.mark.parametrize(("kind", "text"), cases(DRAWN))
def test_no_text_breaks_an_svg_or_adds_an_element(kind: str, text: str, tmp_path: Path) -> None:
    def drawn(said: str) -> ET.Element:
        DRAWN[kind](said, tmp_path / "a.svg")
        return ET.fromstring((tmp_path / "a.svg").read_bytes())

    def elements(tree: ET.Element) -> set[Element]:
        return {(element.tag, frozenset(element.attrib)) for element in tree.iter()}

    plain, made = drawn(PLAIN), drawn(TEXTS[text])
    assert elements(made) <= elements(plain)
    assert not {name for _, names in elements(made) for name in names if name.startswith("on") or "href" in name}
    # Long texts are cut or wrapped.
    start = "".join(held(TEXTS[text]).split())[:6]
    assert any("".join(said.split()).lstrip("012.").startswith(start) for said in made.itertext())


@pytest.mark.parametrize(("kind", "text"), cases(DRAWN, ("script", "control", "half")))
def test_any_text_can_be_drawn_as_a_picture(kind: str, text: str, tmp_path: Path) -> None:
    DRAWN[kind](TEXTS[text], tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
