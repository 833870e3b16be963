"""Read what a model said: yes, no or n/a, the number of an object, a question. Each rule is stated; none guesses.

yes or no   the first word that is one of these, "not" and "n't" before it turning nothing; None where there is none,
            or where both are said
n/a         "n/a", "not applicable", "does not apply"
a number    the only number from 1 to n in the text; else the only object whose category is named
a question  the first line that ends in a question mark, else the first line, without a leading number or label
"""

import math
import re
from collections.abc import Mapping, Sequence

__all__ = ["likelier", "read_number", "read_question", "read_yes_no"]

_YES_NO = re.compile(r"[a-z]+(?:'[a-z]+)?")
YES = frozenset({"yes", "yeah", "yep", "yup", "true", "correct"})
NO = frozenset({"no", "nope", "nah", "false", "incorrect"})
_NOT_APPLICABLE = re.compile(r"\bn\s*/\s*a\b|\bnot applicable\b|\bdoes(?: not|n't) apply\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w%]|\.\d)")
_LABEL = re.compile(r"^\s*(?:\d+[.)]\s*|[-*]\s*|(?:next )?question\s*\d*\s*[:.]\s*)+", re.IGNORECASE)


def read_yes_no(text: str, may_not_apply: bool = False) -> str | None:
    """`yes`, `no`, where it may be `n/a`; None where nothing can be read."""
    lower = text.lower()
    if may_not_apply and _NOT_APPLICABLE.search(lower):
        return "n/a"
    said = {("yes" if word in YES else "no") for word in _YES_NO.findall(lower) if word in YES or word in NO}
    first = next((word for word in _YES_NO.findall(lower)), "")
    if first in YES:
        return "yes"
    if first in NO:
        return "no"
    return said.pop() if len(said) == 1 else None


def read_number(text: str, categories: Sequence[str]) -> int | None:
    """The place of the object that is meant, from 0; None where nothing can be read."""
    numbers = {int(one) for one in _NUMBER.findall(text) if 1 <= int(one) <= len(categories)}
    if len(numbers) == 1:
        return numbers.pop() - 1
    if numbers:
        return None
    lower = text.lower()
    named = [place for place, one in enumerate(categories) if re.search(rf"\b{re.escape(one.lower())}\b", lower)]
    return named[0] if len(named) == 1 else None


def read_question(text: str) -> str:
    """The question in what was said; empty where nothing was."""
    lines = [line for line in (_LABEL.sub("", line).strip().strip('"') for line in text.splitlines()) if line]
    asked = next((line for line in lines if line.endswith("?")), lines[0] if lines else "")
    return asked[: asked.index("?") + 1] if "?" in asked else asked


def likelier(logprobs: Mapping[str, float]) -> str | None:
    """Whichever of yes and no has more probability among the likeliest first tokens; None where neither is there.

    p(yes) = Σ exp ℓ(token) over the tokens that read as yes
    """
    mass = {"yes": 0.0, "no": 0.0}
    for token, value in logprobs.items():
        word = token.strip().lower().strip(".,!\"'")
        if word in YES or word in NO:
            mass["yes" if word in YES else "no"] += math.exp(value)
    if mass["yes"] == mass["no"]:
        return None
    return max(mass, key=lambda word: mass[word])
