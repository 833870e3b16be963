"""Points: each proposition of a dialogue at each of the dialogue's turns; and what is asked of them.

Points are in the order of dialogue, turn and proposition, so that those of one scoreboard row are neighbours.

What is asked of a point is a task:

    TFxPS    true shared, false shared, true private, false private
    TF       true, false
    PS       shared, private
    PxTSFS   true shared, false shared, private

A proposition is shared at turn t iff t >= turn_shared. The questioner does not know what is private to the answerer, so
its states have PS and PxTSFS only. In a run of `scorekeeping probe` an item is a point, and `gold` and `predicted` hold
these names; the columns that say which point it is are `dialogue`, `index` (of the proposition in it) and `turn`, all
from 0, and `task`, `control` ("" for none) and `seed` say which probe predicted. (scorekeeping, §5.)
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
from voirdire.options import OptionError
from voirdire.scorekeeping.exam import Role

ROLES: tuple[Role, ...] = ("A", "Q")


@dataclass(frozen=True, slots=True)
class ScoreTask:
    """One way to cut points into classes.

    classes  their names
    labels   the class of a point by [true][shared], each 0 or 1
    truth    what each class says of true or false: 1, 0, or -1 where it says nothing
    shared   what each class says of shared or private, in the same way
    roles    whose states it can be asked of
    """

    name: str
    classes: tuple[str, ...]
    labels: tuple[tuple[int, int], tuple[int, int]]
    truth: tuple[int, ...]
    shared: tuple[int, ...]
    roles: tuple[Role, ...] = ROLES

    def label(self, true: npt.NDArray[np.bool_], shared: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """The class of each point."""
        return np.array(self.labels, np.int64)[true.astype(np.int64), shared.astype(np.int64)]


TASKS = {
    task.name: task
    for task in (
        ScoreTask(
            "TFxPS",
            ("true shared", "false shared", "true private", "false private"),
            ((3, 1), (2, 0)),
            (1, 0, 1, 0),
            (1, 1, 0, 0),
            ("A",),
        ),
        ScoreTask("TF", ("true", "false"), ((1, 1), (0, 0)), (1, 0), (-1, -1), ("A",)),
        ScoreTask("PS", ("shared", "private"), ((1, 0), (1, 0)), (-1, -1), (1, 0)),
        ScoreTask("PxTSFS", ("true shared", "false shared", "private"), ((2, 1), (2, 0)), (1, 0, -1), (1, 1, 0)),
    )
}


def tasks_of(role: Role) -> list[ScoreTask]:
    """The tasks that can be asked of a role's states, in the paper's order."""
    return [task for task in TASKS.values() if role in task.roles]


def task_named(name: str, role: Role = "A") -> ScoreTask:
    """The task of this name, if the role's states can be asked it."""
    if role not in ROLES:
        raise OptionError("role", f"`role` must be A (the answerer) or Q (the questioner), got {role!r}")
    if name not in TASKS:
        raise OptionError("task", f"`task` must be one of {', '.join(TASKS)}, got {name!r}")
    if role not in TASKS[name].roles:
        raise OptionError(
            "task",
            f"`task` {name} cannot be asked of the questioner, who does not know what is private to the answerer; "
            f"it has {' and '.join(task.name for task in tasks_of('Q'))}",
        )
    return TASKS[name]


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
    flat = [(number, index, record) for number, records in sorted(propositions) for index, record in enumerate(records)]
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
        np.array([sentences.number(record.proposition) for _, _, record in flat], np.int32),
        np.array([record.a_thinks_true for _, _, record in flat], np.bool_),
        np.array([record.turn_shared for _, _, record in flat], np.int32),
        tuple(record.rule for _, _, record in flat),
        tuple(record.qa_fact or NEITHER for _, _, record in flat),
    )


def known_lengths(
    name: str, called: str, propositions: PropositionSet, dialogues: Dialogues | None
) -> dict[int, int] | None:
    """The turns of each dialogue that has propositions; None where they are not known.

    name    what the propositions are for
    called  what errors call them
    """
    if dialogues is None:
        turns = propositions.turns
        lengths = {number: turns[number] for number in propositions.dialogues if number in turns}
        return lengths if len(lengths) == len(propositions.dialogues) else None
    of_dialogues = called_by(dialogues.file, f"{name} dialogues")
    last = max(propositions.dialogues)
    if last >= len(dialogues):
        found = f"{counted(len(dialogues), 'dialogue')}, and propositions of dialogue {last:,} (from 0)"
        raise InputError(of_dialogues, [Problem("", "", found, "the dialogues that the propositions were made of")])
    known = {dialogue: len(dialogues[dialogue].rounds) + 1 for dialogue in propositions.dialogues}
    problems = Problems(of_dialogues)
    for dialogue, length in propositions.turns.items():
        if known.get(dialogue, length) != length:
            expected = f"{counted(length, 'turn')}, as {called} has it"
            found = f"{counted(known[dialogue], 'turn')} with its caption"
            problems.add(f"dialogue {dialogue} (from 0)", "", found, expected)
    problems.check()
    return known


def called_by(file: str, use: str) -> str:
    """What errors call a file: by its name, where it has one, and by what it is for."""
    return f"{file} ({use})" if file else use
