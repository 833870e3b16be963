"""Made-up dialogues about a few things, with states that hold known parts of the score."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.states import States
from voirdire.scorekeeping.probe.splits import ProbeData

THINGS = ("dog", "cat", "car", "tree", "boat", "kite")
RULES = ("there", "can_you_see")
TURNS = 11


class Table:
    """An encoder that gives each sentence of the closed vocabulary a number of its own."""

    name = "table"
    signature = "0123456789abcdef"
    dimension = 2 * len(THINGS)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            vectors[row, THINGS.index(text.split()[-1]) + len(THINGS) * (" no " in text)] = 1
        return vectors


def dialogue(rng: np.random.Generator, turns: int = TURNS) -> tuple[list[Proposition], np.ndarray]:
    """Propositions about four things that are said at different turns, and the score as a vector, turn by turn."""
    things = rng.permutation(len(THINGS))[:4]
    there = rng.random(len(THINGS)) < 0.5
    said = [0, *rng.permutation(np.arange(1, turns))[:3].tolist()]
    records = []
    score = np.zeros((turns, 2 * len(THINGS)), np.float32)
    score[:, : len(THINGS)] = np.where(there, 1, -1)
    for number, (thing, turn) in enumerate(zip(things, said, strict=True)):
        polarity = None if turn == 0 else "positive" if there[thing] else "negative"
        rule = "caption" if turn == 0 else RULES[number % 2]
        texts = f"there is a {THINGS[thing]}", f"there is no {THINGS[thing]}"
        for text in texts if there[thing] else texts[::-1]:
            holds = (" no " not in text) == there[thing]
            records.append(Proposition(text, int(holds), int(turn), rule, polarity))
        score[turn:, len(THINGS) + thing] = 1
    return records, score


def material(
    count: int, seed: int = 0, *, name: str = "train", split: str = "", blind: bool = False, turns: int = TURNS
) -> ProbeData:
    """A scorekeeper's states; `blind` ones say nothing."""
    rng = np.random.default_rng(seed)
    made = [dialogue(rng, turns) for _ in range(count)]
    states = np.stack([score for _, score in made])
    if blind:
        states = rng.normal(size=states.shape).astype(np.float32)
    propositions = PropositionSet(split or name, "made", {at: tuple(one) for at, (one, _) in enumerate(made)})
    return ProbeData.of(name, propositions, States(states))


def given(train: ProbeData, valid: ProbeData | None = None, test: ProbeData | None = None) -> dict[str, Any]:
    """What `probe_states` is given of these."""
    found: dict[str, Any] = {"propositions": train.propositions, "states": train.states}
    for name, one in (("valid", valid), ("test", test)):
        if one is not None:
            found |= {f"{name}_propositions": one.propositions, f"{name}_states": one.states}
    return found
