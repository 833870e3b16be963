"""An answer's content to the words that say it: all of them, so that it is known exactly which answers are valid.

phrasings(meaning, answer)            every way to give one answer, shortest first, lower case, without a full stop
valid_texts(meaning, scene, focus)    every wording of every true answer
near_misses(meaning, answer)          wrong answers of the right sort: another colour, one more, no for yes
short(meaning, answer)                the few words of a VQA annotator
"""

from collections.abc import Callable
from functools import lru_cache

from voirdire.formats.scenes import Scene
from voirdire.world import words
from voirdire.world.grammar import be, garment, name, place_phrase, statements, subject
from voirdire.world.inventory import ANIMAL_ACTIONS, SETTINGS, WEATHERS
from voirdire.world.meaning import Meaning
from voirdire.world.truth import Answer, Focus, answers

_YES = ("yes", "yep", "yeah", "i think so", "yes, i think so", "yes, i believe so", "it looks like it")
_NO = ("no", "nope", "i don't think so", "no, i don't think so", "it doesn't look like it")
_UNKNOWN = (
    *("can't tell", "i can't tell", "not sure", "i'm not sure", "hard to tell", "it's hard to tell", "i don't know"),
    "i can't tell from this picture",
)
_NONE = ("there isn't one", "i don't see one", "i don't see that in the picture")

# What the kinds that test a value would answer if the value were asked for.
_OPEN = {"is_side": "where", "relation": "where"} | {
    f"is_{kind}": kind for kind in ("colour", "material", "action", "setting", "weather", "time", "indoors", "size")
}


@lru_cache(maxsize=8192)
def phrasings(meaning: Meaning, answer: Answer) -> tuple[str, ...]:
    """All wordings of one answer to one question."""
    return tuple(dict.fromkeys(_WORDINGS[answer.what](meaning, answer.value)))


def _yes(meaning: Meaning, value: str) -> list[str]:
    facts = statements(meaning, True)
    if meaning.kind in ("exists", "more"):
        tags = ["yes, there is", "yes, there are"] if meaning.kind == "exists" else ["yes, there are"]
        sights = ["yes, i can see that"] if meaning.kind == "exists" else []
        return [*_YES, *tags, *sights, *facts, *(f"yes, {fact}" for fact in facts)]
    pronoun = "it" if meaning.of is None else subject(meaning.of)
    verb = be(pronoun)
    tags = [f"yes, {pronoun} {verb}", f"yes {pronoun} {verb}", f"{pronoun} {verb}"]
    return [*_YES, *tags, *facts, *(f"yes, {fact}" for fact in facts)]


def _no(meaning: Meaning, value: str) -> list[str]:
    facts = statements(meaning, False)
    if meaning.kind == "exists":
        sights = ["not that i can see", "no, not that i can see", "i don't see any", "no, i don't see any"]
        return [*_NO, *sights, "no, there isn't", *facts, *(f"no, {fact}" for fact in facts)]
    pronoun = "there" if meaning.kind == "more" else "it" if meaning.of is None else subject(meaning.of)
    verb = "are" if meaning.kind == "more" else be(pronoun)
    tags = [f"no, {pronoun} {verb}n't", f"no, {pronoun} {verb} not", f"{pronoun} {verb} not"]
    return [*_NO, *tags, *facts, *(f"no, {fact}" for fact in facts)]


def _number(meaning: Meaning, value: str) -> list[str]:
    count = int(value)
    word = words.NUMBERS[count] if count < len(words.NUMBERS) else value
    noun = words.NOUNS[meaning.of.noun][count != 1][0] if meaning.of is not None else "things"
    if count == 0:
        return ["0", "none", "zero", "there are none", "i don't see any", f"no {noun}", f"there are no {noun}"]
    texts = [value, word, f"{value} {noun}", f"{word} {noun}"]
    if count == 1:
        texts += ["just one", "only one", "just 1", "i see one", "there is one", f"there is one {noun}"]
        return [*texts, f"i can see one {noun}", "there is only one"]
    texts += [f"there are {value}", f"there are {word}", f"i see {value}", f"i can see {word}", f"{word} of them"]
    return [*texts, f"there are {word} {noun}", f"there are {value} {noun}", f"i can see {word} {noun}"]


def _word(meaning: Meaning, value: str) -> list[str]:
    kind = meaning.kind
    if kind in _WHOLE:
        return _of_whole(kind, value)
    forms = _joined(_FORMS[kind], value)
    of = meaning.of
    if of is None:
        raise ValueError(f"`meaning.of` must be given for the kind {kind!r}, got None")
    if kind == "garment_colour":
        many = meaning.value in words.PLURAL_GARMENTS
        pronoun, full = ("they" if many else "it"), f"the {meaning.value}"
        verb = full_verb = "are" if many else "is"
    else:
        pronoun, full = subject(of), "" if of.pronoun else name(of)
        verb, full_verb = be(pronoun), "are" if of.many else "is"
    texts: list[str] = []
    for form in forms:
        phrase = f"made of {form}" if kind == "material" else form
        texts += [form, f"{pronoun} {verb} {phrase}", f"{pronoun}'{'s' if verb == 'is' else 're'} {phrase}"]
        if full:
            texts.append(f"{full} {full_verb} {phrase}")
        if kind in ("colour", "garment_colour", "size", "age") and "child" not in form:
            texts.append(f"{pronoun} look{'' if pronoun == 'they' else 's'} {phrase}")
    return texts


_FORMS: dict[str, words.Words] = {
    "colour": words.COLOURS,
    "garment_colour": words.COLOURS,
    "size": words.SIZES,
    "material": words.MATERIALS,
    "shape": words.SHAPES,
    "action": words.ACTIONS,
    "side": words.SIDE_WORDS,
    "age": {"child": ("very young", "just a child"), "young": ("young", "fairly young"), "old": ("old", "elderly")},
    "gender": {
        "man": ("a man", "male"),
        "woman": ("a woman", "female"),
        "boy": ("a boy", "male"),
        "girl": ("a girl", "female"),
    },
}


def _joined(forms: words.Words, value: str) -> list[str]:
    first, plus, second = value.partition("+")
    if not plus:
        return list(forms[first])
    return [f"{forms[a][0]} and {forms[b][0]}" for a, b in ((first, second), (second, first))]


_WHOLE = ("setting", "room", "weather", "time", "indoors")


def _of_whole(kind: str, value: str) -> list[str]:
    if kind in ("setting", "room"):
        place = words.a(value)
        phrase = words.SETTING_PHRASES[value][0]
        likely = [f"it looks like {place}", f"it appears to be {place}"]
        return [value, place, phrase, f"it is {place}", f"it's {place}", f"this is {place}", *likely, f"it is {phrase}"]
    texts: list[str] = []
    for form in {"weather": words.WEATHER_WORDS, "time": words.TIMES, "indoors": words.INDOORS}[kind][value]:
        texts += [form, f"it is {form}", f"it's {form}"]
        if kind == "weather":
            texts += [f"it looks {form}", f"the weather is {form}", f"it looks like {words.a(form)} day"]
        elif kind == "time":
            texts += [f"it looks like {form}", value, f"it is {value}"]
        else:
            texts += [f"the picture was taken {form}", f"it was taken {form}"]
    return texts


def _place(meaning: Meaning, value: str) -> list[str]:
    of = meaning.of
    if of is None:
        raise ValueError("`meaning.of` must be given for a place, got None")
    pronoun = subject(of)
    verb = be(pronoun)
    texts: list[str] = []
    for phrase in place_phrase(value):
        texts += [phrase, f"{pronoun} {verb} {phrase}", f"{pronoun}'{verb[-1] if verb == 'is' else 're'} {phrase}"]
        if not of.pronoun:
            texts.append(f"{name(of)} {'are' if of.many else 'is'} {phrase}")
    return texts


def _things(meaning: Meaning, value: str) -> list[str]:
    holder = subject(meaning.of) if meaning.kind == "holding" and meaning.of is not None else ""
    if not value:
        empty = [f"{holder} {be(holder)} not holding anything"] if holder else ["there is nothing there"]
        return ["nothing", "nothing at all", *empty]
    names = value.split("+")
    if names[0] == "2":
        many = words.NOUNS[names[1]][1][0]
        return [f"two {many}", f"the two {many}", f"2 {many}"]
    texts: list[str] = []
    for order in (names, names[::-1]):
        for choice in (0, 1):
            forms = [words.NOUNS[noun][0][min(choice, len(words.NOUNS[noun][0]) - 1)] for noun in order]
            listed = _listed([words.a(form) for form in forms])
            texts += [listed, _listed(forms)]
            if meaning.kind == "who":
                texts += [f"the {forms[0]}", f"the {forms[0]} is", f"it is the {forms[0]}"]
            elif holder:
                texts += [f"{holder} {be(holder)} holding {listed}", f"it is {listed}"]
            else:
                texts += [f"there is {listed}", f"i can see {listed}"]
                texts += [f"it is {listed}"] if len(order) == 1 else []
    return texts


def _garments(meaning: Meaning, value: str) -> list[str]:
    worn = [item.rpartition(" ") for item in value.split("+")]
    listed = _listed([garment(kind, shade) for shade, _, kind in worn])
    pronoun = "they" if meaning.of is None else subject(meaning.of)
    has = "have" if pronoun == "they" else "has"
    return [listed, f"{pronoun} {be(pronoun)} wearing {listed}", f"{pronoun} {has} {listed} on"]


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _none(meaning: Meaning, value: str) -> list[str]:
    if meaning.of is None or meaning.of.pronoun:
        return list(_NONE)
    article = "the" if meaning.of.many else "a"
    return [f"there is {name(meaning.of, 'no')}", f"i don't see {name(meaning.of, article)}", *_NONE]


_WORDINGS: dict[str, Callable[[Meaning, str], list[str]]] = {
    "yes": _yes,
    "no": _no,
    "number": _number,
    "word": _word,
    "place": _place,
    "things": _things,
    "garments": _garments,
    "none": _none,
    "unknown": lambda meaning, value: list(_UNKNOWN),
}


def valid_texts(meaning: Meaning, scene: Scene, focus: Focus | None = None) -> tuple[str, ...]:
    """All wordings of all true answers; a no may say what is the case instead ("no, it is blue")."""
    true = answers(meaning, scene, focus)
    texts = [text for answer in true for text in phrasings(meaning, answer)]
    if true[0].what == "no" and meaning.kind in _OPEN:
        asked = Meaning(_OPEN[meaning.kind], meaning.of)
        for instead in answers(asked, scene, focus):
            if _to_the_point(meaning, instead):
                facts = [text for text in phrasings(asked, instead) if " " in text]
                texts += [*facts, *(f"no, {fact}" for fact in facts)]
    return tuple(dict.fromkeys(texts))


def _to_the_point(meaning: Meaning, instead: Answer) -> bool:
    """Whether what is the case answers the question: another side for a side, the same other thing for a relation."""
    if instead.what == "word":
        return "+" not in instead.value
    if instead.what != "place":
        return False
    noun = instead.value.partition("/")[2]
    return not noun if meaning.kind == "is_side" else meaning.to is not None and noun == meaning.to.noun


def short(meaning: Meaning, answer: Answer) -> tuple[str, ...]:
    """How VQA annotators would write it, the usual form first."""
    if answer.what in ("yes", "no"):
        return (answer.what,)
    if answer.what == "number":
        count = int(answer.value)
        return (answer.value, words.NUMBERS[count]) if 0 < count < len(words.NUMBERS) else (answer.value,)
    if answer.what == "unknown":
        return ("unknown", "not sure", "can't tell")
    if answer.what == "none":
        return ("none", "nothing", "no")
    if answer.what == "place":
        return tuple(
            phrase.replace(" the ", " ") if "/" in answer.value else phrase for phrase in place_phrase(answer.value)
        )
    if answer.what == "things":
        nouns = answer.value.split("+")
        if not answer.value or nouns[0] == "2":
            return phrasings(meaning, answer)[:1]
        return tuple(
            " and ".join(words.NOUNS[noun][0][0] for noun in order) for order in (nouns, nouns[::-1])[: len(nouns)]
        )
    return phrasings(meaning, answer)[:1] if answer.what == "garments" else _short_word(meaning, answer.value)


def _short_word(meaning: Meaning, value: str) -> tuple[str, ...]:
    if meaning.kind in _FORMS:
        return tuple(form.removeprefix("a ") for form in _joined(_FORMS[meaning.kind], value))
    return {
        "weather": words.WEATHER_WORDS.get(value, (value,)),
        "time": (value, *words.TIMES.get(value, ())),
        "indoors": words.INDOORS.get(value, (value,)),
    }.get(meaning.kind, (value,))


def near_misses(meaning: Meaning, answer: Answer) -> tuple[Answer, ...]:
    """Wrong answers that a careless answerer might give to this question, always in the same order."""
    what, value = answer.what, answer.value
    if what in ("yes", "no"):
        return (Answer("no" if what == "yes" else "yes"), Answer("unknown"))
    if what == "number":
        return tuple(Answer("number", str(n)) for n in range(max(0, int(value) - 3), int(value) + 4) if n != int(value))
    if what == "word":
        options = {"weather": WEATHERS, "time": ("day", "night"), "indoors": ("in", "out")}.get(meaning.kind)
        if meaning.kind == "action" and meaning.of is not None and subject(meaning.of) == "it":
            options = ANIMAL_ACTIONS
        if options is None:
            options = tuple(SETTINGS) if meaning.kind in _WHOLE else tuple(_FORMS[meaning.kind])
        return tuple(Answer("word", option) for option in options if option != value)
    if what == "place":
        return tuple(Answer("place", place) for place in _PLACES if place != value)
    if what == "things":
        return tuple(Answer("things", noun) for noun in _THINGS if noun not in value)
    return (Answer("unknown"),)


_PLACES = (
    *("left", "right", "middle", "background"),
    *("on/dining table", "on/couch", "next to/person", "behind/car", "on/bed"),
)
_THINGS = ("cup", "dog", "cell phone", "book", "man", "woman", "cat", "bottle", "handbag", "chair", "car")
