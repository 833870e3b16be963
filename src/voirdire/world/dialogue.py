"""A caption of a scene, a ten-round dialogue about it in the manner of VisDial, and each round's hundred candidates.

The questioner knows the caption and the answers so far: new things come in by questions of existence and number, and
what has been named is asked about by pronoun. The answerer sees the scene and says the truth, in one word or in a
sentence.

Among the hundred candidates of a round are the true answer, other true wordings, near misses, popular answers and
answers to other questions, all different and in random order. A candidate is valid exactly if it is a wording of a true
answer. A judge passes a valid candidate with the chance 1 - MISS and an invalid one with the chance FALSE_ALARM; the
relevance of a candidate is the share of the five judges who pass it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

import numpy as np
import numpy.typing as npt

from voirdire.formats.scenes import Scene, Thing
from voirdire.world import words
from voirdire.world.answer_wordings import near_misses, phrasings, valid_texts
from voirdire.world.grammar import say
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.random_questions import ask_about, ask_scene
from voirdire.world.reference import Conversation, refer
from voirdire.world.scene import make_scene
from voirdire.world.truth import Answer, answers, denotes, person_noun

ROUNDS = 10
CANDIDATES = 100
JUDGES, MISS, FALSE_ALARM = 5, 0.15, 0.01
_VALID, _NEAR, _MISSES, _POPULAR_DRAWN = 10, 24, 6, 26
_POPULAR_TEXT = """
yes|no|white|2|not that i can see|1|black|brown|can't tell|i can't tell|yes, it is|no, it isn't|blue|red|3|green|gray|0
4|i don't think so|i think so|not sure|yes, there are|nope|yep|5|outside|inside|yes, he is|no, he isn't|yes, she is
no, she isn't|daytime|sunny|standing|sitting|i don't know|6|on the left|on the table|it is sunny|wood|hard to tell
there are none|just one|no, i don't see any|a man|a woman|yes, they are|no, they aren't
"""
_POPULAR = tuple(text for line in _POPULAR_TEXT.strip().split("\n") for text in line.split("|"))
_SAMPLED_SCENES = 500


@dataclass(frozen=True, slots=True)
class Round:
    """One question with its true answer; `valid` holds every text that would have been a true answer."""

    meaning: Meaning
    question: str
    content: Answer
    answer: str
    valid: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SceneDialogue:
    """A caption and ten rounds."""

    caption: str
    rounds: tuple[Round, ...]


def make_dialogue(scene: Scene, rng: Random) -> SceneDialogue:
    """The dialogue about a scene; a pronoun always refers as `Conversation` says."""
    caption = make_caption(scene, rng)
    conversation = Conversation(scene, caption)
    asked: set[object] = set()
    rounds: list[Round] = []
    while len(rounds) < ROUNDS:
        meaning = _next_question(conversation, rng)
        if meaning is None or (rng.random() < 0.85 and _strange(meaning, conversation)):
            continue
        things = () if meaning.of is None else tuple(t.id for t in denotes(meaning.of, scene, conversation.focus))
        key = (meaning.kind, meaning.value, meaning.shade, meaning.relation, meaning.to, things)
        settled = (_FAMILIES.get(meaning.kind, meaning.kind), things)
        if key in asked or settled in asked:
            continue
        content = answers(meaning, scene, conversation.focus)[0]
        if content.what in ("none", "unknown"):
            continue
        asked.add(key)
        if meaning.kind in _FAMILIES and content.what != "no":
            asked.add(settled)
        valid = valid_texts(meaning, scene, conversation.focus)
        answer = _choose(meaning, content, valid, rng)
        rounds.append(Round(meaning, say(meaning, rng, "visdial"), content, answer, valid))
        conversation.add(meaning)
    return SceneDialogue(caption, tuple(rounds))


# Questions that another one of the same family makes pointless, once it is answered.
_FAMILIES = {
    **{f"{prefix}{kind}": kind for kind in ("colour", "size", "material", "action", "age") for prefix in ("", "is_")},
    **{f"{prefix}{kind}": kind for kind in ("setting", "weather", "time", "indoors") for prefix in ("", "is_")},
    **{"exists": "number", "count": "number", "room": "setting", "in_colour": "photo", "black_white": "photo"},
}


def _strange(meaning: Meaning, conversation: Conversation) -> bool:
    """Whether a question names a thing that a questioner who sees no picture has not heard of."""
    if meaning.kind == "who":
        return True
    named = [meaning.to] if meaning.kind not in ("is_a", "is_holding", "more") else []
    named += [meaning.of.other] if meaning.of is not None else []
    known = conversation.known
    return any(t.id not in known for ref in named if ref is not None for t in denotes(ref, conversation.scene))


def _next_question(conversation: Conversation, rng: Random) -> Meaning | None:
    scene, draw = conversation.scene, rng.random()
    if conversation.last and draw < 0.5:
        pronoun = conversation.last if rng.random() < 0.8 else rng.choice(sorted(conversation.focus))
        return ask_about(conversation.focus[pronoun], Ref(pronoun=pronoun), scene, rng)
    if conversation.known and draw < 0.65:
        thing = rng.choice(list(conversation.known.values()))
        ref = refer(thing, scene, rng, brevity=0.9)
        return None if ref is None else ask_about([thing], ref, scene, rng)
    return ask_scene(scene, rng)


def _choose(meaning: Meaning, content: Answer, valid: tuple[str, ...], rng: Random) -> str:
    """Half of the answers are the shortest; the rest are any, and a no sometimes says what is the case instead."""
    draw = rng.random()
    wordings = phrasings(meaning, content)
    if draw < 0.5:
        return wordings[0]
    if content.what == "no" and draw < 0.75 and len(valid) > len(wordings):
        return valid[len(wordings) + int(rng.random() * (len(valid) - len(wordings)))]
    return wordings[int(rng.random() * len(wordings))]


def make_caption(scene: Scene, rng: Random) -> str:
    """One sentence in lower case without a full stop."""
    place = words.SETTING_PHRASES[scene.setting][0]
    groups = _groups(scene)
    rng.shuffle(groups)
    groups.sort(key=lambda group: -max(thing.bbox[2] * thing.bbox[3] for thing in group))
    if rng.random() < 0.25:
        listed = " and ".join(_several(group, rng) for group in groups[: rng.choice((1, 2))])
        return f"{words.a(scene.setting)} with {listed}"
    alive = [group for group in groups if group[0].action] or groups
    main = alive[0]
    text = _several(main, rng)
    actions = {thing.action for thing in main}
    if len(actions) == 1 and "" not in actions and rng.random() < 0.7:
        text = f"{text} {actions.pop()}"
    thing = main[0]
    under = [other for other in scene.things if other.id == thing.on]
    if len(main) == 1 and under and rng.random() < 0.7:
        return f"{text} on {_several(under, rng)} {place}"
    others = [group for group in groups if group is not main and group[0].category != thing.category]
    if others and rng.random() < 0.65:
        joint = rng.choice(("and", "with", "next to"))
        joint = "and" if joint == "next to" and len(main) > 1 else joint
        text = f"{text} {joint} {_several(others[0], rng)}"
    return f"{text} {place}"


def _groups(scene: Scene) -> list[list[Thing]]:
    groups: dict[str, list[Thing]] = {}
    for thing in scene.things:
        groups.setdefault(person_noun(thing), []).append(thing)
    return list(groups.values())


def _several(group: list[Thing], rng: Random) -> str:
    """The group as a caption names it: a red car, two dogs."""
    (singular, *_), (plural, *_) = words.NOUNS[person_noun(group[0])]
    if len(group) > 1:
        return f"{words.NUMBERS[len(group)] if len(group) < 7 else 'many'} {plural}"
    colour = group[0].colour
    return words.a(f"{colour} {singular}" if colour and colour != singular and rng.random() < 0.35 else singular)


class TextPool:
    """Texts by number, in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def add(self, text: str) -> int:
        """The number of a text, a new one where the text is new."""
        return self.numbers.setdefault(text, len(self.numbers))

    def texts(self) -> list[str]:
        """All texts in the order of their numbers."""
        return list(self.numbers)


@cache
def _others() -> tuple[str, ...]:
    """Answers to questions about scenes of another world, always the same ones."""
    texts: dict[str, None] = {}
    for index in range(_SAMPLED_SCENES):
        scene, rng = make_scene(-1, index), Random(f"others/{index}")
        for _ in range(16):
            ref = refer(rng.choice(scene.things), scene, rng, brevity=0.8)
            meaning = ask_scene(scene, rng)
            if ref is not None and rng.random() < 0.7:
                meaning = ask_about(denotes(ref, scene), ref, scene, rng) or meaning
            wordings = phrasings(meaning, answers(meaning, scene)[0])
            texts.update(dict.fromkeys(rng.sample(wordings, min(2, len(wordings)))))
    return tuple(text for text in texts if text not in _POPULAR)


def draw_candidates(
    rounds: Sequence[Round], pool: TextPool, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16], npt.NDArray[np.bool_]]:
    """Options int32[n, 100] as numbers of the pool, the true answer's place int16[n], and which are valid bool[n, 100].

    The popular and the other answers must have been put into the pool by `seed_pool` before.
    """
    count, fixed = len(rounds), len(_POPULAR)
    popular = rng.random((count, fixed)).argsort(axis=1)[:, :_POPULAR_DRAWN].tolist()
    # One from each hundredth of the others: all different, so that together with the rest there are always enough.
    width = len(_others()) // CANDIDATES
    drawn = rng.integers(0, width, (count, CANDIDATES)) + width * np.arange(CANDIDATES) + fixed
    others = rng.permuted(drawn, axis=1).tolist()
    picks = rng.integers(0, 1 << 20, (count, 2)).tolist()
    rows: list[list[int]] = []
    numbers, number = pool.numbers, pool.numbers.setdefault
    for row, round_ in enumerate(rounds):
        true = set(round_.valid)
        texts = [round_.answer, *_spread(round_.valid, _VALID, picks[row][0])]
        texts += [text for text in _wrong(round_, picks[row][1]) if text not in true]
        chosen = dict.fromkeys([number(text, len(numbers)) for text in texts])
        chosen.update(dict.fromkeys(popular[row]))
        chosen.update(dict.fromkeys(others[row]))
        rows.append(list(chosen)[:CANDIDATES])
    options = rng.permuted(np.array(rows, np.int32), axis=1)
    truths = np.array([numbers[round_.answer] for round_ in rounds], np.int32)
    places = (options == truths[:, None]).argmax(axis=1).astype(np.int16)
    valid = np.zeros((count, CANDIDATES), bool)
    for row, (round_, offered) in enumerate(zip(rounds, options.tolist(), strict=True)):
        true_numbers = {numbers.get(text) for text in round_.valid}
        valid[row] = [place in true_numbers for place in offered]
    return options, places, valid


def seed_pool() -> TextPool:
    """A pool that begins with the popular answers and the answers to other questions."""
    pool = TextPool()
    for text in (*_POPULAR, *_others()):
        pool.add(text)
    return pool


def _spread(texts: tuple[str, ...], count: int, pick: int) -> tuple[str, ...]:
    """`count` of the texts, evenly over all of them from a random start."""
    if len(texts) <= count:
        return texts
    step = len(texts) / count
    return tuple(texts[(pick + int(step * n)) % len(texts)] for n in range(count))


def _wrong(round_: Round, pick: int) -> list[str]:
    misses = near_misses(round_.meaning, round_.content)
    some = [misses[(pick + n) % len(misses)] for n in range(min(_MISSES, len(misses)))]
    each = _NEAR // len(some)
    return [text for miss in some for text in _spread(phrasings(round_.meaning, miss), each, pick)]


def judge(valid: npt.NDArray[np.bool_], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """The relevance of each candidate: the share of the judges who deem it valid."""
    passed = rng.random((JUDGES, *valid.shape)) < np.where(valid, 1 - MISS, FALSE_ALARM)
    relevance: npt.NDArray[np.float64] = passed.sum(axis=0) / JUDGES
    return relevance
