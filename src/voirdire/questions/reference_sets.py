"""What each question of a dialogue left over, and what it referred to.

    RS_0 = all objects;  RS_t = {o ∈ RS_{t−1} : A(q_t, o) = a_t}
    q_t is effective            iff RS_t and RS_{t−1} differ in an object other than the target
    q_t is referring to o       iff A(q_t, o) = yes and A(q_t, p) = no for every other object p of the image

A(q, o)  what the oracle says of object o; n/a is an answer like the other two.
a_t      A(q_t, target), or the answer that was recorded in the dialogue. With the first the target is in every RS_t, so
         that "differ in an object other than the target" is the published RS_t ≠ RS_{t−1}. With the second the target
         itself can drop out, which is no merit of the question. (effective-questions, §3.2.)

A set of objects is an integer, bit i for object i, so that any number of objects fits and a set costs one operation.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.formats.guesswhat import ANSWERS

__all__ = ["Turn", "follow", "members"]

YES, NO = ANSWERS.index("yes"), ANSWERS.index("no")
CODES = np.arange(len(ANSWERS), dtype=np.int8)[:, None, None]


class Turn(NamedTuple):
    """What one question did.

    left         RS_t as a mask
    distractors  how many objects of RS_t are not the target
    effective    whether it excluded a distractor
    refers_to    the place of the object that it refers to, the target or another; None where there is none
    target_left  whether the target is in RS_t
    """

    left: int
    distractors: int
    effective: bool
    refers_to: int | None
    target_left: bool


def follow(answers: npt.NDArray[np.int8], target: int, given: Sequence[int]) -> list[Turn]:
    """The turns of one dialogue.

    answers  int8[questions, objects], places in ANSWERS
    target   the target's place among the objects
    given    a_t of every question, a place in ANSWERS
    """
    questions, objects = answers.shape
    everything, the_target = (1 << objects) - 1, 1 << target
    masks = _masks(answers)
    left = everything
    turns = []
    for turn in range(questions):
        now = left & masks[given[turn]][turn]
        excluded = (left ^ now) & ~the_target
        turns.append(
            Turn(
                now,
                (now & ~the_target).bit_count(),
                excluded != 0,
                _referred(masks[YES][turn], masks[NO][turn], everything),
                now & the_target != 0,
            )
        )
        left = now
    return turns


def members(mask: int) -> list[int]:
    """The places of the objects in a set."""
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _masks(answers: npt.NDArray[np.int8]) -> list[list[int]]:
    """masks[a][t]: bit i where object i has answer a to question t."""
    packed = np.packbits(answers == CODES, axis=2, bitorder="little")
    _, questions, width = packed.shape
    data = packed.tobytes()
    masks = [int.from_bytes(data[start : start + width], "little") for start in range(0, len(data), width)]
    return [masks[first : first + questions] for first in range(0, len(CODES) * questions, questions or 1)]


def _referred(yes: int, no: int, everything: int) -> int | None:
    """The only object with the answer yes, where all others have no."""
    alone = yes.bit_count() == 1 and no == everything ^ yes
    return yes.bit_length() - 1 if alone else None
