"""Digits as words, written out as people do: 21 is "twenty one", 1999 "one thousand, nine hundred and ninety nine".

    words(n) = words of each group of three digits with its power of a thousand, larger ones first, commas between;
               "and" before the tens and ones

Hyphens are left out, since a hyphenated word would be one token. Zeros in front count for nothing.
"""

import re

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
