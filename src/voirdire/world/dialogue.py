"""A ten-round dialogue about a scene, in the manner of VisDial.

The questioner knows the caption and the answers so far: new things come in by questions of existence and number, and
what has been named is asked about by pronoun. The answerer sees the scene and says the truth, in one word or in a
sentence.
"""

from dataclasses import dataclass
from random import Random

from voirdire.formats.scenes import Scene
from voirdire.world.answering import phrasings, valid_texts
from voirdire.world.asking import ask_about, ask_scene
from voirdire.world.caption import make_caption
from voirdire.world.discourse import Discourse
from voirdire.world.grammar import say
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.refer import refer
from voirdire.world.truth import Answer, answers, denotes

__all__ = ["ROUNDS", "Dialogue", "Round", "make_dialogue"]

ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Round:
    """One question with its true answer; `valid` holds every text that would have been a true answer."""

    meaning: Meaning
    question: str
    content: Answer
    answer: str
    valid: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A caption and ten rounds."""

    caption: str
    rounds: tuple[Round, ...]


def make_dialogue(scene: Scene, rng: Random) -> Dialogue:
    """The dialogue about a scene; a pronoun always refers as `Discourse` says."""
    caption = make_caption(scene, rng)
    discourse = Discourse(scene)
    discourse.hear_caption(caption)
    asked: set[object] = set()
    rounds: list[Round] = []
    while len(rounds) < ROUNDS:
        meaning = _next_question(discourse, rng)
        if meaning is None or (rng.random() < 0.85 and _strange(meaning, discourse)):
            continue
        things = () if meaning.of is None else tuple(t.id for t in denotes(meaning.of, scene, discourse.focus))
        key = (meaning.kind, meaning.value, meaning.shade, meaning.relation, meaning.to, things)
        settled = (_FAMILIES.get(meaning.kind, meaning.kind), things)
        if key in asked or settled in asked:
            continue
        content = answers(meaning, scene, discourse.focus)[0]
        if content.what in ("none", "unknown"):
            continue
        asked.add(key)
        if meaning.kind in _FAMILIES and content.what != "no":
            asked.add(settled)
        valid = valid_texts(meaning, scene, discourse.focus)
        answer = _choose(meaning, content, valid, rng)
        rounds.append(Round(meaning, say(meaning, rng, "visdial"), content, answer, valid))
        discourse.hear(meaning)
    return Dialogue(caption, tuple(rounds))


# Questions that another one of the same family makes pointless, once it is answered.
_FAMILIES = {
    "colour": "colour",
    "is_colour": "colour",
    "size": "size",
    "is_size": "size",
    "material": "material",
    "is_material": "material",
    "action": "action",
    "is_action": "action",
    "age": "age",
    "is_age": "age",
    "exists": "number",
    "count": "number",
    "setting": "setting",
    "room": "setting",
    "is_setting": "setting",
    "weather": "weather",
    "is_weather": "weather",
    "time": "time",
    "is_time": "time",
    "indoors": "indoors",
    "is_indoors": "indoors",
    "in_colour": "photo",
    "black_white": "photo",
}


def _strange(meaning: Meaning, discourse: Discourse) -> bool:
    """Whether a question names a thing that a questioner who sees no picture has not heard of."""
    if meaning.kind == "who":
        return True
    named = [meaning.to] if meaning.kind not in ("is_a", "is_holding", "more") else []
    named += [meaning.of.other] if meaning.of is not None else []
    known = discourse.known
    return any(t.id not in known for ref in named if ref is not None for t in denotes(ref, discourse.scene))


def _next_question(discourse: Discourse, rng: Random) -> Meaning | None:
    scene, draw = discourse.scene, rng.random()
    if discourse.last and draw < 0.5:
        pronoun = discourse.last if rng.random() < 0.8 else rng.choice(sorted(discourse.focus))
        return ask_about(discourse.focus[pronoun], Ref(pronoun=pronoun), scene, rng)
    if discourse.known and draw < 0.65:
        thing = rng.choice(list(discourse.known.values()))
        ref = refer(thing, scene, rng, brevity=0.9)
        return None if ref is None else ask_about([thing], ref, scene, rng)
    return ask_scene(scene, rng)


def _choose(meaning: Meaning, content: Answer, valid: tuple[str, ...], rng: Random) -> str:
    """Half of the answers are the shortest; the rest are any, and a no sometimes says what is the case instead."""
    draw = rng.random()
    said = phrasings(meaning, content)
    if draw < 0.5:
        return said[0]
    if content.what == "no" and draw < 0.75 and len(valid) > len(said):
        return valid[len(said) + int(rng.random() * (len(valid) - len(said)))]
    return said[int(rng.random() * len(said))]
