"""Every HTML page that we write: its head, its content security policy, and templates that escape every text.

A page contains all that it shows and loads nothing from elsewhere. It runs its own scripts and no others: its policy
names them by their hashes, so that no text could ever become one, even if it slipped through the escaping. The data of
a script is beside it as JSON, in an element that never runs: `{{ value|tojson }}`.
"""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from voirdire._version import __version__
from voirdire.escaping import fit

__all__ = ["part", "render", "table"]

TEMPLATES = "templates"
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {}; base-uri 'none'; form-action 'none'"
)


def render(
    package: str,
    name: str,
    title: str,
    *,
    css: str,
    first: str = "",
    script: str = "",
    language: str = "en",
    policy: str = POLICY,
    **values: Any,
) -> str:
    """The page of a template, which extends `base.html`.

    package  the one with the template in its folder `templates`
    first    a script that runs before anything is shown; `script` runs after everything is there
    policy   what it may load, with {} for its scripts; a page that is served may talk to its server
    values   what the template shows; a text among them is always escaped, a `Markup` is not
    """
    allowed = " ".join(map(_hash, filter(None, (first, script)))) or "'none'"
    page = _environment(package).get_template(name)
    text = page.render(
        title=title,
        version=__version__,
        policy=policy.format(allowed),
        language=language,
        css=_ours(css),
        first=_ours(first),
        script=_ours(script),
        **values,
    )
    return f"{text}\n"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """A table without a page around it, as a notebook shows it."""
    return _environment(__name__).get_template("table.html").render(title=title, columns=columns, rows=rows, note=note)


def part(package: str, name: str) -> str:
    """A style sheet or a script from the folder `templates` of a package."""
    return (files(package) / TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment(package: str) -> Environment:
    loader = ChoiceLoader([PackageLoader(source, TEMPLATES) for source in dict.fromkeys((package, __name__))])
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, finalize=_fit, keep_trailing_newline=False
    )


def _fit(value: Any) -> Any:
    return fit(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _ours(text: str) -> Markup:
    """A style sheet or a script as it is; none of ours has anything that would end its element."""
    if "</" in text or "<!--" in text:
        raise ValueError("text: has </ or <!--, and may not: it would end its element")
    return Markup(text)


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
