"""Tokenisers that published figures depend on, and texts respelt by one of them; none fetches anything.

treebank    Penn Treebank (NLTK's rules, on the text as one sentence) and its inverse, `untreebank`
13a         the tokeniser of mteval-v13a, as sacrebleu has it
whitespace  runs of white space part tokens
words       treebank's in lower case, without those that have neither letter nor digit: `Isn't it?` is `is n't it`

    respell(t) = untreebank(treebank(t))

Published generations were taken apart and put together again so. It mends the spaces around punctuation ("yes , it is"
becomes "yes, it is") and joins what is one word to it ("can not" becomes "cannot"). Most answers are plain words and
come back as they were; these are recognised and not taken apart.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from voirdire.errors import UsageError


def folded(text: str) -> str:
    """The text with case and spacing aside."""
    return " ".join(text.split()).casefold()


def treebank(text: str) -> list[str]:
    """Penn-Treebank tokens: `isn't` is `is n't`, quotes become `` and ''."""
    tokens: list[str] = _treebank().tokenize(text)
    return tokens


def untreebank(tokens: Sequence[str]) -> str:
    """The text that Penn-Treebank tokens stand for."""
    text: str = _detokeniser().detokenize(list(tokens))
    return text


def mteval_13a(text: str) -> list[str]:
    """Tokens of mteval-v13a: punctuation apart, but for points and commas inside numbers."""
    line: str = _mteval()(text)
    return line.split()


def whitespace(text: str) -> list[str]:
    """Tokens as white space parts them."""
    return text.split()


# Most questions look like this. The treebank's rules then part nothing but the end, and these words.
_PLAIN_QUESTION = re.compile(r"([a-z0-9 ]*)[?!.]? *")
_PARTED = frozenset({"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"})


def words(text: str) -> list[str]:
    """The words of a text: Penn-Treebank tokens in lower case, without punctuation."""
    lower = text.lower()
    if (plain := _PLAIN_QUESTION.fullmatch(lower)) and _PARTED.isdisjoint(tokens := plain[1].split()):
        return tokens
    return [token for token in treebank(lower) if any(map(str.isalnum, token))]


TOKENISERS: dict[str, Callable[[str], list[str]]] = {
    "treebank": treebank,
    "13a": mteval_13a,
    "whitespace": whitespace,
    "words": words,
}


def tokeniser(name: str) -> Callable[[str], list[str]]:
    """The tokeniser of that name."""
    if name not in TOKENISERS:
        raise UsageError(f"there is no tokeniser {name!r}; there are: {', '.join(sorted(TOKENISERS))}")
    return TOKENISERS[name]


PLAIN_ANSWER = re.compile(
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
        plain = PLAIN_ANSWER.fullmatch(text) is not None and JOINED.search(text) is None
        found[text] = text if plain else untreebank(treebank(text))
    return [found[text] for text in given]


@cache
def _treebank() -> Any:
    from nltk.tokenize.treebank import TreebankWordTokenizer

    return TreebankWordTokenizer()


@cache
def _detokeniser() -> Any:
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    return TreebankWordDetokenizer()


@cache
def _mteval() -> Any:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()  # type: ignore[no-untyped-call]
