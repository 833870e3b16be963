"""How a speaker picks out a thing: the shortest description that fits it alone, or now and then a longer one."""

from random import Random

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import Ref
from voirdire.world.scene import related
from voirdire.world.truth import denotes, is_noun, person_noun

__all__ = ["alone_of_kind", "noun_for", "refer", "refer_all"]

_RELATIONS = ("next to", "behind", "in front of", "left of", "right of", "below")
_SIDES = ("left", "right", "middle", "foreground", "background")


def noun_for(thing: Thing, rng: Random) -> str:
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
    noun = noun_for(thing, rng)
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
