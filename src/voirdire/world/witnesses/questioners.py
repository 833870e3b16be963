"""Questioners: each sees the candidates of a GuessWhat?! game and asks until it stops to guess.

The questioning witnesses know the scene. `recorded` asks the questions of the game's own dialogue, in real games too.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from voirdire.errors import UsageError
from voirdire.formats.coco import GameImage
from voirdire.formats.guesswhat import Answer
from voirdire.formats.scenes import Scene, Thing
from voirdire.providers import Registry
from voirdire.world.grammar import say
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import IT, Meaning, Ref
from voirdire.world.reference import refer
from voirdire.world.scene import SIDES, centre
from voirdire.world.scenes_oracle import guess_question, true_answer
from voirdire.world.truth import about, is_noun, person_noun
from voirdire.world.understand import understand
from voirdire.world.witnesses.answerers import seeded
from voirdire.world.words import KINDS, ORDINALS

_DESCRIPTIONS = 8
"""Descriptions of a thing that `confirming` tries."""
_EVERY = 3
"""Every so many questions `repetitive` asks a new one."""
_QUESTIONS = 5
"""Questions that `random` asks per game."""
_ATTEMPTS = 12
"""Draws of a question, or of its words, before `random` and `repetitive` take what there is."""


@dataclass(frozen=True, slots=True)
class GameState:
    """A game so far: what a questioner and a guesser may know of it.

    known       the scene; None for a real image, whose things have a category and a box and nothing else
    candidates  the things one of which is the target
    qas         the questions asked and their answers: yes, no or n/a
    image       its id, size and the name of its file
    recorded    the questions of the dialogue that is played anew
    """

    game_id: int
    known: Scene | None
    candidates: tuple[Thing, ...]
    qas: tuple[tuple[str, Answer], ...] = ()
    image: GameImage | None = None
    recorded: tuple[str, ...] = ()

    @property
    def scene(self) -> Scene:
        """What is to be seen; UsageError where that is not known."""
        if self.known is None:
            raise UsageError(
                f"game {self.game_id} has no scene, which this player needs; name the `scenes`, or another player: the "
                "questioner `recorded`, the guessers `random` and `salient`, or one of a plug-in"
            )
        return self.known

    def rng(self, seed: int, use: str) -> Random:
        """Chance that depends on the seed, the game and the turn alone."""
        return Random(f"{seed}/{self.game_id}/{len(self.qas)}/{use}")


class Questioner(Protocol):
    """Asks, or stops."""

    name: str

    def ask(self, state: GameState) -> str | None:
        """The next question; None to stop and guess."""
        ...


QUESTIONERS: Registry[Questioner] = Registry("questioner", "voirdire.questioners")


def make_questioner(name: str, seed: int = 0) -> Questioner:
    """The questioning witness of this name; UsageError where there is none."""
    return QUESTIONERS.make(f"{name}:{seed}")


def remaining(state: GameState) -> list[Thing]:
    """RS_t = {o ∈ RS_{t−1} : A(q_t, o) = a_t}: the candidates that fit all answers so far."""
    left: Sequence[Thing] = state.candidates
    for question, answer in state.qas:
        left = [thing for thing in left if true_answer(question, state.scene, thing) == answer]
    return list(left)


def _asked(state: GameState) -> set[Meaning | None]:
    """What has been asked."""
    return {understand(question) for question, _ in state.qas}


class Keen:
    """`keen`: asks the question that tells most, and stops when it knows or when nothing tells more."""

    name = "keen"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def ask(self, state: GameState) -> str | None:
        """The best question about what is left."""
        meaning = _best_question(state.scene, remaining(state))
        return None if meaning is None else say(meaning, state.rng(self.seed, self.name), "game")


def _best_question(scene: Scene, left: list[Thing]) -> Meaning | None:
    """The question that halves these things as nearly as one can; None where none splits them.

        the question with the smallest Σ_a n_a², where n_a counts the things left for which the answer is a

    That is the number of things that will be left, on average, times the number that are left now.
    """
    best, least = None, len(left) ** 2
    for meaning in dict.fromkeys(_questions(scene, left)):
        counts = Counter(about(meaning, scene, thing) for thing in left).values()
        after = sum(count * count for count in counts)
        if after < least:
            best, least = meaning, after
    return best


def _questions(scene: Scene, left: list[Thing]) -> Iterator[Meaning]:
    """All that one would ask about these things, the plainest first; that decides between equally good ones."""
    for thing in left:
        yield Meaning("is_a", IT, to=Ref(noun=thing.category))
    for thing in left:
        above = BY_NAME[thing.category].supercategory
        if above in KINDS:
            yield Meaning("is_kind", IT, above)
        elif above in ("animal", "vehicle"):
            yield Meaning("is_a", IT, to=Ref(noun=above))
    for thing in left:
        yield from _details(thing)
    for side in SIDES:
        yield Meaning("is_side", IT, side)
    for thing in left:
        yield from _orders(thing, scene)


def _details(thing: Thing) -> Iterator[Meaning]:
    if thing.gender:
        yield Meaning("is_a", IT, to=Ref(noun=person_noun(thing)))
    if thing.colour:
        yield Meaning("is_colour", IT, thing.colour)
    if thing.action:
        yield Meaning("is_action", IT, thing.action)
    for worn in thing.wears:
        yield Meaning("wears", IT, worn.kind)
        yield Meaning("wears", IT, worn.kind, worn.colour)
    if thing.material:
        yield Meaning("is_material", IT, thing.material)
    if thing.size != "medium":
        yield Meaning("is_size", IT, thing.size)


def _orders(thing: Thing, scene: Scene) -> Iterator[Meaning]:
    """Is it the second dog from the left?"""
    row = sorted((t for t in scene.things if is_noun(t, thing.category)), key=lambda t: centre(t)[0])
    place = row.index(thing)
    if 1 < len(row) <= len(ORDINALS):
        yield Meaning("nth", IT, f"{place + 1} left", to=Ref(noun=thing.category))


def _refers(meaning: Meaning, scene: Scene, thing: Thing) -> bool:
    """A(q, thing) = yes, and A(q, o) = no for every other thing of the scene."""
    return all(about(meaning, scene, other) == ("yes" if other.id == thing.id else "no") for other in scene.things)


class Confirming(Keen):
    """`confirming`: as keen, and then one question more, which only the thing that it has found fits.

    That question tells it nothing new: it is referring, and not effective.
    """

    name = "confirming"

    def ask(self, state: GameState) -> str | None:
        """The best question; when one thing is left, the question whether it is this one, once."""
        left = remaining(state)
        if len(left) != 1:
            return super().ask(state)
        before = _asked(state)
        if any(meaning is not None and _refers(meaning, state.scene, left[0]) for meaning in before):
            return None
        rng = state.rng(self.seed, self.name)
        for meaning in self._questions(state, left[0]):
            if meaning not in before and _refers(meaning, state.scene, left[0]):
                return say(meaning, rng, "game")
        return None

    def _questions(self, state: GameState, thing: Thing) -> Iterator[Meaning]:
        """By a description of it, or else by its place in the row of its category or of all things."""
        scene, rng = state.scene, state.rng(self.seed, "refer")
        for _ in range(_DESCRIPTIONS):
            ref = refer(thing, scene, rng)
            if ref is not None:
                yield Meaning("is_the", IT, to=ref)
        for noun in (thing.category, ""):
            row = [t for t in scene.things if not noun or is_noun(t, noun)]
            for side in ("left", "right"):
                row.sort(key=lambda t: centre(t)[0], reverse=side == "right")
                place = row.index(thing)
                if place < len(ORDINALS):
                    yield Meaning("nth", IT, f"{place + 1} {side}", to=Ref(noun=noun) if noun else None)


class Repetitive(Keen):
    """`repetitive`: after its first question it asks, two times in three, an earlier question in other words.

    Only every third question is a new one, and the others tell it nothing. It stops when the keen one would, but never
    before it has repeated itself.
    """

    name = "repetitive"

    def ask(self, state: GameState) -> str | None:
        """A new question, or one of the old ones in other words."""
        if len(state.qas) % _EVERY == 0:
            return super().ask(state)
        rng = state.rng(self.seed, self.name)
        before = {question for question, _ in state.qas}
        meaning = understand(rng.choice(state.qas)[0])
        if meaning is None:
            return None
        texts = [say(meaning, rng, "game") for _ in range(_ATTEMPTS)]
        return next((text for text in texts if text not in before), texts[0])


class Aimless:
    """`random`: sensible questions about whatever is in the picture, regardless of what is known already.

    It asks five questions, unless it has found the target by then; it does not ask the same thing twice.
    """

    name = "random"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def ask(self, state: GameState) -> str | None:
        """A question about any of the candidates, also of those that are out of the question."""
        if len(state.qas) >= _QUESTIONS or len(remaining(state)) == 1:
            return None
        rng, before = state.rng(self.seed, self.name), _asked(state)
        for _ in range(_ATTEMPTS):
            meaning = guess_question(state.scene, list(state.candidates), rng)
            if meaning not in before:
                return say(meaning, rng, "game")
        return None


class Recorded:
    """`recorded`: asks the recorded questions again, for another oracle and another guesser."""

    name = "recorded"

    def ask(self, state: GameState) -> str | None:
        """The next question of the game's own dialogue."""
        return state.recorded[len(state.qas)] if len(state.qas) < len(state.recorded) else None


QUESTIONERS.register("recorded")(lambda argument: Recorded())
QUESTIONERS.register("keen")(seeded(Keen))
QUESTIONERS.register("confirming")(seeded(Confirming))
QUESTIONERS.register("repetitive")(seeded(Repetitive))
QUESTIONERS.register("random")(seeded(Aimless))
