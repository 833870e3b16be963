"""Texts taken apart and put together again by the Penn-Treebank rules, as published generations were.

    respell(t) = untreebank(treebank(t))

It mends the spaces around punctuation ("yes , it is" becomes "yes, it is") and joins what is one word to it ("can not"
becomes "cannot"). Most answers are plain words and come back as they were; these are recognised and not taken apart.
"""

import re
from collections.abc import Iterable

from voirdire.text.tokens import treebank, untreebank

__all__ = ["respell"]

PLAIN = re.compile(
    r"(?:[A-Za-z0-9]+(?:n't|'(?:s|m|d|re|ve|ll))?,? )*[A-Za-z0-9]+(?:n't|'(?:s|m|d|re|ve|ll))?", re.ASCII
)
"""Words parted by single spaces, with the usual contractions, and a comma before a space at most."""

JOINED = re.compile(r"\b(?:can ?not|gim ?me|gon ?na|got ?ta|lem ?me|wan ?na)\b", re.ASCII | re.IGNORECASE)
"""Pairs of words that the rules take for one, or the other way round."""


def respell(texts: Iterable[str]) -> list[str]:
    """Every text respelt, each distinct one once."""
    given = list(texts)
    found = dict.fromkeys(given, "")
    for text in found:
        plain = PLAIN.fullmatch(text) is not None and JOINED.search(text) is None
        found[text] = text if plain else untreebank(treebank(text))
    return [found[text] for text in given]
