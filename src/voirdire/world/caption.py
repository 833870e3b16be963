"""A caption of a scene: what it shows first of all, in the words that the world understands."""

from random import Random

from voirdire.formats.scenes import Scene, Thing
from voirdire.world import words
from voirdire.world.truth import person_noun

__all__ = ["make_caption"]


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
    one, many = words.NOUNS[person_noun(group[0])]
    if len(group) > 1:
        number = words.NUMBERS[len(group)] if len(group) < 7 else "many"
        return f"{number} {many[0]}"
    colour = group[0].colour
    return words.a(f"{colour} {one[0]}" if colour and colour != one[0] and rng.random() < 0.35 else one[0])
