"""Tokenisers that published figures depend on, and digits as words.

treebank    Penn Treebank (NLTK's rules, on the text as one sentence) and its inverse, `untreebank`
13a         the tokeniser of mteval-v13a, as sacrebleu has it
whitespace  runs of white space part tokens
words       treebank's in lower case, without those that have neither letter nor digit: `Isn't it?` is `is n't it`

Digits are written out as people do: 21 is "twenty one", 1999 "one thousand, nine hundred and ninety nine".

    words(n) = words of each group of three digits with its power of a thousand, larger ones first, commas between;
               "and" before the tens and ones

Hyphens are left out, since a hyphenated word would be one token. Zeros in front count for nothing.
"""

import re
from collections.abc import Callable, Sequence
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


_DIGITS = re.compile(r"\d+")
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_POWERS = (
    *("", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion", "sextillion", "septillion"),
    *("octillion", "nonillion", "decillion"),
)
MOST_DIGITS = 3 * len(_POWERS)


def digits_in_words(text: str) -> str:
    """The text with each run of digits in words."""
    return _DIGITS.sub(lambda run: number_words(run.group()), text)


def number_words(digits: str) -> str:
    """The words of a run of digits; one too long to have a name (over 36 digits) is read digit by digit."""
    significant = "".join(str(int(digit)) for digit in digits).lstrip("0")
    if not significant:
        return _SMALL[0]
    if len(significant) > MOST_DIGITS:
        return " ".join(_SMALL[int(digit)] for digit in significant)
    number, groups = int(significant), list[int]()
    while number:
        number, group = divmod(number, 1000)
        groups.append(group)
    parts = [
        f"{_below_thousand(group)} {_POWERS[power]}".rstrip()
        for power, group in reversed(list(enumerate(groups)))
        if group and (power or group >= 100)
    ]
    text = ", ".join(parts)
    last = groups[0]
    if last and last < 100:
        # A last group without hundreds is joined by "and" instead of a comma: "one thousand and one".
        return f"{text} and {_below_hundred(last)}" if text else _below_hundred(last)
    return text


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _below_hundred(rest)
    return f"{_SMALL[hundreds]} hundred" + (f" and {_below_hundred(rest)}" if rest else "")


def _below_hundred(number: int) -> str:
    if number < len(_SMALL):
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f" {_SMALL[ones]}" if ones else "")
