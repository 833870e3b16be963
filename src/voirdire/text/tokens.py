"""Tokenisers that published figures depend on; none fetches anything.

treebank    Penn Treebank (NLTK's rules, on the text as one sentence) and its inverse, `untreebank`
13a         the tokeniser of mteval-v13a, as sacrebleu has it
whitespace  runs of white space part tokens
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from voirdire.errors import UsageError

__all__ = ["TOKENISERS", "mteval_13a", "tokeniser", "treebank", "untreebank", "whitespace"]


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


TOKENISERS: dict[str, Callable[[str], list[str]]] = {"treebank": treebank, "13a": mteval_13a, "whitespace": whitespace}


def tokeniser(name: str) -> Callable[[str], list[str]]:
    """The tokeniser of that name."""
    if name not in TOKENISERS:
        raise UsageError(f"there is no tokeniser {name!r}; there are: {', '.join(sorted(TOKENISERS))}")
    return TOKENISERS[name]


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
