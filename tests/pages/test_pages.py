"""One way of writing pages: escaped by default, with a policy that names what may run, and used by all."""

import ast
import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
from jinja2 import DictLoader, UndefinedError

import voirdire
from voirdire import pages

SOURCE = Path(voirdire.__file__).parent
NASTY = '</script><!-- \u2028 <b> & "it\'s"\x00\ud800'


@pytest.fixture
def template(monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that shows a text and keeps a value beside its script."""
    body = '{{ said }}<i title="{{ said }}"></i><script type="application/json" id="v">{{ value|tojson }}</script>'
    made = '{% extends "base.html" %}{% block body %}' + body + "{% endblock %}"
    environment = pages._environment("voirdire.pages").overlay()
    loaders = [DictLoader({"made.html": made}), environment.loader]
    monkeypatch.setattr(environment, "loader", type(environment.loader)(loaders))
    monkeypatch.setattr(pages, "_environment", lambda package: environment)


@pytest.mark.usefixtures("template")
def test_texts_are_escaped_wherever_they_stand() -> None:
    text = pages.render("voirdire.pages", "made.html", NASTY, css="b {}", script="run()", said=NASTY, value=[NASTY])
    shown = "&lt;/script&gt;&lt;!-- \u2028 &lt;b&gt; &amp; &#34;it&#39;s&#34;\ufffd\ufffd"
    assert f"<title>{shown}</title>" in text
    assert f'{shown}<i title="{shown}">' in text
    (kept,) = re.findall(r'id="v">(.*?)</script>', text)
    assert json.loads(kept) == [NASTY]
    assert not re.search("[<>&'\u2028]", kept)
    text.encode()


@pytest.mark.usefixtures("template")
def test_only_its_own_scripts_may_run() -> None:
    def policy(**scripts: str) -> str:
        text = pages.render("voirdire.pages", "made.html", "t", css="", said="", value=0, **scripts)
        return re.findall(r'Security-Policy" content="([^"]*)"', text)[0].replace("&#39;", "'")

    assert "script-src 'none';" in policy()
    names = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in (b"a()", b"b()")]
    assert f"script-src 'sha256-{names[0]}' 'sha256-{names[1]}';" in policy(first="a()", script="b()")
    assert policy().startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'; ")


@pytest.mark.usefixtures("template")
def test_what_would_end_an_element_or_is_missing_is_refused() -> None:
    for raw in ({"script": "a = '</script>'"}, {"first": "<!-- x"}, {"css": "</style>"}):
        with pytest.raises(ValueError, match="would end its element"):
            pages.render("voirdire.pages", "made.html", "t", **{"css": "", "said": "", "value": 0, **raw})
    with pytest.raises(UndefinedError):
        pages.render("voirdire.pages", "made.html", "t", css="", value=0)


def test_nobody_else_writes_pages() -> None:
    """Templates are loaded in one place, markup is declared where an SVG of ours is put into a page, and no string of
    code holds a page."""
    markup, found = set(), set()
    for path in SOURCE.rglob("*.py"):
        name, tree = path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom | ast.Import) and "jinja2" in ast.unparse(node):
                found.add(name)
            if isinstance(node, ast.Constant) and re.search(r"<html|<script|<!doctype", str(node.value), re.IGNORECASE):
                found.add(name)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Markup":
                markup.add(name)
    assert found == {"pages/__init__.py"}
    assert markup == {"pages/__init__.py", "drawings.py", "report/page_sections.py", "report/scales.py"}


def test_no_template_turns_the_escaping_off() -> None:
    templates = list(SOURCE.rglob("templates/**/*.html"))
    assert len(templates) >= 5
    for path in templates:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|Markup", text), path
        # A script in a template is a place for data: what runs is handed over, so that the policy knows it.
        ran = re.findall(r"<script(?! type=\"(?:text/plain|application/json)\")[^>]*>(.*)", text)
        assert all(script.startswith(("{{ first }}", "{{ script }}")) for script in ran), path
        assert not ran or path.name == "base.html", path
