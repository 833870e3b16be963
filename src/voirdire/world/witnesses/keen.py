"""`keen`: every question halves what is left as nearly as one can, until one thing is left.

    the question with the smallest Σ_a n_a², where n_a counts the things left for which the answer is a

That is the number of things that will be left, on average, times the number that are left now.
"""

from collections import Counter
from collections.abc import Iterator

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.grammar import say
from voirdire.world.inventory import BY_NAME
from voirdire.world.meaning import IT, Meaning, Ref
from voirdire.world.scene import SIDES, centre
from voirdire.world.truth import about, is_noun, person_noun
from voirdire.world.witnesses.protocol import seed_from
from voirdire.world.witnesses.questioner import QUESTIONERS, GameState, remaining
from voirdire.world.words import KINDS, ORDINALS

__all__ = ["Keen", "best_question"]


class Keen:
    """Asks the question that tells most, and stops when it knows or when nothing tells more."""

    name = "keen"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def ask(self, state: GameState) -> str | None:
        """The best question about what is left."""
        meaning = best_question(state.scene, remaining(state))
        return None if meaning is None else say(meaning, state.rng(self.seed, self.name), "game")


def best_question(scene: Scene, left: list[Thing]) -> Meaning | None:
    """The question that splits these things most evenly; None where none splits them."""
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


@QUESTIONERS.register("keen")
def _make(argument: str | None) -> Keen:
    return Keen(seed_from(argument))
