"""As much English as the rules need: number and articles of nouns, forms of verbs, words put together again.

The word lists of the rules are in `lexicon.txt` beside this module.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path


def word_list(name: str) -> frozenset[str]:
    """The words of one list."""
    return _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = re.sub("#.*", "", Path(__file__).with_name("lexicon.txt").read_text(encoding="utf-8"))
    _, *parts = re.split(r"^(\w+):$", text, flags=re.MULTILINE)
    return {name: frozenset(words.split()) for name, words in zip(parts[::2], parts[1::2], strict=True)}


_PLURALS = word_list("plural")
_SINGULARS = word_list("singular")

# What is not counted, so that it takes no article. The list is of what people see in photographs.
_MASS = word_list("mass")
_VOWEL = re.compile(r"(?!(?:uni|use|usu|ut[ei]|eu|one\b|once|u\b|ufo))[aeiou]|hour|honest|8|11\b|18\b|mp3|x-ray|suv\b")


def is_plural(noun: str) -> bool:
    """Whether a noun is plural by its form; of a hyphenated one the last part counts."""
    noun = noun.lower().rsplit("-", 1)[-1]
    if noun in _PLURALS:
        return True
    return (
        noun.endswith("s") and len(noun) > 2 and noun not in _SINGULARS and not noun.endswith(("ss", "us", "is", "'s"))
    )


def is_mass(noun: str) -> bool:
    """Whether a noun is commonly not counted."""
    return noun.lower() in _MASS


def article(phrase: str) -> str:
    """`a` or `an`, as the phrase begins."""
    return "an" if _VOWEL.match(phrase.lower()) else "a"


def with_article(phrase: str, noun: str) -> str:
    """A phrase with its indefinite article, if its noun takes one."""
    return phrase if is_plural(noun) or is_mass(noun) else f"{article(phrase)} {phrase}"


def third_person(verb: str) -> str:
    """The form after `he`: wears, watches, flies, has."""
    if verb in ("have", "be", "do", "go"):
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


_APART = re.compile(r" (?='s\b|n't\b|'re\b|'ve\b|'ll\b|'(?: |$)|[,.:;!?%)])")


def join(words: Sequence[str]) -> str:
    """Tokens as text: what the treebank parts is put together again."""
    return _APART.sub("", " ".join(words)).replace("( ", "(").replace("can not", "cannot")


def listed(words: Sequence[str], last: str = "and") -> str:
    """`red`, `red and blue`, `red, white and blue`."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def sentence(text: str) -> str:
    """A text as a proposition: one space between words, a full stop at its end."""
    return " ".join(text.split()).rstrip(" .,;:!?") + "."
