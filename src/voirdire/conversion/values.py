"""Raw values as official layouts have them: the value at a path in a record, a whole number, a text.

Ids follow one rule:

    a whole number                                  itself; also as 42.0, and as the text "42" or "000042"
    of an image, a name that ends in a number       that number: "COCO_val2014_000000123456.jpg" is 123456
    anything else                                   none: "q123" is refused
"""

import math
import re
from typing import Any

MISSING = object()
LARGEST = 2**63 - 1
DEEPEST = 20
ATTACHED = "attachment://"

_DIGITS = re.compile(r"\s*(\d{1,19})(?:\.0+)?\s*", re.ASCII)
_AT_END = re.compile(r"(?:^|[^0-9])([0-9]{1,18})(?:\.[A-Za-z]{2,5})?$", re.ASCII)


def find(values: Any, path: str) -> Any:
    """The value at a path, or MISSING; a key that has full stops itself is found as a whole.

    Inspect keeps long texts apart, under `attachments`; the text itself is returned.
    """
    value = _find(values, path)
    if isinstance(value, str) and value.startswith(ATTACHED):
        return _find(values, f"attachments.{value.removeprefix(ATTACHED)}")
    return value


def _find(values: Any, path: str) -> Any:
    if isinstance(values, dict) and path in values:
        return values[path]
    for step in path.split(".", DEEPEST):
        if isinstance(values, dict) and step in values:
            values = values[step]
        elif isinstance(values, list) and step.isdecimal() and len(step) < 7 and int(step) < len(values):
            values = values[int(step)]
        else:
            return MISSING
    return values


def whole_number(value: Any) -> int | None:
    """A whole number of at most 63 bits, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) and value == int(value) else None
    elif isinstance(value, str):
        digits = _DIGITS.fullmatch(value)
        value = int(digits[1]) if digits else None
    return value if isinstance(value, int) and 0 <= value <= LARGEST else None


def image_id_of(value: Any) -> int | None:
    """An image's number: as `whole_number`, or at the end of its file's name."""
    number = whole_number(value)
    if number is None and isinstance(value, str) and (found := _AT_END.search(value.strip())):
        return int(found[1])
    return number


def answer_texts(value: Any) -> list[str] | None:
    """A model's answer: one text, or several where it is a list; None where it is no text.

    Lists in lists are the answers to one request after the other; numbers count as texts, a message as its content.
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, dict):
        inner = next((value[key] for key in ("text", "content", "generated_text", "answer") if key in value), None)
        return None if inner is None else answer_texts(inner)
    if isinstance(value, list):
        if value and all(isinstance(part, dict) and "type" in part for part in value):  # The parts of one message.
            parts = [part["text"] for part in value if part["type"] == "text" and isinstance(part.get("text"), str)]
            return ["".join(parts)] if parts else None
        each = [answer_texts(item) for item in value]
        return None if not each or None in each else [text for texts in each if texts is not None for text in texts]
    return None


def question_text(value: Any) -> str | None:
    """The text of a question; of a chat, the user's last message."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and "role" in item for item in value):
        value = next((message for message in reversed(value) if message["role"] == "user"), None)
    texts = answer_texts(value)
    return texts[0] if texts else None
