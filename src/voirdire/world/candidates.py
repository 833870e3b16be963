"""The hundred candidate answers of a round, and how five judges see them.

Among the hundred are the true answer, other true wordings, near misses, popular answers and answers to other questions,
all different and in random order. A candidate is valid exactly if it is a wording of a true answer. A judge passes a
valid candidate with the chance 1 - MISS and an invalid one with the chance FALSE_ALARM; the relevance of a candidate is
the share of the five judges who pass it.
"""

from collections.abc import Sequence
from functools import cache
from random import Random

import numpy as np
import numpy.typing as npt

from voirdire.world.answering import near_misses, phrasings
from voirdire.world.asking import ask_about, ask_scene
from voirdire.world.dialogue import Round
from voirdire.world.refer import refer
from voirdire.world.scene import make_scene
from voirdire.world.truth import answers, denotes

__all__ = ["CANDIDATES", "FALSE_ALARM", "JUDGES", "MISS", "Pool", "draw_candidates", "judge", "seed_pool"]

CANDIDATES = 100
JUDGES, MISS, FALSE_ALARM = 5, 0.15, 0.01
_VALID, _NEAR, _MISSES, _POPULAR_DRAWN = 10, 24, 6, 26
_POPULAR_TEXT = """
yes|no|white|2|not that i can see|1|black|brown|can't tell|i can't tell|yes, it is|no, it isn't|blue|red|3|green|gray|0
4|i don't think so|i think so|not sure|yes, there are|nope|yep|5|outside|inside|yes, he is|no, he isn't|yes, she is
no, she isn't|daytime|sunny|standing|sitting|i don't know|6|on the left|on the table|it is sunny|wood|hard to tell
there are none|just one|no, i don't see any|a man|a woman|yes, they are|no, they aren't
"""
_POPULAR = tuple(text for line in _POPULAR_TEXT.strip().split("\n") for text in line.split("|"))
_SAMPLED_SCENES = 500


class Pool:
    """Texts by number, in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def add(self, text: str) -> int:
        """The number of a text, a new one where the text is new."""
        return self.numbers.setdefault(text, len(self.numbers))

    def texts(self) -> list[str]:
        """All texts in the order of their numbers."""
        return list(self.numbers)


@cache
def _others() -> tuple[str, ...]:
    """Answers to questions about scenes of another world, always the same ones."""
    found: dict[str, None] = {}
    for index in range(_SAMPLED_SCENES):
        scene, rng = make_scene(-1, index), Random(f"others/{index}")
        for _ in range(16):
            ref = refer(rng.choice(scene.things), scene, rng, brevity=0.8)
            meaning = ask_scene(scene, rng)
            if ref is not None and rng.random() < 0.7:
                meaning = ask_about(denotes(ref, scene), ref, scene, rng) or meaning
            said = phrasings(meaning, answers(meaning, scene)[0])
            found.update(dict.fromkeys(rng.sample(said, min(2, len(said)))))
    return tuple(text for text in found if text not in _POPULAR)


def draw_candidates(
    rounds: Sequence[Round], pool: Pool, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16], npt.NDArray[np.bool_]]:
    """Options int32[n, 100] as numbers of the pool, the true answer's place int16[n], and which are valid bool[n, 100].

    The popular and the other answers must have been put into the pool by `seed_pool` before.
    """
    count, fixed = len(rounds), len(_POPULAR)
    popular = rng.random((count, fixed)).argsort(axis=1)[:, :_POPULAR_DRAWN].tolist()
    # One from each hundredth of the others: all different, so that together with the rest there are always enough.
    width = len(_others()) // CANDIDATES
    drawn = rng.integers(0, width, (count, CANDIDATES)) + width * np.arange(CANDIDATES) + fixed
    others = rng.permuted(drawn, axis=1).tolist()
    picks = rng.integers(0, 1 << 20, (count, 2)).tolist()
    rows: list[list[int]] = []
    numbers, number = pool.numbers, pool.numbers.setdefault
    for row, round_ in enumerate(rounds):
        true = set(round_.valid)
        texts = [round_.answer, *_spread(round_.valid, _VALID, picks[row][0])]
        texts += [text for text in _wrong(round_, picks[row][1]) if text not in true]
        chosen = dict.fromkeys([number(text, len(numbers)) for text in texts])
        chosen.update(dict.fromkeys(popular[row]))
        chosen.update(dict.fromkeys(others[row]))
        rows.append(list(chosen)[:CANDIDATES])
    options = rng.permuted(np.array(rows, np.int32), axis=1)
    truths = np.array([numbers[round_.answer] for round_ in rounds], np.int32)
    places = (options == truths[:, None]).argmax(axis=1).astype(np.int16)
    valid = np.zeros((count, CANDIDATES), bool)
    for row, (round_, offered) in enumerate(zip(rounds, options.tolist(), strict=True)):
        true_numbers = {numbers.get(text) for text in round_.valid}
        valid[row] = [place in true_numbers for place in offered]
    return options, places, valid


def seed_pool() -> Pool:
    """A pool that begins with the popular answers and the answers to other questions."""
    pool = Pool()
    for text in (*_POPULAR, *_others()):
        pool.add(text)
    return pool


def _spread(texts: tuple[str, ...], count: int, pick: int) -> tuple[str, ...]:
    """`count` of the texts, evenly over all of them from a random start."""
    if len(texts) <= count:
        return texts
    step = len(texts) / count
    return tuple(texts[(pick + int(step * n)) % len(texts)] for n in range(count))


def _wrong(round_: Round, pick: int) -> list[str]:
    misses = near_misses(round_.meaning, round_.content)
    some = [misses[(pick + n) % len(misses)] for n in range(min(_MISSES, len(misses)))]
    each = _NEAR // len(some)
    return [text for miss in some for text in _spread(phrasings(round_.meaning, miss), each, pick)]


def judge(valid: npt.NDArray[np.bool_], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """The relevance of each candidate: the share of the judges who deem it valid."""
    passed = rng.random((JUDGES, *valid.shape)) < np.where(valid, 1 - MISS, FALSE_ALARM)
    relevance: npt.NDArray[np.float64] = passed.sum(axis=0) / JUDGES
    return relevance
