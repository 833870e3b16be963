"""How a speaker picks out a thing, and what a pronoun refers to.

A description is the shortest that fits a thing alone, or now and then a longer one. A pronoun is the last thing spoken
of that it fits: he and she are people, it is any other single thing, they are several. A caption mentions things ("a
man and two dogs"), and so does every question, by a description or by a pronoun. What a question is about comes last,
so that it is in front of anything else that it names. Answers change nothing, but that an existence question mentions
something only where it is there.
"""

from collections.abc import Iterable
from random import Random

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.scene import related
from voirdire.world.truth import denotes, is_noun, person_noun
from voirdire.world.understand import chunk, normal_words

_RELATIONS = ("next to", "behind", "in front of", "left of", "right of", "below")
_SIDES = ("left", "right", "middle", "foreground", "background")


def _noun_for(thing: Thing, rng: Random) -> str:
    """The noun that a speaker would use: mostly the most exact one, sometimes person, child, animal or vehicle."""
    if rng.random() < 0.1:
        if thing.gender:
            return "person" if thing.age != "child" or rng.random() < 0.5 else "child"
        above = BY_NAME[thing.category].supercategory
        if above in ("animal", "vehicle"):
            return above
    return person_noun(thing)


def alone_of_kind(scene: Scene) -> list[Thing]:
    """The things that are the only one of their noun, so that "the noun" is enough to name them."""
    names = [person_noun(thing) for thing in scene.things]
    return [thing for thing, name in zip(scene.things, names, strict=True) if names.count(name) == 1]


def refer(thing: Thing, scene: Scene, rng: Random, brevity: float = 0.5) -> Ref | None:
    """A description of this thing and of no other; None where a few attempts find none.

    `brevity` is the chance to leave it at the noun where that is enough.
    """
    noun = _noun_for(thing, rng)
    enough = sum(is_noun(other, noun) for other in scene.things) == 1
    if enough and rng.random() < brevity:
        return Ref(noun=noun)
    for _ in range(4):
        ref = _describe(thing, noun, scene, rng)
        if ref is not None and denotes(ref, scene) == [thing]:
            return ref
    return Ref(noun=noun) if enough else None


def _describe(thing: Thing, noun: str, scene: Scene, rng: Random) -> Ref | None:
    size = thing.size if thing.size != "medium" and rng.random() < 0.15 else ""
    colour = thing.colour if rng.random() < 0.4 and noun != thing.colour else ""
    material = thing.material if rng.random() < 0.12 else ""
    draw = rng.random()
    if draw < 0.25:
        side = rng.choice(_SIDES)
        return Ref(noun=noun, size=size, colour=colour, material=material, side=side)
    if draw < 0.6 and thing.wears:
        worn = rng.choice(thing.wears)
        return Ref(noun=noun, garment=worn.kind, shade=worn.colour)
    if draw < 0.75:
        other = rng.choice(alone_of_kind(scene) or [thing])
        relation = "on" if thing.on == other.id else rng.choice(_RELATIONS)
        if related(thing, relation, other):
            beside = Ref(noun=person_noun(other))
            return Ref(noun=noun, size=size, colour=colour, material=material, relation=relation, other=beside)
        return None
    return Ref(noun=noun, size=size, colour=colour, material=material)


def refer_all(scene: Scene, rng: Random) -> tuple[Ref, list[Thing]] | None:
    """A plural description ("the dogs") and what it denotes, where several things have one noun."""
    names = [person_noun(thing) for thing in scene.things]
    several = sorted({name for name in names if names.count(name) > 1})
    if not several:
        return None
    ref = Ref(noun=rng.choice(several), many=True)
    return ref, denotes(ref, scene)


class Conversation:
    """The state of one dialogue, after its caption and those of its questions that could be read.

    focus  each pronoun with what it refers to now
    last   the pronoun for what was spoken of last; empty at the start and after something that is not there
    known  the ids of all things that have been spoken of one by one
    """

    def __init__(self, scene: Scene, caption: str, questions: Iterable[Meaning | None] = ()) -> None:
        self.scene = scene
        self.focus: dict[str, list[Thing]] = {}
        self.last = ""
        self.known: dict[int, Thing] = {}
        # What the caption mentions, in its order; a description that fits too many or too few things mentions nothing.
        for piece in chunk(list(normal_words(caption))):
            if piece.symbol in ("I", "B"):
                things = denotes(piece.payload, self.scene)
                if (len(things) == 1) == (piece.symbol == "I"):
                    self._mention(piece.payload, things)
        for meaning in questions:
            self.add(meaning)

    def add(self, meaning: Meaning | None) -> None:
        """Go on with a question; one that could not be read changes nothing."""
        if meaning is None:
            return
        of, to = meaning.of, meaning.to
        # In "is it below the clock", "it" is what it was before the clock was spoken of.
        about = [] if of is None else denotes(of, self.scene, self.focus)
        if to is not None and meaning.kind not in ("is_a", "is_holding", "nth", "more"):
            self._mention(to, denotes(to, self.scene, self.focus))
        if of is not None and meaning.kind not in ("what", "more"):
            if of.other is not None:
                self._mention(of.other, denotes(of.other, self.scene, self.focus))
            self._mention(of, about)

    def _mention(self, ref: Ref, things: list[Thing]) -> None:
        if not things:
            self.last = ""
        else:
            alone = {"male": "he", "female": "she"}.get(things[0].gender, "it")
            self.last = ref.pronoun or (alone if len(things) == 1 else "they")
            self.focus[self.last] = things
            if len(things) == 1:
                self.known[things[0].id] = things[0]
