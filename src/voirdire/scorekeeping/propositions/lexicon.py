"""The word lists of the rules, from the file beside this one."""

import re
from functools import cache
from pathlib import Path

__all__ = ["word_list"]


def word_list(name: str) -> frozenset[str]:
    """The words of one list."""
    return _lists()[name]


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = re.sub("#.*", "", Path(__file__).with_name("lexicon.txt").read_text(encoding="utf-8"))
    _, *parts = re.split(r"^(\w+):$", text, flags=re.MULTILINE)
    return {name: frozenset(words.split()) for name, words in zip(parts[::2], parts[1::2], strict=True)}
