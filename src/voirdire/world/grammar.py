"""Meaning to English: one of the patterns that fit, in one of three styles.

    visdial  lower case without a question mark: "what color is the car"
    vqa      a written question: "What color is the car?"
    game     a player's question, with its ellipses: "is it red?", "on the left?"

`understand(say(meaning, rng)) == meaning` for every meaning that has a pattern.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from voirdire.world import words
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.templates import TEMPLATES

__all__ = ["STYLES", "noun_phrase", "plural_verb", "say", "say_definite"]

STYLES = ("visdial", "vqa", "game")
_OBJECT_FORMS = {"it": "it", "he": "him", "she": "her", "they": "them"}
_OWNERS = {"he": "his", "she": "her", "they": "their"}
_TABLES = {
    "C": words.COLOURS,
    "Z": words.SIZES,
    "M": words.MATERIALS,
    "Ma": words.MATERIAL_ADJECTIVES,
    "H": words.SHAPES,
    "A": words.ACTIONS,
    "S": words.SIDE_WORDS,
    "X": words.GENDERS,
    "Y": words.AGES,
    "K": words.KINDS,
    "W": words.WEATHER_WORDS,
    "T": words.TIMES,
    "L": words.INDOORS,
    "P": words.PLACES,
    "Q": words.SETTING_PHRASES,
}
_PLURAL = {"is": "are", "does": "do"}
_PICTURES = ("picture", "photo", "image")


@dataclass(frozen=True)
class _Pattern:
    tokens: tuple[str, ...]
    ellipsis: bool

    def fits(self, form: tuple[str, ...]) -> bool:
        """Whether a meaning of this form can be said so, with everything that it holds."""
        of, of_modified, to_modified, relation, style, kind = form
        slots = set(self.tokens)
        if self.ellipsis:
            return style == "game" and of == "it"
        marks = [previous for previous, mark in zip(self.tokens, self.tokens[1:], strict=False) if mark in "*+"]
        on_other = bool(marks) and marks[0].endswith("2")
        if (of_modified and (on_other or not marks)) or (to_modified and not on_other):
            return False
        if "+" in slots and not of_modified:
            return False
        if self.tokens[0] == "B" and style != "visdial":
            return False
        if ("PG" in slots and of not in _OWNERS) or ("Dn" in slots and of in _OBJECT_FORMS):
            return False
        if bool(of) != bool(slots & {"D", "Dn", "I", "B", "N", "PG"}):
            return False
        return kind != "what" or bool(relation) == ("R" in slots)


def say(meaning: Meaning, rng: Random, style: str = "vqa") -> str:
    """The question in English; ValueError where no pattern can say it."""
    of, to = meaning.of, meaning.to
    form = (
        "" if of is None else of.pronoun or "noun",
        "yes" if of is not None and _modified(of) else "",
        "yes" if to is not None and _modified(to) else "",
        meaning.relation,
        style,
        meaning.kind,
    )
    patterns = _fitting(form)
    if not patterns:
        raise ValueError(f"meaning: no {style} pattern says {meaning}")
    # The first patterns of a kind are the common ones.
    at = int(len(patterns) * rng.random() * (0.35 + 0.65 * rng.random()))
    text = _realise(patterns[at], meaning, rng)
    if style == "visdial":
        return text
    if style == "vqa" or rng.random() < 0.4:
        text = text[0].upper() + text[1:]
    return text + "?"


@lru_cache(maxsize=4096)
def _fitting(form: tuple[str, ...]) -> tuple[_Pattern, ...]:
    patterns = (
        _Pattern(tokens[1:], True) if tokens[0] == "^" else _Pattern(tokens, False) for tokens in TEMPLATES[form[-1]]
    )
    return tuple(pattern for pattern in patterns if pattern.fits(form))


def _modified(ref: Ref) -> bool:
    return bool(ref.side or ref.garment or ref.relation)


def plural_verb(ref: Ref) -> bool:
    """Whether the verb is plural after this subject."""
    return ref.many or ref.pronoun == "they"


def _pick(forms: tuple[str, ...], rng: Random) -> str:
    """The usual word, or now and then another."""
    return forms[0] if len(forms) == 1 or rng.random() < 0.65 else forms[1 + int(rng.random() * (len(forms) - 1))]


def noun_phrase(ref: Ref, rng: Random, many: bool) -> str:
    """Adjectives and noun, without article or modifier."""
    parts = []
    if ref.size:
        parts.append(_pick(words.SIZES[ref.size], rng))
    if ref.colour:
        parts.append(_pick(words.COLOURS[ref.colour], rng))
    if ref.material:
        parts.append(_pick(words.MATERIAL_ADJECTIVES[ref.material], rng))
    parts.append(_pick(words.NOUNS[ref.noun][many], rng))
    return " ".join(parts)


def say_definite(ref: Ref, rng: Random) -> str:
    """The description with its article and modifier: "the dogs on the left"; a pronoun as an object: "him"."""
    if ref.pronoun:
        return _OBJECT_FORMS[ref.pronoun]
    return " ".join([_definite(ref, rng), *_modifier(ref, rng, True, ref.many)])


def _definite(ref: Ref, rng: Random) -> str:
    article = "all the" if ref.many and words.NOUNS[ref.noun][0] == words.NOUNS[ref.noun][1] else "the"
    return f"{article} {noun_phrase(ref, rng, ref.many)}"


def _modifier(ref: Ref, rng: Random, definite: bool, many: bool) -> list[str]:
    if ref.side:
        return [_pick(words.SIDE_WORDS[ref.side], rng)]
    if ref.relation and ref.other is not None:
        return [_pick(words.RELATION_WORDS[ref.relation], rng), say_definite(ref.other, rng)]
    if ref.garment == "glasses":
        return ["with glasses"]
    if not ref.garment:
        return []
    kind = words.GARMENT_PLURALS.get(ref.garment, ref.garment) if many else ref.garment
    worn = f"{ref.shade} {kind}" if ref.shade else kind
    if definite:
        return ["in the", worn]
    return ["in", worn if many or ref.garment in words.PLURAL_GARMENTS else words.a(worn)]


def _garment(kind: str, shade: str, rng: Random) -> str:
    phrase = _pick(words.GARMENT_WORDS[kind], rng)
    phrase = f"{_pick(words.COLOURS[shade], rng)} {phrase}" if shade else phrase
    return phrase if kind in words.PLURAL_GARMENTS else words.a(phrase)


def _realise(pattern: _Pattern, meaning: Meaning, rng: Random) -> str:
    of, to = meaning.of, meaning.to
    out: list[str] = []
    after: Ref | None = of
    definite, plural_noun = True, False
    plural = of is not None and plural_verb(of) and ("D" in pattern.tokens or "Dn" in pattern.tokens)
    for token in pattern.tokens:
        if token in ("is", "does"):
            out.append(_PLURAL[token] if plural else token)
        elif token in "*+":
            if after is not None:
                out += _modifier(after, rng, definite, after.many or plural_noun)
        elif token == "picture":
            out.append(rng.choice(_PICTURES))
        elif not token[0].isupper():
            word = token[:2] if token == "is!" else token.rstrip("!")
            if token == "is@":
                word = "are" if meaning.value in words.PLURAL_GARMENTS else "is"
            out.append(word)
        elif token in _TABLES:
            phrase = _pick(_TABLES[token][meaning.value], rng)
            if out and out[-1] == "a":
                out[-1], phrase = words.a(phrase).split(" ", 1)
            out.append(phrase)
        elif token == "R":
            out.append(_pick(words.RELATION_WORDS[meaning.relation], rng))
        elif token in ("D", "Dn") and of is not None:
            out.append(of.pronoun or _definite(of, rng))
        elif token in ("I", "B", "N") and of is not None:
            definite, plural_noun = False, token == "B"
            out.append(_indefinite(token, of, rng, out))
        elif token in ("D2", "I2", "B2") and to is not None:
            after = to
            if token == "D2":
                out.append(_OBJECT_FORMS.get(to.pronoun) or _definite(to, rng))
            else:
                out.append(_indefinite(token[0], to, rng, out))
        elif token == "GP":
            out.append(_garment(meaning.value, meaning.shade, rng))
        elif token == "G":
            out.append(_pick(words.GARMENT_WORDS[meaning.value], rng))
        elif token == "PG" and of is not None:
            out += [_OWNERS[of.pronoun], _pick(words.GARMENT_WORDS[meaning.value], rng)]
        elif token == "O":
            number, side = meaning.value.split()
            noun = [noun_phrase(to, rng, False)] if to is not None else []
            out += ["the", words.ORDINALS[int(number) - 1], *noun, "from the", side]
    if out[0] in ("what", "where") and out[1] == "is" and rng.random() < 0.2:
        out[:2] = [out[0] + "'s"]
    return " ".join(out)


def _indefinite(token: str, ref: Ref, rng: Random, out: list[str]) -> str:
    if token == "I":
        return words.a(noun_phrase(ref, rng, False))
    if token == "N":
        return noun_phrase(ref, rng, False)
    bare = out and (out[-1] in ("many", "of", "more", "than") or rng.random() < 0.25)
    return ("" if bare else "any ") + noun_phrase(ref, rng, True)
