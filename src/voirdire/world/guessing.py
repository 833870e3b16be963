"""Questions of a guessing game: yes or no about "it", one of the things that are still in question."""

from random import Random

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import IT, Meaning, Ref
from voirdire.world.refer import refer
from voirdire.world.scene import centre
from voirdire.world.truth import is_noun, person_noun
from voirdire.world.words import KINDS, ORDINALS

__all__ = ["guess_question"]

_SIDES = ("left", "left", "left", "right", "right", "right", "middle", "foreground", "background", "top", "bottom")


def guess_question(scene: Scene, left: list[Thing], rng: Random) -> Meaning:
    """A question as a player asks who has `left` in mind; about one of these things, but the answer may be no."""
    thing = rng.choice(left)
    draw = rng.random()
    if draw < 0.3:
        return Meaning("is_a", IT, to=Ref(noun=thing.category))
    if draw < 0.42:
        above = BY_NAME[thing.category].supercategory
        if above in KINDS:
            return Meaning("is_kind", IT, above)
        return Meaning("is_a", IT, to=Ref(noun=above if above in ("animal", "vehicle", "person") else thing.category))
    if draw < 0.66:
        return Meaning("is_side", IT, rng.choice(_SIDES))
    return _detail(thing, scene, rng) or Meaning("is_side", IT, rng.choice(_SIDES))


def _detail(thing: Thing, scene: Scene, rng: Random) -> Meaning | None:
    draw = rng.random()
    if draw < 0.3:
        if thing.colour:
            return Meaning("is_colour", IT, thing.colour)
        if thing.wears:
            worn = rng.choice(thing.wears)
            return Meaning("wears", IT, worn.kind, worn.colour if rng.random() < 0.6 else "")
    elif draw < 0.45:
        return Meaning("is_size", IT, rng.choice(("small", "large")))
    elif draw < 0.58 and thing.action:
        return Meaning("is_action", IT, thing.action)
    elif draw < 0.66 and thing.material:
        return Meaning("is_material", IT, thing.material)
    elif draw < 0.7:
        return Meaning("is_shape", IT, "round")
    elif draw < 0.78 and thing.gender:
        if rng.random() < 0.5:
            return Meaning("is_gender", IT, rng.choice(("male", "female")))
        return Meaning("is_a", IT, to=Ref(noun=person_noun(thing)))
    elif draw < 0.82:
        return _order(thing, scene, rng)
    elif draw < 0.94:
        ref = refer(thing, scene, rng, brevity=0.2)
        if ref is not None and ref.relation and ref.other is not None:
            return Meaning("relation", IT, relation=ref.relation, to=ref.other)
    else:
        ref = refer(thing, scene, rng, brevity=0.0)
        return None if ref is None else Meaning("is_the", IT, to=ref)
    return None


def _order(thing: Thing, scene: Scene, rng: Random) -> Meaning | None:
    """Is it the third cup from the left?"""
    side = rng.choice(("left", "right"))
    noun = person_noun(thing)
    row = [other for other in scene.things if is_noun(other, noun)]
    whole = len(row) < 2
    row = list(scene.things) if whole else row
    row.sort(key=lambda other: centre(other)[0], reverse=side == "right")
    number = row.index(thing) + 1
    if number > min(5, len(ORDINALS)):
        return None
    return Meaning("nth", IT, f"{number} {side}", to=None if whole else Ref(noun=noun))
