"""What is usually answered to a question of a kind, learnt from a world that is never examined.

    prior(kind) = the most frequent true answer to questions of this kind, about scenes 0 to 399 of the world -2

Answers that nothing can be said are left out; of two that are equally frequent the one that occurred first is taken.
"""

from collections import Counter
from functools import cache
from random import Random

from voirdire.world.asking import ask_about, ask_scene
from voirdire.world.meaning import Meaning
from voirdire.world.reference import refer
from voirdire.world.scene import make_scene
from voirdire.world.truth import CANNOT_TELL, Answer, answers, denotes

__all__ = ["prior_answer"]

_WORLD, _SCENES, _QUESTIONS = -2, 400, 20

# Kinds that only guessing games ask.
_NEVER_ASKED = dict.fromkeys(("is_kind", "is_the", "nth"), Answer("no"))


def prior_answer(meaning: Meaning) -> Answer:
    """The answer that fits the question's form, whatever the picture shows."""
    return _table().get(meaning.kind, CANNOT_TELL)


@cache
def _table() -> dict[str, Answer]:
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
