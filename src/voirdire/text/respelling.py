"""Texts taken apart and put together again by the Penn-Treebank rules, as published generations were.

    respell(t) = untreebank(treebank(t))

It mends the spaces around punctuation ("yes , it is" becomes "yes, it is") and joins what is one word to it ("can not"
becomes "cannot"). Most answers are plain words and come back as they were; these are recognised and not taken apart.
"""

import re
from collections.abc import Callable, Iterable

from voirdire.text.tokens import treebank, untreebank

__all__ = ["respell"]

PLAIN = re.compile(
    r"(?:[A-Za-z0-9]+(?:n't|'(?:s|m|d|re|ve|ll))?,? )*[A-Za-z0-9]+(?:n't|'(?:s|m|d|re|ve|ll))?", re.ASCII
)
"""Words parted by single spaces, with the usual contractions, and a comma before a space at most."""

JOINED = re.compile(r"\b(?:can ?not|gim ?me|gon ?na|got ?ta|lem ?me|wan ?na)\b", re.ASCII | re.IGNORECASE)
"""Pairs of words that the rules take for one, or the other way round."""

EVERY = 1024


def respell(texts: Iterable[str], report: Callable[[int, int], None] | None = None) -> list[str]:
    """Every text respelt, each distinct one once; `report` is told (done, total) distinct texts on the way."""
    given = list(texts)
    found = dict.fromkeys(given, "")
    for done, text in enumerate(found):
        if report and done % EVERY == 0:
            report(done, len(found))
        plain = PLAIN.fullmatch(text) is not None and JOINED.search(text) is None
        found[text] = text if plain else untreebank(treebank(text))
    return [found[text] for text in given]
