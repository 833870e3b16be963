"""Of which points a model is asked; asking and scoring take the same ones, given the same options.

A model is asked of all points of the dialogues that a limit takes; of these only those of some turns, and of some
pairs, where so many are asked for. A pair is an entailment and the contradiction after it, so that as much of what is
asked is true as is false. With `polarity` half each pair is asked about with one of its sentences at a turn, and in
half of the cases (± 1 in a dialogue) that is the contradiction.

Of what is left, `points` takes a sample, by which figures of all points are estimated:

    u(cell) ~ uniform(0, 1), drawn by the seed and the dialogue; a cell is a pair at a turn
    sample  = the points of the cells with the lowest u, at most `points`, and at least one cell

So each point is as likely to be taken as any other, a mean over the sample is one over all points, and a larger sample
holds a smaller one. Which cells come early does not depend on what else is asked. Intervals draw whole dialogues, as
they do for all points.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

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

PAIRS, CELLS, SENTENCES = 4, 6, 7
"""Tell these draws from each other and from others of the same seed."""


@dataclass(frozen=True, eq=False)
class AskedPoints:
    """The points of the dialogues that are taken.

    asked    bool[n], of which of these the model is asked
    texts    the sentences in their places
    lengths  how many turns each dialogue has, its caption among them
    drawn    which dialogues were taken
    of       how many points there were to draw from
    """

    points: Points
    asked: npt.NDArray[np.bool_]
    texts: tuple[str, ...]
    lengths: Mapping[int, int]
    drawn: Drawn
    of: int

    @property
    def sampled(self) -> bool:
        """Whether these are fewer points than there are to be asked about."""
        return int(self.asked.sum()) < self.of

    def sentence(self, point: int) -> str:
        """The sentence of a point."""
        return self.texts[int(self.points.sentence[self.points.proposition[point]])]


def asked_points(
    propositions: PropositionSet, dialogues: Dialogues | None, options: AskedPointsOptions, allowed: Iterable[int]
) -> AskedPoints:
    """The points that these options ask for; `dialogues` give the number of turns where propositions do not.

    allowed  the dialogues that a limit may take
    """
    called = called_by(propositions.file, "propositions")
    lengths = known_lengths("asked", called, propositions, dialogues)
    if lengths is None:
        hint = "Give the `dialogues` that they were made of, or make the propositions anew."
        raise InputError(called, [Problem("", "turns", "nothing", "how many turns each dialogue has", hint)])
    _check_turns(called, propositions, lengths)
    drawn = draw(propositions.dialogues, options, "dialogue", allowed)
    left = set(drawn.left.tolist())
    taken = {dialogue: records for dialogue, records in propositions.dialogues.items() if dialogue not in left}
    table = np.zeros(max(taken) + 1, np.int64)
    table[list(taken)] = [lengths[dialogue] for dialogue in taken]
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
    if options.polarity == "half":
        asked &= _one_of_each_pair(points, options.seed)
    before = int(asked.sum())
    if options.points != "all":
        asked &= _sampled(points, asked, options.points, options.seed)
    return AskedPoints(points, asked, numbers.texts(), lengths, drawn, before)


def _drawn_pairs(points: Points, count: int, seed: int) -> npt.NDArray[np.bool_]:
    """bool[propositions]: those of so many pairs per dialogue; the same ones whatever other dialogues are there."""
    # Propositions are in the order of their dialogues.
    dialogues, starts = np.unique(points.dialogue, return_index=True)
    kept = []
    for dialogue, pair in zip(dialogues.tolist(), np.split(points.index // 2, starts[1:]), strict=True):
        order = np.random.default_rng([seed, PAIRS, dialogue]).permutation(np.unique(pair))
        kept.append(np.isin(pair, order[:count]))
    return np.concatenate(kept)


def _one_of_each_pair(points: Points, seed: int) -> npt.NDArray[np.bool_]:
    """bool[points]: one sentence of each pair at each turn; in half of a dialogue's cases the second."""
    second = _by_cell(points, seed, SENTENCES, lambda rng, cells: rng.permutation(cells) % 2)
    reversed_one: npt.NDArray[np.bool_] = points.index[points.proposition] % 2 == second
    return reversed_one


def _sampled(points: Points, asked: npt.NDArray[np.bool_], count: int, seed: int) -> npt.NDArray[np.bool_]:
    """bool[points]: those of the asked ones that a sample of about so many takes."""
    early = np.where(asked, _by_cell(points, seed, CELLS, lambda rng, cells: rng.random(cells)), np.inf)
    order = np.sort(early)
    if count >= len(order) or np.isinf(order[count]):
        return asked
    # A cell of which not all points have room is left out, unless it is the first.
    taken: npt.NDArray[np.bool_] = asked & ((early < order[count]) | (early == order[0]))
    return taken


def _by_cell(points: Points, seed: int, stream: int, values: Callable[..., npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """A value for the cell of each point, drawn for each dialogue by itself: the same whatever others are there."""
    dialogues, starts = np.unique(points.point_dialogue, return_index=True)
    pair = points.index[points.proposition] // 2
    drawn = []
    for dialogue, place in zip(dialogues.tolist(), np.split(np.arange(len(points)), starts[1:]), strict=True):
        pairs, turns = int(pair[place].max()) + 1, int(points.turn[place].max()) + 1
        rng = np.random.default_rng([seed, stream, dialogue])
        drawn.append(values(rng, pairs * turns)[points.turn[place] * pairs + pair[place]])
    return np.concatenate(drawn)


def _check_turns(called: str, propositions: PropositionSet, lengths: Mapping[int, int]) -> None:
    """Refuse propositions that are said after a dialogue's end."""
    problems = Problems(called)
    for dialogue, records in propositions.dialogues.items():
        for index, record in enumerate(records):
            if record.turn_shared >= lengths[dialogue]:
                where = f"dialogue {dialogue}, proposition {index} (both from 0)"
                expected = f"a turn of the dialogue; it has {counted(lengths[dialogue], 'turn')} with its caption"
                hint = "Are propositions and dialogues of the same split?"
                problems.add(where, "turn_shared", f"turn {record.turn_shared}", expected, hint)
    problems.check()
