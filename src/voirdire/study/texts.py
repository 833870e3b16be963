"""The words of a study's page, one plain file per language.

    [next]
    Next

    [consent]
    You are asked to judge …

A line that is a name in brackets begins a text, which goes on to the next such line; a line that begins with # is a
remark. The page's own words and those of the exam make one file, `texts.txt` in the study's folder, which may be
edited, above all the consent. A file that lacks a text, or has one that nobody knows, is refused by name.

In `instructions` and `examples` an empty line parts paragraphs. In `examples` a line that begins with + is something to
keep or a yes, one that begins with - something to take out or a no.
"""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from voirdire.errors import InputError, Problem, UsageError
from voirdire.escaping import fit
from voirdire.study.tasks import WAYS, Way

LANGUAGES = ("en", "de")
"""Those that come with us."""
_NAME = re.compile(r"\[([a-z0-9/ -]{1,60})\]\s*")
LARGEST = 1_000_000
LONGEST = 20_000
"""Characters of a file of texts, and of one text."""


def expected(way: Way) -> tuple[str, ...]:
    """The names of all texts that a study of this way has."""
    asked = WAYS[way]
    own = [f"ask {name}" for name, _ in asked]
    # What is kept or taken out has no words but its own.
    own += [f"{name} {word}" for name, words in asked for word in words if way != "deselect"]
    return (*_common(), "title", "instructions", "examples", *own)


def _common() -> tuple[str, ...]:
    return tuple(parse_texts(_packaged("voirdire.study:texts", "en"), "en.txt"))


def written_texts(language: str, place: str, way: Way) -> str:
    """What `texts.txt` is to hold: a language of ours, or a file of the user's own, checked.

    place  where the exam's words are: `package:folder`
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
    """All texts of a file, which has to have every one that the way needs."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(str(path), [Problem("", "", "a file too large", f"at most {LARGEST:,} bytes")])
        held = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; a study has its words there") from None
    except UnicodeDecodeError as error:
        raise InputError(str(path), [Problem("", "", f"{error}", "text in UTF-8")]) from None
    found = parse_texts(held, str(path))
    names = expected(way)
    hint = "Copy it from the file of another language."
    faults = [Problem(f"[{name}]", "", "nothing", "a text", hint) for name in names if not found.get(name)]
    faults += [
        Problem(f"[{name}]", "", "a text that no page shows", "a known name") for name in found if name not in names
    ]
    faults += [
        Problem(f"[{name}]", "", f"{len(text):,} characters", f"at most {LONGEST:,}")
        for name, text in found.items()
        if len(text) > LONGEST
    ]
    if faults:
        raise InputError(str(path), faults)
    return found


def parse_texts(held: str, name: str) -> dict[str, str]:
    """The texts of a file by name."""
    found: dict[str, list[str]] = {}
    at = ""
    for number, line in enumerate(held.removeprefix("\ufeff").splitlines(), start=1):
        if line.startswith("#"):
            continue
        if begins := _NAME.fullmatch(line):
            at = begins[1]
            if at in found:
                raise InputError(name, [Problem(f"line {number}", "", f"[{at}] again", "each text once")])
            found[at] = []
        elif at:
            found[at].append(line.rstrip())
        elif line.strip():
            raise InputError(name, [Problem(f"line {number}", "", "a text without a name", "a name in brackets first")])
    return {key: fit("\n".join(lines)).strip() for key, lines in found.items()}
