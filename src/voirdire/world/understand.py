"""English to meaning: the inverse of the grammar, and None for any other text.

Every pattern is turned into the skeletons it can take; a question's skeleton is then looked up, so that understanding
costs the same however many patterns there are.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from voirdire.world.chunk import Chunk, chunk, normal_words
from voirdire.world.meaning import IT, Meaning, Ref
from voirdire.world.templates import TEMPLATES

__all__ = ["describe", "split_questions", "understand"]

_QUESTION = re.compile(r"[^?]*[^?\s][^?]*\??")


def split_questions(text: str) -> list[str]:
    """The questions of a text that holds several, each with its own question mark."""
    return [part.strip() for part in _QUESTION.findall(text)]


@lru_cache(maxsize=65536)
def understand(text: str) -> Meaning | None:
    """What one question means, or None where the grammar could not have said it."""
    found = chunk(list(normal_words(text)))
    frame = _FRAMES.get(" ".join(piece.symbol for piece in found))
    return None if frame is None else _fill(frame, found)


def describe(text: str) -> Ref | None:
    """The meaning of a noun phrase alone: "the dog next to the bench", "a red car"."""
    found = chunk(list(normal_words(text)))
    if not found or found[0].symbol not in ("D", "I", "B", "N"):
        return None
    symbols = " ".join(piece.symbol for piece in found[1:])
    for symbol_form, roles in _MODIFIERS:
        if " ".join(symbol_form) == symbols:
            filled = _fill(_Frame("", ("of", *(role and f"of.{role}" for role in roles)), False), found)
            return filled.of
    return None


class _Frame(NamedTuple):
    kind: str
    roles: tuple[str, ...]
    ellipsis: bool


_MODIFIERS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((), ()),
    (("S",), ("side",)),
    (("R", "D"), ("relation", "other")),
    (("in", "GP"), ("", "garment")),
    (("with", "GP"), ("", "garment")),
)
_ROLES = {"D": "of", "Dn": "of", "I": "of", "B": "of", "N": "of", "D2": "to", "I2": "to", "B2": "to"}
_ROLES |= {"R": "relation", "GP": "garment", "G": "garment", "PG": "owned", "O": "order", "M": "value", "Ma": "value"}
_ROLES |= dict.fromkeys("CZHASXYKWTLPQ", "value")
_SYMBOLS = {"Dn": "D", "D2": "D", "I2": "I", "B2": "B", "Ma": "M"}


def _frames() -> dict[str, _Frame]:
    frames: dict[str, _Frame] = {}
    for kind, patterns in TEMPLATES.items():
        for pattern in patterns:
            ellipsis = pattern[0] == "^"
            tokens = pattern[1:] if ellipsis else pattern
            marks = [mark for mark in tokens if mark in "*+"]
            forms = _MODIFIERS[1:] if "+" in marks else _MODIFIERS if marks else _MODIFIERS[:1]
            for symbols, roles in forms:
                key, frame = _skeleton(kind, tokens, ellipsis, symbols, roles)
                if frames.setdefault(key, frame) != frame:
                    raise ValueError(f"TEMPLATES: {key!r} is both {frames[key]} and {frame}")
    return frames


def _skeleton(
    kind: str, tokens: tuple[str, ...], ellipsis: bool, symbols: tuple[str, ...], roles: tuple[str, ...]
) -> tuple[str, _Frame]:
    pieces: list[str | Chunk] = []
    owner = "of"
    for token in tokens:
        if token in "*+":
            for symbol, role in zip(symbols, roles, strict=True):
                pieces.append(Chunk(symbol, None, f"{owner}.{role}") if role else symbol)
        elif token in _ROLES:
            owner = "to" if token.endswith("2") else "of"
            pieces.append(Chunk(_SYMBOLS.get(token, token), "x", _ROLES[token]))
        else:
            pieces += normal_words(token.rstrip("!@"))
    found = chunk(pieces)
    return " ".join(piece.symbol for piece in found), _Frame(kind, tuple(piece.slot for piece in found), ellipsis)


def _fill(frame: _Frame, found: list[Chunk]) -> Meaning:
    parts: dict[str, Any] = {}
    extra: dict[str, dict[str, Any]] = {"of": {}, "to": {}}
    for role, piece in zip(frame.roles, found, strict=True):
        if not role:
            continue
        payload = piece.payload
        if role == "garment":
            parts["value"], parts["shade"] = payload
        elif role == "owned":
            parts["of"], parts["value"], parts["shade"] = payload
        elif role == "order":
            parts["value"], parts["to"] = payload
        elif "." in role:
            owner, what = role.split(".")
            if what == "garment":
                extra[owner]["garment"], extra[owner]["shade"] = payload
            else:
                extra[owner][what] = payload
        else:
            parts[role] = payload
    for owner, more in extra.items():
        if more:
            ref = parts[owner]
            parts[owner] = Ref(ref.noun, ref.many, ref.size, ref.colour, ref.material, **more)
    if frame.ellipsis:
        parts["of"] = IT
    return Meaning(frame.kind, **parts)


_FRAMES = _frames()
