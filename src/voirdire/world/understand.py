"""English to meaning: the inverse of the grammar, and None for any other text.

Words become chunks, the parts of a question that may vary, read off with the slots' own words: "what color is the small
red car next to the bench" becomes what color is D R D, where the two D carry descriptions and R a relation. The
sequence of symbols (the skeleton) decides what is asked; the payloads say of what.

Every pattern is turned into the skeletons it can take; a question's skeleton is then looked up, so that understanding
costs the same however many patterns there are.

A statement means a yes/no question, and whether yes makes the statement true:

    the dog is not brown        is the dog brown, no
    one can see a table         can you see a table, yes
    there are no people         are there people, no

Statements are those that propositions of dialogues have: a question of the grammar turned round. So a statement is
turned back, in each way that it may have come about, and the first question that the grammar knows is what it means.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from voirdire.world import words
from voirdire.world.meaning import IT, TEMPLATES, YES_NO, Meaning, Ref


class Chunk(NamedTuple):
    """A symbol of the skeleton with what it carries; `slot` is set only where a pattern is being read."""

    symbol: str
    payload: Any = None
    slot: str = ""


_SAME = {
    "are": "is",
    "does": "do",
    "has": "have",
    "an": "a",
    "photo": "picture",
    "image": "picture",
    "colour": "color",
    "what's": "what is",
    "where's": "where is",
    "who's": "who is",
}
_PRONOUNS = {"it": "it", "he": "he", "she": "she", "they": "they", "him": "he", "them": "they"}
_OWNERS = {"his": "he", "her": "she", "their": "they"}
_DETERMINERS = frozenset(("the", "a", "any", "some"))


def normal_words(text: str) -> list[str]:
    """The words of one question in lower case, with the forms that make no difference made one."""
    text = text.strip().rstrip("?.! ").lower()
    plain = [_SAME.get(word, word) for word in text.replace(",", "").split()]
    return " ".join(plain).split() if "'" in text else plain


_Entry = tuple[tuple[str, ...], str, Any]


def _lexicon() -> dict[str, list[_Entry]]:
    entries: dict[tuple[str, ...], tuple[str, Any]] = {}

    def add(symbol: str, table: Mapping[str, tuple[str, ...]]) -> None:
        for value, forms in table.items():
            for form in forms:
                entries[tuple(normal_words(form))] = (symbol, value)

    tables: tuple[tuple[str, Mapping[str, tuple[str, ...]]], ...] = (
        *((slot[0], table) for slot, table in words.SLOTS.items()),
        ("R", words.RELATION_WORDS),
        ("G", words.GARMENT_WORDS),
        ("G", {kind: (many,) for kind, many in words.GARMENT_PLURALS.items()}),
        ("F", {"left": ("from the left",), "right": ("from the right",)}),
        ("O", {str(n): (word,) for n, word in enumerate(words.ORDINALS, start=1)}),
        ("black and white", {"": ("black and white",)}),
    )
    for symbol, table in tables:
        add(symbol, table)
    for sense, (singular, plural) in words.NOUNS.items():
        for form in dict.fromkeys((*singular, *plural)):
            symbol = "NS" if form not in singular else "N" if form not in plural else "NN"
            key = tuple(form.split())
            entries[key] = ("CN" if key in entries else symbol, sense)
    by_first: dict[str, list[_Entry]] = {}
    for key, (symbol, value) in entries.items():
        by_first.setdefault(key[0], []).append((key, symbol, value))
    for options in by_first.values():
        options.sort(key=lambda option: -len(option[0]))
    return by_first


_LEXICON = _lexicon()


def chunk(tokens: list[str | Chunk]) -> list[Chunk]:
    """Group words into chunks; tokens that are chunks already (a pattern's slots) stay what they are."""
    return _phrases(_look_up(tokens))


def _look_up(tokens: list[str | Chunk]) -> list[Chunk]:
    chunks: list[Chunk] = []
    at, end = 0, len(tokens)
    while at < end:
        token = tokens[at]
        at += 1
        if isinstance(token, Chunk):
            chunks.append(token)
            continue
        for key, symbol, value in _LEXICON.get(token, ()):
            length = len(key)
            if length == 1 or tuple(tokens[at - 1 : at - 1 + length]) == key:
                chunks.append(Chunk(symbol, value))
                at += length - 1
                break
        else:
            chunks.append(Chunk(token))
    return chunks


def _phrases(items: list[Chunk]) -> list[Chunk]:
    """Put noun phrases together: determiner, size, colour, material, noun; and garments likewise."""
    chunks: list[Chunk] = []
    at, end = 0, len(items)
    items.append(Chunk(""))
    while at < end:
        word = items[at].symbol
        after = at
        determiner = ""
        if word == "all" and items[at + 1].symbol == "the":
            determiner, after = "all", at + 2
        elif word in _DETERMINERS or word in _OWNERS:
            determiner, after = word, at + 1
        phrase, stop = _phrase(items, after, determiner)
        if phrase is not None:
            chunks.append(phrase)
            at = stop
            continue
        if word in _PRONOUNS or word == "her":
            chunks.append(Chunk("D", Ref(pronoun=_PRONOUNS.get(word, "she"))))
        elif word == "CN":
            chunks.append(Chunk("C", items[at].payload))
        else:
            chunks.append(items[at])
        at += 1
    return chunks


def _phrase(items: list[Chunk], at: int, determiner: str) -> tuple[Chunk | None, int]:
    order = ""
    if determiner == "the" and items[at].symbol == "O":
        order = items[at].payload
        at += 1
        if items[at].symbol == "F":
            return Chunk("O", (f"{order} {items[at].payload}", None), items[at].slot), at + 1
    size = colour = material = ""
    if items[at].symbol == "Z":
        size, at = items[at].payload, at + 1
    if items[at].symbol == "C" or (items[at].symbol == "CN" and items[at + 1].symbol in ("N", "NS", "NN", "G", "M")):
        colour, at = items[at].payload, at + 1
    if items[at].symbol == "M":
        material, at = items[at].payload, at + 1
    symbol, payload, slot = items[at]
    if order:
        if symbol in ("N", "NN", "CN") and items[at + 1].symbol == "F":
            return Chunk("O", (f"{order} {items[at + 1].payload}", Ref(noun=payload)), slot), at + 2
        return None, at
    if symbol == "G" and not size and not material:
        if determiner in _OWNERS:
            return Chunk("PG", (Ref(pronoun=_OWNERS[determiner]), payload, colour), slot), at + 1
        return Chunk("GP", (payload, colour), slot), at + 1
    if symbol == "CN" and not determiner:
        return None, at
    if symbol in ("N", "NS", "NN", "CN"):
        many = determiner == "all" or (determiner == "the" and symbol == "NS")
        ref = Ref(noun=payload, many=many, size=size, colour=colour, material=material)
        kind = "D" if determiner in ("the", "all") else "I" if determiner == "a" else "N" if symbol == "N" else "B"
        return Chunk(kind, ref, slot), at + 1
    return None, at


_QUESTION = re.compile(r"[^?]*[^?\s][^?]*\??")


def split_questions(text: str) -> list[str]:
    """The questions of a text that holds several, each with its own question mark."""
    return [part.strip() for part in _QUESTION.findall(text)]


def first_question(text: str) -> Meaning | None:
    """What the first question of a text means, or None where there is none or it cannot be read."""
    questions = split_questions(text)
    return understand(questions[0]) if questions else None


@lru_cache(maxsize=65536)
def understand(text: str) -> Meaning | None:
    """What one question means, or None where the grammar could not have said it."""
    chunks = chunk(list(normal_words(text)))
    frame = _FRAMES.get(" ".join(piece.symbol for piece in chunks))
    return None if frame is None else _fill(frame, chunks)


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
                    raise ValueError(
                        f"`TEMPLATES` must mean one thing each, but {key!r} is both {frames[key]} and {frame}"
                    )
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
    chunks = chunk(pieces)
    return " ".join(piece.symbol for piece in chunks), _Frame(kind, tuple(piece.slot for piece in chunks), ellipsis)


def _fill(frame: _Frame, chunks: list[Chunk]) -> Meaning:
    parts: dict[str, Any] = {}
    extra: dict[str, dict[str, Any]] = {"of": {}, "to": {}}
    for role, piece in zip(frame.roles, chunks, strict=True):
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


_NUMBER = re.compile(r"\bthe (?:two|three|four|five|six|seven|eight|nine|ten) ")
_COPULA = re.compile(r"^(?P<subject>.+?) (?P<verb>is|are|was|were) (?P<rest>.+)$")
_VERBS = {"shows": "show", "looks": "look", "has": "have", "wears": "wear", "holds": "hold"}
_VERB = re.compile(rf"^(?P<subject>.+?) (?P<verb>{'|'.join((*_VERBS, *_VERBS.values()))}) (?P<rest>.+)$")


class Statement(NamedTuple):
    """A yes/no question, and which answer makes the statement true."""

    meaning: Meaning
    positive: bool


@lru_cache(maxsize=65536)
def read_statement(text: str) -> Statement | None:
    """What a sentence states, or None where the grammar could not have asked it."""
    plain = _NUMBER.sub("the ", text.strip().rstrip(".").lower())
    for question, positive in _questions(plain):
        meaning = understand(question)
        if meaning is not None and meaning.kind in YES_NO:
            return Statement(meaning, positive)
    return None


def _questions(text: str) -> Iterator[tuple[str, bool]]:
    """The questions that a sentence may answer, and whether with yes."""
    for start in ("one can see ", "one cannot see ", "one can not see "):
        if text.startswith(start):
            rest = text.removeprefix(start)
            for phrase in (rest, re.sub("^any ", "a ", rest)):
                yield f"can you see {phrase}", start == "one can see "
    if existence := re.match(r"^there (is|are) (no |not )?(.+)$", text):
        verb, denied, rest = existence.groups()
        article = "a " if verb == "is" and denied == "no " else ""
        for phrase in (rest, f"{article}{rest}"):
            yield f"{verb} there {phrase}", not denied
        # A place is there where it is a place: is it a beach?
        yield f"is this {article}{rest}", not denied
    if match := re.match(r"^(.+?) (?:does|do) not (.+)$", text):
        yield f"does {match[1]} {match[2]}", False
    if match := _COPULA.match(text):
        subject, verb, rest = match.groups()
        denied = rest.startswith("not ")
        rest = rest.removeprefix("not ")
        yield f"{verb} {subject} {rest}", not denied
        # The place is tennis court: what kind of place is this?
        yield f"is this a {rest}", not denied
    if match := _VERB.match(text):
        subject, verb, rest = match.groups()
        yield f"does {subject} {_VERBS.get(verb, verb)} {rest}", True
