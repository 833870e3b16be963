"""As much English as the rules need: number and articles of nouns, forms of verbs, lists.

Number and articles are inflect's, as with the rules' authors: `tennis` is plural, and it is `a water`.
The word lists are in `lexicon.txt` beside this module.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any


def word_list(name: str) -> frozenset[str]:
    """The words of one list."""
    return _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = re.sub("#.*", "", Path(__file__).with_name("lexicon.txt").read_text(encoding="utf-8"))
    _, *parts = re.split(r"^(\w+):$", text, flags=re.MULTILINE)
    return {name: frozenset(words.split()) for name, words in zip(parts[::2], parts[1::2], strict=True)}


@cache
def _inflect() -> Any:
    import inflect

    return inflect.engine()


@cache
def is_plural(noun: str) -> bool:
    """Whether a noun has a singular of another form."""
    return bool(_inflect().singular_noun(noun))


@cache
def with_article(phrase: str) -> str:
    """A phrase with `a` or `an` before it, as it begins."""
    text: str = _inflect().a(phrase)
    return text


def third_person(verb: str) -> str:
    """The form after `he`: wears, watches, flies, has."""
    if verb in ("have", "be", "do", "go"):
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


def listed(words: Sequence[str], last: str = "and") -> str:
    """`red`, `red and blue`, `red, white and blue`."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def sentence(text: str) -> str:
    """A text as a proposition: one space between words, a full stop at its end."""
    return " ".join(text.split()).rstrip(" .,;:!?") + "."
