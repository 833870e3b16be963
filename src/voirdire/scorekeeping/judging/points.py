"""Of which points a model is asked: the same for who asks and for who scores, given the same options.

All points of the dialogues that a limit takes; of these only those of some turns, and of some pairs, where so many are
asked for. A pair is an entailment and the contradiction after it, so that as much of what is asked is true as is false.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.propositions import PropositionSet
from voirdire.formats.strict import Problems
from voirdire.runs.limit import Drawn, draw
from voirdire.scorekeeping.exam import AskedPointsOptions
from voirdire.scorekeeping.points import Points, SentenceNumbers, called_by, known_lengths, points_of

STREAM = 4
"""Tells these draws from others of the same seed."""


@dataclass(frozen=True, eq=False)
class AskedPoints:
    """The points of the dialogues that are taken.

    asked    bool[n], of which of these the model is asked
    texts    the sentences in their places
    lengths  how many turns each dialogue has, its caption among them
    drawn    which dialogues were taken
    """

    points: Points
    asked: npt.NDArray[np.bool_]
    texts: tuple[str, ...]
    lengths: Mapping[int, int]
    drawn: Drawn

    def sentence(self, point: int) -> str:
        """The sentence of a point."""
        return self.texts[int(self.points.sentence[self.points.proposition[point]])]


def asked_points(
    propositions: PropositionSet, dialogues: Dialogues | None, options: AskedPointsOptions, there: Iterable[int]
) -> AskedPoints:
    """The points that these options ask for; `dialogues` tell how many turns each has, where propositions do not.

    there  the dialogues that a limit may take
    """
    called = called_by(propositions.file, "propositions")
    lengths = known_lengths("asked", called, propositions, dialogues)
    if lengths is None:
        hint = "Give the `dialogues` that they were made of, or make the propositions anew."
        raise InputError(called, [Problem("", "turns", "nothing", "how many turns each dialogue has", hint)])
    _check_turns(called, propositions, lengths)
    drawn = draw(propositions.dialogues, options, "dialogue", there)
    left = set(drawn.left.tolist())
    taken = {one: records for one, records in propositions.dialogues.items() if one not in left}
    table = np.zeros(max(taken) + 1, np.int64)
    table[list(taken)] = [lengths[one] for one in taken]
    numbers = SentenceNumbers()
    points = points_of(taken.items(), table, numbers)
    asked = np.ones(len(points), np.bool_)
    if options.only_turns:
        asked &= np.isin(points.turn, options.only_turns)
        if not asked.any():
            longest = counted(int(points.turn.max()), "round")
            raise UsageError(f"`turns` is {options.turns}, and no dialogue has more than {longest}")
    if options.pairs is not None:
        asked &= _drawn_pairs(points, options.pairs, options.seed)[points.proposition]
    return AskedPoints(points, asked, numbers.texts(), lengths, drawn)


def _drawn_pairs(points: Points, count: int, seed: int) -> npt.NDArray[np.bool_]:
    """bool[propositions]: those of so many pairs per dialogue; the same ones whatever other dialogues are there."""
    # Propositions stand in the order of their dialogues.
    dialogues, starts = np.unique(points.dialogue, return_index=True)
    kept = []
    for dialogue, pair in zip(dialogues.tolist(), np.split(points.index // 2, starts[1:]), strict=True):
        order = np.random.default_rng([seed, STREAM, dialogue]).permutation(np.unique(pair))
        kept.append(np.isin(pair, order[:count]))
    return np.concatenate(kept)


def _check_turns(called: str, propositions: PropositionSet, lengths: Mapping[int, int]) -> None:
    """Refuse propositions that are said after a dialogue's end."""
    problems = Problems(called)
    for dialogue, records in propositions.dialogues.items():
        for index, one in enumerate(records):
            if one.turn_shared >= lengths[dialogue]:
                where = f"dialogue {dialogue}, proposition {index} (both from 0)"
                expected = f"a turn of the dialogue; it has {counted(lengths[dialogue], 'turn')} with its caption"
                hint = "Are propositions and dialogues of the same split?"
                problems.add(where, "turn_shared", f"turn {one.turn_shared}", expected, hint)
    problems.check()
