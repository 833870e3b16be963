"""Dialogues of a small closed vocabulary: about every scene the same ten questions are asked, in the same words.

The caption says nothing, the order is random, and the answers are yes and no. So a sentence that is made of a round is
true of one scene and false of another, early in one dialogue and late in another, and nothing but the dialogue's state
can tell which.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import numpy as np

from voirdire.formats.scenes import Scene
from voirdire.formats.visdial import VisDial
from voirdire.world.meaning import Meaning
from voirdire.world.truth import answers
from voirdire.world.understand import understand

__all__ = ["CAPTION", "QUESTIONS", "survey"]

CAPTION = "a picture"
ANSWERS = ("yes", "no")


def _understood(question: str) -> Meaning:
    meaning = understand(question)
    if meaning is None:
        raise ValueError(f"question: {question!r} is not in the world's language")
    return meaning


QUESTIONS: dict[str, Meaning] = {
    question: _understood(question)
    for question in (
        "are there any people",
        "is there a woman",
        "is there a man",
        "is there a child",
        "is there an animal",
        "is there a vehicle",
        "is there a clock",
        "is there a table",
        "is it daytime",
        "is it indoors",
    )
}


def survey(visdial: VisDial, scenes: Mapping[int, Scene], seed: int = 0) -> VisDial:
    """The dialogues about the images of `visdial` in place of its own, with their true answers and no candidates."""
    texts = tuple(QUESTIONS)
    question, answer = [], []
    for image in visdial.image_ids.tolist():
        order = Random(f"{seed}/{image}/survey").sample(range(len(texts)), len(texts))
        question += order
        answer += [ANSWERS.index(answers(QUESTIONS[texts[place]], scenes[image])[0].what) for place in order]
    size = len(question)
    return replace(
        visdial,
        questions=list(texts),
        answers=list(ANSWERS),
        captions=[CAPTION] * len(visdial),
        first_round=np.arange(0, size + 1, len(texts), dtype=np.int64),
        question=np.array(question, np.int32),
        answer=np.array(answer, np.int32),
        gt_index=np.full(size, -1, np.int16),
        options=np.full((size, visdial.options.shape[1]), -1, np.int32),
        fingerprint="",
        notes=(),
    )
