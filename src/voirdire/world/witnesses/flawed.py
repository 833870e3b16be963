"""The answering witnesses with a flaw each: `uncertain`, `blind`, `forgetful`, `distractible`, `verbose`."""

from collections import Counter
from functools import cache
from random import Random

from voirdire.formats.scenes import Scene, Thing
from voirdire.world.answering import near_misses
from voirdire.world.asking import ask_about, ask_scene
from voirdire.world.meaning import Meaning
from voirdire.world.reference import refer
from voirdire.world.scene import make_scene
from voirdire.world.truth import CANNOT_TELL, Answer, Focus, answers, denotes
from voirdire.world.understand import split_questions, understand
from voirdire.world.witnesses.answerer import WITNESSES, Answerer, Belief, History, seeded
from voirdire.world.words import COLOURS

TRUE = 0.8
"""How often `uncertain` says the truth."""
_WORLD, _SCENES, _QUESTIONS = -2, 400, 20
"""Where `blind` has learnt what is usual: the world's seed, its scenes, and questions per scene."""

# Kinds that only guessing games ask.
_NEVER_ASKED = dict.fromkeys(("is_kind", "is_the", "nth"), Answer("no"))


def prior_answer(meaning: Meaning) -> Answer:
    """The answer that fits the question's form, whatever the picture shows; learnt from a world that is never examined.

        prior(kind) = the most frequent true answer to questions of this kind, about scenes 0 to 399 of the world -2

    Answers that nothing can be said are left out; of two that are equally frequent the one that occurred first is
    taken.
    """
    return _priors().get(meaning.kind, CANNOT_TELL)


@cache
def _priors() -> dict[str, Answer]:
    counts: dict[str, Counter[Answer]] = {}
    for index in range(_SCENES):
        scene, rng = make_scene(_WORLD, index), Random(f"prior/{index}")
        for _ in range(_QUESTIONS):
            thing = rng.choice(scene.things)
            ref = refer(thing, scene, rng, brevity=0.8)
            meaning = None
            if ref is not None and rng.random() < 0.6:
                meaning = ask_about(denotes(ref, scene), ref, scene, rng)
            meaning = meaning or ask_scene(scene, rng)
            answer = answers(meaning, scene)[0]
            if answer.what not in ("none", "unknown"):
                counts.setdefault(meaning.kind, Counter())[answer] += 1
    return _NEVER_ASKED | {kind: found.most_common(1)[0][0] for kind, found in counts.items()}


class Uncertain(Answerer):
    """`uncertain`: says the truth four times in five, and else something wrong of the same sort.

    Which questions it gets wrong depends on its seed, so that two of them with different seeds are two equally good
    models that differ in nothing but chance.
    """

    name = "uncertain"

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """The truth with the chance `TRUE`, else one of the near misses."""
        truth = super().believe(meaning, scene, focus, rng)
        if rng.random() < TRUE:
            return truth
        return Belief((rng.choice(wrong_answers(meaning, truth.answers)),))


def wrong_answers(meaning: Meaning, true: tuple[Answer, ...]) -> list[Answer]:
    """Answers of the same sort as the first true one, none of them true; never empty."""
    first = true[0]
    if first.what == "garments":
        colour, _, rest = first.value.partition(" ")
        found = [Answer("garments", f"{other} {rest}") for other in COLOURS if colour in COLOURS and other != colour]
    elif first.what in ("none", "unknown"):
        found = [prior_answer(meaning)]
    else:
        sort = ("yes", "no") if first.what in ("yes", "no") else (first.what,)
        found = [miss for miss in near_misses(meaning, first) if miss.what in sort]
    return [answer for answer in found if answer not in true] or [CANNOT_TELL]


class Blind(Answerer):
    """`blind`: sees no image. It answers what is usually answered to questions of that form.

    It never looks at the scene, so that all that it gets right is what the questions' form gives away.
    """

    name = "blind"

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """Nothing that was said tells it what it could point at."""
        return {}

    def believe(self, meaning: Meaning, scene: Scene, focus: Focus, rng: Random) -> Belief:
        """The most frequent answer to questions of this kind."""
        return Belief((prior_answer(meaning),))


class Forgetful(Answerer):
    """`forgetful`: sees the image, but takes every question as if nothing had been said before.

    A pronoun is for it what somebody would take it for who looks at the picture and has heard nothing: he the largest
    man or boy, she the largest woman or girl, it the largest other thing, they the largest group of one category.
    """

    name = "forgetful"

    def listen(self, scene: Scene, history: History | None) -> Focus:
        """The things that strike the eye, whatever was said."""
        if history is None:
            return {}
        focus: dict[str, list[Thing]] = {}
        for thing in sorted(scene.things, key=lambda thing: -thing.bbox[2] * thing.bbox[3]):
            focus.setdefault({"male": "he", "female": "she"}.get(thing.gender, "it"), [thing])
        categories = [thing.category for thing in scene.things]
        crowd = max(dict.fromkeys(categories), key=categories.count)
        if categories.count(crowd) > 1:
            focus["they"] = [thing for thing in scene.things if thing.category == crowd]
        return focus


class Distractible(Answerer):
    """`distractible`: of a text with several questions it answers the last one that it can read.

    Asked one question it is as good as `truthful`; asked "main? other? other?" it answers the other one.
    """

    name = "distractible"

    def read(self, question: str) -> Meaning | None:
        """The last question of the text that can be read; a cut one at its end cannot."""
        for part in reversed(split_questions(question)):
            meaning = understand(part)
            if meaning is not None:
                return meaning
        return None


_OPENINGS = (
    "well, looking at the picture as closely as i can, i would say that the answer is {}",
    "that is a good question, and if you ask me, the answer would have to be {}",
    "let me see, from what is visible in this picture i am fairly confident that it is {}",
    "to be honest, after looking at it for quite a while, my answer to that would be {}",
)
_ENDINGS = (
    ", at least as far as i can tell from where i am looking",
    ", although somebody else might of course put it differently",
    ", and i do not see anything in the picture that would speak against it",
    "",
)


class Verbose(Answerer):
    """`verbose`: says what is true, in many words."""

    name = "verbose"

    def utter(self, text: str, rng: Random) -> str:
        """The words with many others around them."""
        return rng.choice(_OPENINGS).format(text) + rng.choice(_ENDINGS)


WITNESSES.register("uncertain")(seeded(Uncertain))
WITNESSES.register("blind")(seeded(Blind))
WITNESSES.register("forgetful")(seeded(Forgetful))
WITNESSES.register("distractible")(seeded(Distractible))
WITNESSES.register("verbose")(seeded(Verbose))
