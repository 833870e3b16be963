"""The answer inside an object of JSON: {"answer": "brown", "confidence": 0.9} → brown.

    object  begins with a brace at the start of the text or of a line, or in a fence (```json)
    answer  the value of the first field whose name says that it is the answer (answer, final_answer, response, …), or
            of one that the caller prefers; else of the only field

Objects that are cut off or not quite JSON (single quotes, a comma too many) are read as far as they go. An object with
several answers ({"answer": ["red", "blue"]}) has them all, with commas between.
"""

import json
import re
from collections.abc import Iterable

NAMES = (
    *("answer", "final answer", "short answer", "response", "reply", "result", "output", "prediction"),
    *("verdict", "judgement", "judgment", "label", "guess", "choice", "object", "number", "value", "text"),
)
"""Names of fields that hold an answer, the clearest first; of a name in parts the last words count: my_answer."""

_START = re.compile(r"(?:^|\n)\s*(?:```\w*\s*|json\s*)?\{")
_FIELD = re.compile(
    r"""["'](?P<name>[\w -]{1,40})["']\s*:\s*
    (?:"(?P<double>(?:[^"\\]|\\.)*)(?:"|$)|'(?P<single>[^'\n]*)(?:'|$)|\[(?P<list>[^\]]*)(?:\]|$)|(?P<bare>[\w.+-]+))""",
    re.VERBOSE,
)
_ITEM = re.compile(r""""((?:[^"\\]|\\.)*)"|'([^'\n]*)'|([\w.+-]+)""")


def json_answer(text: str, prefer: Iterable[str] = ()) -> str | None:
    """The answer in a text that has an object; None where it has none, or no field that is an answer.

    prefer  names of fields that come before `NAMES`
    """
    start = _START.search(text)
    if start is None:
        return None
    values: dict[str, str] = {}
    for field in _FIELD.finditer(text, start.end()):
        values.setdefault(re.sub(r"[_\s-]+", " ", field["name"]).strip().lower(), _value(field))
    for name in (*prefer, *NAMES):
        for known, value in values.items():
            if known == name or known.endswith(f" {name}"):
                return value
    return next(iter(values.values())) if len(values) == 1 else None


def _value(field: re.Match[str]) -> str:
    if field["list"] is not None:
        return ", ".join(_unescaped(double) or single or bare for double, single, bare in _ITEM.findall(field["list"]))
    bare = field["bare"] or ""
    return _unescaped(field["double"]) or field["single"] or ("" if bare == "null" else bare)


def _unescaped(quoted: str | None) -> str:
    try:
        return str(json.loads(f'"{quoted or ""}"', strict=False))
    except ValueError:
        return quoted or ""
