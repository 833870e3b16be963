"""Meaning to English: a question by one of the patterns that fit, in one of three styles, and the statement it asks of.

    visdial  lower case without a question mark: "what color is the car"
    vqa      a written question: "What color is the car?"
    game     a player's question, with its ellipses: "is it red?", "on the left?"

`understand(say(meaning, rng)) == meaning` for every meaning that has a pattern. A yes/no question has its `statements`:
"is the car red" is "the car is red" or "it is not red".
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from voirdire.world import words
from voirdire.world.meaning import TEMPLATES, Meaning, Ref

STYLES = ("visdial", "vqa", "game")
_OBJECT_FORMS = {"it": "it", "he": "him", "she": "her", "they": "them"}
_OWNERS = {"he": "his", "she": "her", "they": "their"}
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
        raise ValueError(f"`meaning` must have a pattern, but no {style} pattern says {meaning}")
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


def _pick(forms: tuple[str, ...], rng: Random) -> str:
    """The usual word, or now and then another."""
    return forms[0] if len(forms) == 1 or rng.random() < 0.65 else forms[1 + int(rng.random() * (len(forms) - 1))]


def _noun_phrase(ref: Ref, rng: Random, many: bool) -> str:
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


def _say_definite(ref: Ref, rng: Random) -> str:
    """The description with its article and modifier: "the dogs on the left"; a pronoun as an object: "him"."""
    if ref.pronoun:
        return _OBJECT_FORMS[ref.pronoun]
    return " ".join([_definite(ref, rng), *_modifier(ref, rng, True, ref.many)])


def _definite(ref: Ref, rng: Random) -> str:
    article = "all the" if ref.many and words.NOUNS[ref.noun][0] == words.NOUNS[ref.noun][1] else "the"
    return f"{article} {_noun_phrase(ref, rng, ref.many)}"


def _modifier(ref: Ref, rng: Random, definite: bool, many: bool) -> list[str]:
    if ref.side:
        return [_pick(words.SIDE_WORDS[ref.side], rng)]
    if ref.relation and ref.other is not None:
        return [_pick(words.RELATION_WORDS[ref.relation], rng), _say_definite(ref.other, rng)]
    if ref.garment == "glasses":
        return ["with glasses"]
    if not ref.garment:
        return []
    kind = words.GARMENT_PLURALS.get(ref.garment, ref.garment) if many else ref.garment
    worn = f"{ref.shade} {kind}" if ref.shade else kind
    if definite:
        return ["in the", worn]
    return ["in", worn if many or ref.garment in words.PLURAL_GARMENTS else words.a(worn)]


def _say_garment(kind: str, shade: str, rng: Random) -> str:
    phrase = _pick(words.GARMENT_WORDS[kind], rng)
    phrase = f"{_pick(words.COLOURS[shade], rng)} {phrase}" if shade else phrase
    return phrase if kind in words.PLURAL_GARMENTS else words.a(phrase)


def _realise(pattern: _Pattern, meaning: Meaning, rng: Random) -> str:
    of, to = meaning.of, meaning.to
    out: list[str] = []
    after: Ref | None = of
    definite, plural_noun = True, False
    several = of is not None and (of.many or of.pronoun == "they")
    plural = several and ("D" in pattern.tokens or "Dn" in pattern.tokens)
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
        elif token in words.SLOTS:
            phrase = _pick(words.SLOTS[token][meaning.value], rng)
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
            out.append(_say_garment(meaning.value, meaning.shade, rng))
        elif token == "G":
            out.append(_pick(words.GARMENT_WORDS[meaning.value], rng))
        elif token == "PG" and of is not None:
            out += [_OWNERS[of.pronoun], _pick(words.GARMENT_WORDS[meaning.value], rng)]
        elif token == "O":
            number, side = meaning.value.split()
            noun = [_noun_phrase(to, rng, False)] if to is not None else []
            out += ["the", words.ORDINALS[int(number) - 1], *noun, "from the", side]
    if out[0] in ("what", "where") and out[1] == "is" and rng.random() < 0.2:
        out[:2] = [out[0] + "'s"]
    return " ".join(out)


def _indefinite(token: str, ref: Ref, rng: Random, out: list[str]) -> str:
    if token == "I":
        return words.a(_noun_phrase(ref, rng, False))
    if token == "N":
        return _noun_phrase(ref, rng, False)
    bare = out and (out[-1] in ("many", "of", "more", "than") or rng.random() < 0.25)
    return ("" if bare else "any ") + _noun_phrase(ref, rng, True)


def subject(ref: Ref) -> str:
    """The pronoun with which an answer takes up a description."""
    if ref.pronoun or ref.many:
        return ref.pronoun or "they"
    return _SUBJECTS.get(ref.noun, "it")


_SUBJECTS = {"man": "he", "boy": "he", "woman": "she", "girl": "she", "person": "they", "child": "they"}


def be(pronoun: str) -> str:
    """is or are."""
    return "are" if pronoun == "they" else "is"


def name(ref: Ref, article: str = "the") -> str:
    """The description in its usual words; `article` the, a or no."""
    if ref.pronoun:
        return ref.pronoun
    adjectives = (words.SIZES, ref.size), (words.COLOURS, ref.colour), (words.MATERIAL_ADJECTIVES, ref.material)
    parts = [forms[value][0] for forms, value in adjectives if value]
    noun = " ".join([*parts, words.NOUNS[ref.noun][ref.many][0]])
    head = words.a(noun) if article == "a" else f"{article} {noun}"
    if ref.side:
        return f"{head} {words.SIDE_WORDS[ref.side][0]}"
    if ref.relation and ref.other is not None:
        return f"{head} {words.RELATION_WORDS[ref.relation][0]} {name(ref.other)}"
    if ref.garment == "glasses":
        return f"{head} with glasses"
    if ref.garment:
        return f"{head} in {garment(ref.garment, ref.shade, 'the' if article == 'the' else 'a')}"
    return head


def garment(kind: str, shade: str, article: str = "a") -> str:
    """A garment with its colour and article: a red hat, blue pants, the scarf."""
    worn = f"{shade} {kind}" if shade else kind
    if article == "the":
        return f"the {worn}"
    return worn if kind in words.PLURAL_GARMENTS else words.a(worn)


def place_phrase(place: str) -> tuple[str, ...]:
    """The ways to say a place: "on/dining table" or "left"."""
    relation, slash, noun = place.partition("/")
    if not slash:
        return words.SIDE_WORDS[place]
    return tuple(f"{form} the {words.NOUNS[noun][0][0]}" for form in words.RELATION_WORDS[relation])


def _predicate(meaning: Meaning) -> tuple[str, ...]:
    """What follows "it is" in the statement."""
    kind, value, to = meaning.kind, meaning.value, meaning.to
    if kind in _VALUES:
        return _VALUES[kind][value]
    if kind == "is_material":
        return tuple(f"made of {form}" for form in words.MATERIALS[value])
    if kind == "wears":
        return (f"wearing {garment(value, meaning.shade)}",)
    if kind == "is_setting":
        return tuple(words.a(form) for form in words.PLACES[value])
    if kind in ("in_colour", "black_white", "alone"):
        return ({"in_colour": "in color", "black_white": "black and white", "alone": "alone"}[kind],)
    if kind == "nth":
        number, side = value.split()
        noun = f" {words.NOUNS[to.noun][0][0]}" if to is not None else ""
        return (f"the {words.ORDINALS[int(number) - 1]}{noun} from the {side}",)
    if to is None:
        raise ValueError(f"`meaning.to` must be given for the kind {kind!r}, got None")
    if kind == "is_a":
        return (name(to, "a"),)
    if kind == "is_the":
        return (name(to),)
    if kind == "is_holding":
        return (f"holding {name(to, 'a')}",)
    if kind == "relation":
        return tuple(f"{form} {name(to)}" for form in words.RELATION_WORDS[meaning.relation])
    if kind == "bigger":
        return (f"bigger than {name(to)}",)
    return (f"the same color as {name(to)}",)


_VALUES = {
    "is_colour": words.COLOURS,
    "is_size": words.SIZES,
    "is_shape": words.SHAPES,
    "is_action": words.ACTIONS,
    "is_side": words.SIDE_WORDS,
    "is_gender": words.GENDERS,
    "is_age": words.AGES,
    "is_kind": words.KINDS,
    "is_weather": words.WEATHER_WORDS,
    "is_time": words.TIMES,
    "is_indoors": words.INDOORS,
}


def statements(meaning: Meaning, true: bool) -> tuple[str, ...]:
    """The statement, or its denial, in the ways an answer may put it: with a pronoun first, then in full."""
    of, to = meaning.of, meaning.to
    if meaning.kind == "exists" and of is not None:
        if true:
            return (f"there is {name(of, 'a')}",)
        many = Ref(of.noun, True, of.size, of.colour, of.material, of.side, of.garment, of.shade, of.relation, of.other)
        return f"there is {name(of, 'no')}", f"there are {name(many, 'no')}"
    if meaning.kind == "more" and of is not None and to is not None:
        more, less = words.NOUNS[of.noun][1][0], words.NOUNS[to.noun][1][0]
        return (f"there are {'' if true else 'not '}more {more} than {less}",)
    no = "" if true else "not "
    pronoun = "it" if of is None else subject(of)
    verb = be(pronoun)
    predicates = _predicate(meaning)
    texts = [f"{pronoun} {verb} {no}{predicate}" for predicate in predicates]
    if of is not None and not of.pronoun:
        full, verb = name(of), "are" if of.many else "is"
        texts += [f"{full} {verb} {no}{predicate}" for predicate in predicates]
    return tuple(texts)
