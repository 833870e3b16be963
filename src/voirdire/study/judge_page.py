"""The page on which people judge: its texts, one plain file per language, and the HTML made of them.

    [next]
    Next

    [consent]
    You are asked to judge …

A line that is a name in brackets begins a text, which goes on to the next such line; a line that begins with # is a
comment. The page's own texts and those of the exam make one file, `texts.txt` in the study's folder, which may be
edited, above all the consent. A file that lacks a text, or has an unknown one, is refused with its name.

In `instructions` and `examples` an empty line separates paragraphs. In `examples` a line that begins with + is
something to keep or a yes, one that begins with - something to take out or a no.

The page is one HTML file with its script and its style inside, and nothing from elsewhere. Its policy lets it talk to
its own server alone, show pictures that it got from there, and run its one script, which is named by its hash. All
texts, of the study and of its files, are put in as texts by the script, never as HTML.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from voirdire.errors import InputError, Problem, UsageError
from voirdire.escaping import fit
from voirdire.formats.files import check_file
from voirdire.formats.strict import Problems
from voirdire.pages import part, render
from voirdire.study.design import WAYS, Way

if TYPE_CHECKING:
    from voirdire.study.folder import OpenedStudy

LANGUAGES = ("en", "de")
"""Languages that come with Voir Dire."""
_NAME = re.compile(r"\[([a-z0-9/ -]{1,60})\]\s*")
LARGEST = 1_000_000
LONGEST = 20_000
"""Characters of a file of texts, and of one text."""


def expected(way: Way) -> tuple[str, ...]:
    """The names of all texts that a study with this kind of task has."""
    asked = WAYS[way]
    own = [f"ask {name}" for name, _ in asked]
    # The choices of `deselect` are marks on its answers, without texts.
    own += [f"{name} {choice}" for name, choices in asked for choice in choices if way != "deselect"]
    common = parse_texts(_packaged("voirdire.study:texts", "en"), "en.txt")
    return (*common, "title", "instructions", "examples", *own)


def written_texts(language: str, place: str, way: Way) -> str:
    """The content of `texts.txt`: a language of ours, or a file of the user's own, checked.

    place  where the exam's texts are: `package:folder`
    """
    if language in LANGUAGES:
        return f"{_packaged('voirdire.study:texts', language)}\n{_packaged(place, language)}"
    path = Path(language)
    if not path.is_file():
        known = ", ".join(LANGUAGES)
        raise UsageError(f"`language` must be one of {known}, or a file of texts, got {language}")
    read_texts(path, way)
    return path.read_text(encoding="utf-8")


def _packaged(place: str, language: str) -> str:
    package, _, folder = place.partition(":")
    return (files(package) / folder / f"{language}.txt").read_text(encoding="utf-8")


def read_texts(path: Path, way: Way) -> Mapping[str, str]:
    """All texts of a file, which has to have every one that the kind of task needs."""
    check_file(path)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(str(path), [Problem("", "", "a file too large", f"at most {LARGEST:,} bytes")])
        texts = parse_texts(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; a study has its words there") from None
    except UnicodeDecodeError as error:
        raise InputError(str(path), [Problem("", "", f"{error}", "text in UTF-8")]) from None
    names = expected(way)
    problems = Problems(str(path))
    for name in names:
        if not texts.get(name):
            problems.add(f"[{name}]", "", "nothing", "a text", "Copy it from the file of another language.")
    for name, text in texts.items():
        if name not in names:
            problems.add(f"[{name}]", "", "a text that no page shows", "a known name")
        if len(text) > LONGEST:
            problems.add(f"[{name}]", "", f"{len(text):,} characters", f"at most {LONGEST:,}")
    problems.check()
    return texts


def parse_texts(content: str, name: str) -> dict[str, str]:
    """The texts of a file by name."""
    texts: dict[str, list[str]] = {}
    current = ""
    for number, line in enumerate(content.removeprefix("\ufeff").splitlines(), start=1):
        if line.startswith("#"):
            continue
        if heading := _NAME.fullmatch(line):
            current = heading[1]
            if current in texts:
                raise InputError(name, [Problem(f"line {number}", "", f"[{current}] again", "each text once")])
            texts[current] = []
        elif current:
            texts[current].append(line.rstrip())
        elif line.strip():
            raise InputError(name, [Problem(f"line {number}", "", "a text without a name", "a name in brackets first")])
    return {key: fit("\n".join(lines)).strip() for key, lines in texts.items()}


POLICY = (
    "default-src 'none'; img-src blob: data:; style-src 'unsafe-inline'; script-src {}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'; form-action 'none'; base-uri 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""The headers of every response of the server."""


def study_page(study: "OpenedStudy", texts: Mapping[str, str], anyone: bool) -> str:
    """The page; `anyone` says whether people without a link are let in."""
    way = study.tasks[0].way
    settings = {
        "key": study.seal[:16],
        "anyone": anyone,
        "asked": [{"name": name, "choices": words} for name, words in WAYS[way]],
        "texts": texts,
    }
    css, script = (part("voirdire.study", f"judge.{kind}") for kind in ("css", "js"))
    return render(
        "voirdire.study",
        "judge.html",
        texts["title"],
        css=css,
        script=script,
        language=texts["language"],
        policy=POLICY,
        texts=texts,
        settings=settings,
    )
