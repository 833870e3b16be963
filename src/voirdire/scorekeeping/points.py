"""Points: each proposition of a dialogue at each of the dialogue's turns.

Points stand in the order of dialogue, turn and proposition, so that those of one scoreboard row are neighbours.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.strict import Problems

NEITHER = "none"
"""The polarity of what comes from a question that was no polar one, or from a caption."""


class SentenceNumbers:
    """The distinct sentences of all sets, numbered as they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The place of a sentence, a new one where it is new."""
        return self._numbers.setdefault(text, len(self._numbers))

    def texts(self) -> tuple[str, ...]:
        """All sentences in their places."""
        return tuple(self._numbers)


@dataclass(frozen=True, eq=False)
class Points:
    """n points of m propositions.

    proposition    int32[n], places in what follows
    turn           int32[n], from 0
    dialogue       int64[m], index of the dialogue in its file
    index          int32[m], place of the proposition in the dialogue
    sentence       int32[m], places in the sentences of all sets
    true           bool[m]
    turn_shared    int32[m]
    rule, polarity m texts each
    """

    proposition: npt.NDArray[np.int32]
    turn: npt.NDArray[np.int32]
    dialogue: npt.NDArray[np.int64]
    index: npt.NDArray[np.int32]
    sentence: npt.NDArray[np.int32]
    true: npt.NDArray[np.bool_]
    turn_shared: npt.NDArray[np.int32]
    rule: tuple[str, ...]
    polarity: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.proposition)

    @property
    def point_true(self) -> npt.NDArray[np.bool_]:
        """bool[n]"""
        return self.true[self.proposition]

    @property
    def point_shared(self) -> npt.NDArray[np.bool_]:
        """bool[n]: whether the proposition has been said by the end of the turn."""
        return self.turn >= self.turn_shared[self.proposition]

    @property
    def point_dialogue(self) -> npt.NDArray[np.int64]:
        """int64[n]"""
        return self.dialogue[self.proposition]

    @property
    def point_sentence(self) -> npt.NDArray[np.int32]:
        """int32[n]"""
        return self.sentence[self.proposition]

    def rows(self, turns: int) -> npt.NDArray[np.int64]:
        """int64[n]: the row of each point's state in a table of states, dialogue after dialogue, of so many turns."""
        return self.point_dialogue * turns + self.turn


def points_of(
    propositions: Iterable[tuple[int, tuple[Proposition, ...]]],
    lengths: npt.NDArray[np.int64],
    sentences: SentenceNumbers,
) -> Points:
    """The points of dialogues, given with their indices; `lengths` has the number of turns of every dialogue."""
    flat = [(dialogue, index, one) for dialogue, records in sorted(propositions) for index, one in enumerate(records)]
    dialogue = np.array([number for number, _, _ in flat], np.int64)
    index = np.array([place for _, place, _ in flat], np.int32)
    count = lengths[dialogue] if len(flat) else np.empty(0, np.int64)
    proposition = np.repeat(np.arange(len(flat)), count)
    first = np.concatenate([[0], np.cumsum(count)])[:-1]
    turn = np.arange(len(proposition)) - np.repeat(first, count)
    order = np.lexsort((index[proposition], turn, dialogue[proposition]))
    return Points(
        proposition[order].astype(np.int32),
        turn[order].astype(np.int32),
        dialogue,
        index,
        np.array([sentences.number(one.proposition) for _, _, one in flat], np.int32),
        np.array([one.a_thinks_true for _, _, one in flat], np.bool_),
        np.array([one.turn_shared for _, _, one in flat], np.int32),
        tuple(one.rule for _, _, one in flat),
        tuple(one.qa_fact or NEITHER for _, _, one in flat),
    )


def known_lengths(
    name: str, called: str, propositions: PropositionSet, dialogues: Dialogues | None
) -> dict[int, int] | None:
    """The turns of each dialogue that has propositions; None where nothing tells them.

    name    what the propositions are for
    called  what errors call them
    """
    if dialogues is None:
        told = {one: propositions.turns[one] for one in propositions.dialogues if one in propositions.turns}
        return told if len(told) == len(propositions.dialogues) else None
    of_dialogues = called_by(dialogues.file, f"{name} dialogues")
    last = max(propositions.dialogues)
    if last >= len(dialogues):
        found = f"{counted(len(dialogues), 'dialogue')}, and propositions of dialogue {last:,} (from 0)"
        raise InputError(of_dialogues, [Problem("", "", found, "the dialogues that the propositions were made of")])
    known = {one: len(dialogues[one].rounds) + 1 for one in propositions.dialogues}
    problems = Problems(of_dialogues)
    for one, turns in propositions.turns.items():
        if known.get(one, turns) != turns:
            expected = f"{counted(turns, 'turn')}, as {called} has it"
            problems.add(f"dialogue {one} (from 0)", "", f"{counted(known[one], 'turn')} with its caption", expected)
    problems.check()
    return known


def called_by(file: str, use: str) -> str:
    """What errors call a file: by its name, where it has one, and by what it is for."""
    return f"{file} ({use})" if file else use
