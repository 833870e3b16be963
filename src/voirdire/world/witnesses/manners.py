"""Manners: ways of speaking that a witness may have beside its flaw: `witness:truthful+hedges`.

    lists      answers every question that it is given: several in a numbered list
    repeats    says again what it was asked, and then answers
    hedges     "I think it is brown."
    explains   says why before it says what
    json       answers in an object of JSON
    thinks     thinks aloud first, <think>…</think>, as models do that were trained to reason
    yes        says yes, whatever it is asked
    foreign    speaks German

A manner changes the words and not what is meant; the last two leave little of it. Each has several wordings; which one
is taken depends on the task and nothing else, so that a witness with a flaw and one without it speak alike. The
wordings are those of chat models, and are not there to be changed: where one cannot be read, it is the reading that is
mended, in a way that suits others, too. What is to be said may be:

    words    an answer in a few words, or one word of the few that a question allows, such as yes or no
    number   of an object
    question a question of the witness's own, in a game
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["words", "number", "question"]


class Plain(NamedTuple):
    """What a witness would say without a manner.

    kind   what sort of thing it is
    text   the plain words
    asked  what it was asked
    rng    chance that depends on the task alone
    """

    kind: Kind
    text: str
    asked: str
    rng: Random


Manner: TypeAlias = Callable[[Plain], str]
_Wordings: TypeAlias = Mapping[Kind, Sequence[str]]

_HEDGES: _Wordings = {
    "words": (
        "I think it is {text}.",
        "Probably {text}.",
        "I'm not entirely sure, but it appears to be {text}.",
        "It's hard to say for certain, but I would say {text}.",
        "I believe the answer is {text}.",
        "Most likely {text}, but I could be wrong.",
    ),
    "number": (
        "I think it is number {text}.",
        "Probably object {text}.",
        "My best guess would be {text}.",
        "I'm not sure, but I would go for number {text}.",
    ),
    "question": (
        "I think I would ask: {text}",
        "I'm not sure if this helps, but {lower}",
        "Maybe a good question would be: {text}",
    ),
}
_SURE: Mapping[str, Sequence[str]] = {
    "yes": (
        "Yes, I think so.",
        "I think so, yes.",
        "Probably yes.",
        "I'm not completely sure, but I would say yes.",
        "I believe the answer is yes.",
        "It seems so, but I could be wrong: yes.",
    ),
    "no": (
        "No, I don't think so.",
        "I don't think so, no.",
        "Probably not, so no.",
        "I'm not completely sure, but I would say no.",
        "I believe the answer is no.",
        "It does not seem so, but I could be wrong: no.",
    ),
}
_EXPLAINS: _Wordings = {
    "words": (
        "The picture has several things in it, and I looked at each of them. So the answer is {text}.",
        "To answer this, one has to find what is asked about and look at it closely. I did. Therefore, {text}.",
        "There are a few things to consider here, and only one of them matters.\n\nAnswer: {text}",
        "Let me go through it step by step. First I find what the question is about, then I check it.\n\n"
        "**Final answer:** {text}",
        "Nothing that was said before speaks against it, and what can be seen supports it. Hence the answer is {text}.",
    ),
    "number": (
        "The first answers leave few objects, and the last one decides. So it is number {text}.",
        "Number {other} does not fit the last answer, while number {text} fits all of them.\n\nAnswer: {text}",
        "Going through the list, I exclude what does not fit. **Final answer:** {text}",
    ),
    "question": (
        "What is left differs in few ways, so a question should split it in two. My question: {text}",
        "I know a little by now, and want to exclude as many objects as I can.\n\n{text}",
        "Could it be anything? Hardly. So I should ask about something that only some have.\n\nQuestion: {text}",
    ),
}
_REPEATS: _Wordings = {
    "words": (
        "{asked} {Text}.",
        "Q: {asked}\nA: {text}",
        '"{asked}" – {text}',
        "**{asked}**\n\n{Text}",
        "You asked: {asked} The answer is {text}.",
    ),
    "number": ("{asked} Number {text}.", "You asked: {asked} It is {text}.", "**{asked}**\n\n{text}"),
    "question": ("{asked} {text}", "You asked: {asked} Here it is: {text}", "**{asked}**\n\n{text}"),
}
_JSON: _Wordings = {
    "words": ("answer", "answer", "response", "answer"),
    "number": ("object", "answer", "number"),
    "question": ("question", "next_question", "question"),
}
"""The names under which the answer stands."""
_MUSING = (
    "Okay, let me think about this carefully. I am given a picture and I should not rush. First I go over everything "
    "that is in it, from left to right, and then I come back to what matters. There may be something that I "
    "overlooked, so I look again. "
)
_THOUGHTS: _Wordings = {
    "words": (
        "So the question is: {asked} At first I would say yes, but wait, there are 3 things. No, that is not it. The "
        "answer should be {text}.",
        "The user asks something about the picture. It could be no. Or is it 2? I should double-check. Yes, {text}.",
    ),
    "number": (
        "Number {other} would be possible. But the second answer was no, so it can't be 1. That leaves number {text}.",
    ),
    "question": (
        "I should ask something useful. Is it a person? That was answered already. Is it red? Maybe later. I could "
        "ask: {text}",
    ),
}
"""What is thought after `_MUSING`, for which a reply without thoughts has no room."""
_TAGS = ("<think>\n{thought}\n</think>\n\n{text}", "<think>{thought}</think>{text}", "{thought}\n</think>\n\n{text}")
_GERMAN = {
    **{"yes": "ja", "no": "nein", "true": "wahr", "false": "falsch", "open": "offen", "n/a": "trifft nicht zu"},
    **{"red": "rot", "green": "grün", "blue": "blau", "yellow": "gelb", "black": "schwarz", "white": "weiß"},
    **{"brown": "braun", "gray": "grau", "pink": "rosa", "purple": "lila", "orange": "orangefarben"},
    **{"0": "null", "1": "eins", "2": "zwei", "3": "drei", "4": "vier", "5": "fünf", "6": "sechs", "7": "sieben"},
    **{"a": "ein", "an": "ein", "the": "der", "and": "und", "is": "ist", "it": "es", "does": "tut", "do": "tun"},
    **{"on": "auf", "in": "in", "left": "links", "right": "rechts", "middle": "Mitte", "behind": "hinter"},
    **{"under": "unter", "next": "neben", "to": "zu", "of": "von", "man": "Mann", "woman": "Frau", "boy": "Junge"},
    **{"girl": "Mädchen", "person": "Person", "dog": "Hund", "cat": "Katze", "bird": "Vogel", "horse": "Pferd"},
    **{"table": "Tisch", "chair": "Stuhl", "car": "Auto", "big": "groß", "large": "groß", "small": "klein"},
    **{"day": "Tag", "night": "Nacht", "walking": "geht", "sitting": "sitzt", "standing": "steht", "what": "was"},
}
_SENTENCES = ("Das ist {text}.", "Ich sehe: {text}.", "Die Antwort lautet {text}.")


def _say(wording: str, plain: Plain) -> str:
    text = plain.text
    places = {
        "text": text,
        "Text": text[:1].upper() + text[1:],
        "lower": text if text.isupper() else text[:1].lower() + text[1:],
        "asked": plain.asked,
        # Another object, which is spoken of but not meant.
        "other": "1" if text != "1" else "2",
    }
    return re.sub(r"\{(\w+)\}", lambda match: places[match[1]], wording)


def _worded(wordings: _Wordings) -> Manner:
    return lambda plain: _say(plain.rng.choice(wordings[plain.kind]), plain)


def _hedges(plain: Plain) -> str:
    return _say(plain.rng.choice(_SURE.get(plain.text, _HEDGES[plain.kind])), plain)


def _in_json(plain: Plain) -> str:
    """An object alone, or in a fence, or with more than the answer in it."""
    value: str | int = int(plain.text) if plain.kind == "number" else plain.text
    name = plain.rng.choice(_JSON[plain.kind])
    fields = plain.rng.choice(({name: value}, {name: value, "confidence": 0.9}, {"task": plain.asked, name: value}))
    return plain.rng.choice(("{text}", "```json\n{text}\n```")).replace(
        "{text}", json.dumps(fields, indent=plain.rng.choice((None, 2)))
    )


def _thinks(plain: Plain) -> str:
    thought = _MUSING + _say(plain.rng.choice(_THOUGHTS[plain.kind]), plain)
    return plain.rng.choice(_TAGS).replace("{thought}", thought).replace("{text}", plain.text)


def _says_yes(plain: Plain) -> str:
    return plain.rng.choice(("Yes.", "yes", "Yes, absolutely."))


def _in_german(plain: Plain) -> str:
    """Word for word; a word that it does not know stays."""
    text = re.sub(r"[\w/]+", lambda match: _GERMAN.get(match[0].lower(), match[0]), plain.text)
    whole = plain.kind == "question" or plain.text in ("yes", "no")
    return (
        text.capitalize() + "." * (plain.kind != "question")
        if whole
        else _say(plain.rng.choice(_SENTENCES), plain._replace(text=text))
    )


LISTS = "lists"
MANNERS: Mapping[str, Manner] = {
    LISTS: lambda plain: plain.text,
    "repeats": _worded(_REPEATS),
    "hedges": _hedges,
    "explains": _worded(_EXPLAINS),
    "json": _in_json,
    "thinks": _thinks,
    "yes": _says_yes,
    "foreign": _in_german,
}
"""By name, how a plain answer is said; of several questions only `lists` answers all."""


def numbered(answers: Sequence[str]) -> str:
    """Several answers, one per line."""
    return "\n".join(f"{place}. {answer}" for place, answer in enumerate(answers, 1))
