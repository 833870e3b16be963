"""What each turn of a dialogue says, as claims: a topic, and whether it is so.

    is it sunny, no                  (the weather is sunny, false)
    what color is the dog, brown     (the dog is brown, true)
    a brown dog in a park            (there is a dog, true), (there is a brown dog, true), (it is a park, true)

A topic is the senses of its words. Two ways to ask the same make one topic, and a pronoun is what it refers to. Whether
a claim is true is looked up in the scene, so the answerer knows it before it is asked.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from voirdire.formats.scenes import Scene
from voirdire.world.meaning import YES_NO, Meaning, Ref
from voirdire.world.reference import Conversation
from voirdire.world.truth import Focus, answers, person_noun
from voirdire.world.understand import chunk, normal_words, split_questions, understand

__all__ = ["Claim", "Topic", "claims", "topic_of"]

# Questions for a value, and the yes/no question that the answer settles.
_SETTLED = {"setting": "is_setting", "room": "is_setting"} | {
    kind: f"is_{kind}"
    for kind in ("colour", "size", "material", "shape", "action", "side", "gender", "age", "weather", "time", "indoors")
}


# Kinds of questions that the words of a statement say already.
_PLAIN = frozenset(("exists", "relation", "wears"))

Topic = tuple[str, ...]


class Claim(NamedTuple):
    """A topic that a turn settles, and how."""

    topic: Topic
    true: bool


def topic_of(meaning: Meaning) -> Topic:
    """The senses that a yes/no question is about, the same for all ways to ask it: ("dog", "brown")."""
    words = [] if meaning.kind in _PLAIN or meaning.kind.startswith("is_") else [meaning.kind]
    words += [*_senses(meaning.of), meaning.value, meaning.shade, meaning.relation, *_senses(meaning.to)]
    return tuple(dict.fromkeys(filter(None, words))) or (meaning.kind,)


def _senses(ref: Ref | None) -> list[str]:
    if ref is None:
        return []
    own = [ref.size, ref.colour, ref.material, ref.noun, ref.pronoun, ref.side, ref.shade, ref.garment, ref.relation]
    return [*own, *_senses(ref.other)]


def claims(scene: Scene, caption: str, rounds: Sequence[str]) -> list[list[Claim]]:
    """The claims of each turn, that of the caption first; `rounds` are the questions in their order."""
    conversation = Conversation(scene)
    conversation.hear_caption(caption)
    found = [_of_caption(caption)]
    for question in rounds:
        parts = split_questions(question)
        meaning = understand(parts[0]) if parts else None
        found.append([] if meaning is None else _of_round(meaning, scene, conversation.focus))
        if meaning is not None:
            conversation.hear(meaning)
    return found


def _of_caption(caption: str) -> list[Claim]:
    """What a caption mentions is there."""
    topics: dict[Topic, None] = {}
    for piece in chunk(list(normal_words(caption))):
        if piece.symbol in ("I", "B"):
            plain = Ref(noun=piece.payload.noun)
            for ref in (plain, msgspec.structs.replace(plain, colour=piece.payload.colour)):
                topics[topic_of(Meaning("exists", ref))] = None
        elif piece.symbol in ("P", "Q"):
            topics[topic_of(Meaning("is_setting", value=piece.payload))] = None
    return [Claim(topic, True) for topic in topics]


def _of_round(meaning: Meaning, scene: Scene, focus: Focus) -> list[Claim]:
    answer = answers(meaning, scene, focus)[0]
    if answer.what in ("none", "unknown", "n/a"):
        return []
    named = _named(meaning, focus)
    if meaning.kind in YES_NO:
        return [Claim(topic_of(named), answer.what == "yes")]
    settled = msgspec.structs.replace(named, kind=_SETTLED.get(meaning.kind, meaning.kind))
    # A garment's colour or a number stands beside the garment or the noun, in the place of a shade.
    place = "value" if not settled.value else "shade"
    return [Claim(topic_of(msgspec.structs.replace(settled, **{place: answer.value})), True)]


def _named(meaning: Meaning, focus: Focus) -> Meaning:
    """The question with nouns for its pronouns."""
    refs = {}
    for role in ("of", "to"):
        ref = getattr(meaning, role)
        if ref is not None and ref.pronoun and focus.get(ref.pronoun):
            things = focus[ref.pronoun]
            refs[role] = Ref(noun=person_noun(things[0]), many=len(things) > 1)
    return msgspec.structs.replace(meaning, **refs) if refs else meaning
