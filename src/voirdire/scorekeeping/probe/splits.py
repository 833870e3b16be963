"""The data of a probe: propositions and states of the same dialogues, checked, and split into train, valid and test.

A dialogue's points are those of its own turns. How many it has is in the propositions' file, or follows from the
dialogues; states after its end are not read, whatever they hold. Where neither is known it is guessed: a dialogue ends
before the first state from which on all are zeros. What a proposition says at a turn is either in the dialogue or an
error.

States may be of fewer dialogues than the propositions: of the first ones, since its place is all that names a dialogue.
The others are dealt out, too, so that two models are scored on the same ones, and count as wrong there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.states import States
from voirdire.formats.strict import Problems
from voirdire.options import SampleOptions
from voirdire.scorekeeping.points import called_by, known_lengths

SHARES = (0.6, 0.2, 0.2)
HELD_OUT = 0.2
FEWEST = 5
"""Dialogues of which three parts can be made."""
SPARSE, SLACK = 1.5, 20
"""States may be of so many times as many dialogues as propositions reach to, and so many more."""
BLOCK = 1024
SCORED_ON_VALID = "scored on valid"


@dataclass(frozen=True, eq=False)
class ProbeData:
    """Propositions of dialogues and the states of the same dialogues.

    name     what it is used for: train, valid or test
    lengths  int64[dialogues], how many turns each has
    called   what errors call the propositions and the states: with their files, where they come from some
    guessed  the input that would give the lengths, where they are guessed from the states
    after    the dialogues with propositions that have states other than zeros after their end
    stateless  the propositions of dialogues that the states do not reach to; `propositions` are those of the others
    """

    name: str
    propositions: PropositionSet
    states: States
    lengths: npt.NDArray[np.int64]
    called: tuple[str, str]
    guessed: str = ""
    after: tuple[int, ...] = ()
    stateless: Mapping[int, tuple[Proposition, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        propositions: PropositionSet,
        states: States,
        dialogues: Dialogues | None = None,
        options: SampleOptions | None = None,
    ) -> "ProbeData":
        """Both together, if they fit; `dialogues` give the lengths."""
        of_propositions = called_by(propositions.file, f"{name} propositions")
        of_states = called_by(states.file, f"{name} states")
        _check_dialogues(name, of_propositions, of_states, propositions, states, options or SampleOptions())
        known = known_lengths(name, of_propositions, propositions, dialogues)
        count, every = len(states), propositions.dialogues
        stateless = {number: records for number, records in every.items() if number >= count}
        propositions = replace(propositions, dialogues={number: every[number] for number in every if number < count})
        _check_finite(of_states, propositions, states)
        filled = np.concatenate([read_lengths(states.states), np.zeros(max(0, max(every) + 1 - count), np.int64)])
        lengths = filled
        if known is not None:
            used = np.fromiter(known, np.int64)
            lengths = filled.copy()
            lengths[used] = np.minimum(np.fromiter(known.values(), np.int64), states.states.shape[1])
            # A dialogue whose states are all zeros is an error below.
            lengths[:count][filled[:count] == 0] = 0
        guessed = "" if known is not None else "dialogues" if name == "train" else f"{name}_dialogues"
        _check_turns(of_propositions, of_states, propositions, states, lengths, bool(guessed))
        after = tuple(np.flatnonzero(filled > lengths).tolist())
        return cls(name, propositions, states, lengths, (of_propositions, of_states), guessed, after, stateless)

    @property
    def dialogues(self) -> list[int]:
        """All that were asked, with states or without."""
        return [*self.propositions.dialogues, *self.stateless]

    @property
    def ended(self) -> int:
        """How many dialogues with propositions end before the last turn of the file."""
        used = np.fromiter(self.propositions.dialogues, np.int64)
        return int((self.lengths[used] < self.states.states.shape[1]).sum())

    def only(self, name: str, dialogues: npt.NDArray[np.int64]) -> "ProbeData":
        """The same with the propositions of these dialogues alone."""
        some = np.sort(dialogues).tolist()
        kept, stateless = (
            {dialogue: records[dialogue] for dialogue in some if dialogue in records}
            for records in (self.propositions.dialogues, self.stateless)
        )
        if not kept:
            found = f"no state of the {counted(len(some), 'dialogue')} that are dealt out to {name}"
            hint = "Give propositions of the dialogues that have states alone."
            raise InputError(self.called[1], [Problem("", "", found, "states of some of them", hint)])
        return replace(self, name=name, propositions=replace(self.propositions, dialogues=kept), stateless=stateless)


@dataclass(frozen=True, eq=False)
class Splits:
    """What a probe learns from, what chooses its epoch, what it is scored on, and how these came about."""

    train: ProbeData
    valid: ProbeData
    test: ProbeData
    split: str
    warnings: tuple[str, ...] = ()


def split_data(train: ProbeData, valid: ProbeData | None, test: ProbeData | None, seed: int) -> Splits:
    """Three parts from what is given.

    All three: as they are. One: its dialogues are dealt out 60 : 20 : 20 by the seed. Train and test: a fifth of the
    dialogues of train, by the seed, becomes valid. Train and valid: the scores are those on valid.
    """
    given = [data for data in (train, valid, test) if data is not None]
    for other in given[1:]:
        _check_apart(train, other)
    if valid is not None and test is not None:
        _check_apart(valid, test)
        return Splits(train, valid, test, "as given")
    if valid is not None:
        warning = "There are no test dialogues; the scores are those on valid, on which the epoch was chosen."
        return Splits(train, valid, replace(valid, name="valid"), SCORED_ON_VALID, (warning,))
    if test is not None:
        kept, chosen = _deal(train, (1 - HELD_OUT, HELD_OUT), seed)
        warning = (
            f"{counted(len(chosen), 'dialogue')} of train, drawn by seed {seed}, are held out to choose the epoch; the "
            f"probe learns from the other {len(kept):,}."
        )
        split = f"valid {HELD_OUT:.0%} of train"
        return Splits(train.only("train", kept), train.only("valid", chosen), test, split, (warning,))
    learnt, chosen, scored = _deal(train, SHARES, seed)
    warning = (
        f"One split is given; its dialogues are dealt out by seed {seed}: {len(learnt):,} to learn from, "
        f"{len(chosen):,} to choose the epoch, {len(scored):,} to score."
    )
    parts = train.only("train", learnt), train.only("valid", chosen), train.only("test", scored)
    return Splits(*parts, "60:20:20 by dialogue", (warning,))


def read_lengths(states: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """How many turns each dialogue has: up to the last state that is not all zeros."""
    lengths = np.empty(len(states), np.int64)
    for start in range(0, len(states), BLOCK):
        filled: npt.NDArray[np.bool_] = (states[start : start + BLOCK] != 0).any(axis=2)
        last = filled.shape[1] - np.argmax(filled[:, ::-1], axis=1)
        lengths[start : start + BLOCK] = np.where(filled.any(axis=1), last, 0)
    return lengths


def _deal(data: ProbeData, shares: tuple[float, ...], seed: int) -> list[npt.NDArray[np.int64]]:
    dialogues = np.array(data.dialogues, np.int64)
    if len(dialogues) < FEWEST:
        found = f"propositions of {counted(len(dialogues), 'dialogue')}"
        hint = "Or give files of their own for valid and test."
        problem = Problem("", "", found, f"at least {FEWEST} dialogues, to deal them out", hint)
        raise InputError(data.called[0], [problem])
    order = np.random.default_rng([seed, 2]).permutation(dialogues)
    ends = np.round(np.cumsum(shares) * len(order)).astype(int)
    return np.split(order, ends[:-1])


def _check_dialogues(
    name: str, called: str, of_states: str, propositions: PropositionSet, states: States, options: SampleOptions
) -> None:
    count, first, last = len(states), min(propositions.dialogues), max(propositions.dialogues)
    if first >= count or (last >= count and options.strict):
        found = f"propositions of dialogue {last:,} (from 0) and states of {counted(count, 'dialogue')}"
        expected = "states of all dialogues of the propositions"
        hint = "Are both of the same split, and the states in the order of its file?"
        raise InputError(of_states, [Problem("", "", found, expected, hint)])
    if count > SPARSE * (last + 1) + SLACK and not options.common:
        found = f"states of {count:,} dialogues, and propositions of none after dialogue {last:,} (from 0)"
        hint = "Are the propositions of another split? If they are of the first dialogues of this one, give `common`."
        raise InputError(of_states, [Problem("", "", found, "states of the propositions' dialogues", hint)])
    if propositions.split == "train" and name != "train":
        found, expected = "propositions of the split train", f"those of another split, to be {name}"
        raise InputError(called, [Problem("", "set", found, expected)])


def _check_finite(of_states: str, propositions: PropositionSet, states: States) -> None:
    problems = Problems(of_states)
    used = np.fromiter(propositions.dialogues, np.int64)
    for start in range(0, len(used), BLOCK):
        some = used[start : start + BLOCK]
        bad = ~np.isfinite(states.states[some]).all(axis=2)
        for row, turn in np.argwhere(bad).tolist():
            where = f"dialogue {some[row]}, turn {turn} (both from 0)"
            problems.add(where, "", "numbers that are not finite", "finite numbers")
    problems.check()


def _check_turns(
    called: str,
    of_states: str,
    propositions: PropositionSet,
    states: States,
    lengths: npt.NDArray[np.int64],
    guessed: bool,
) -> None:
    turns = states.states.shape[1]
    last = max(record.turn_shared for records in propositions.dialogues.values() for record in records)
    if last >= turns:
        found = f"{counted(turns, 'turn')}, the caption's among them, and propositions up to turn {last}"
        hint = "Are states and propositions of the same dialogues?"
        raise InputError(of_states, [Problem("", "", found, f"a state after each of the {last + 1} turns", hint)])
    stateless, problems = Problems(of_states), Problems(called)
    for dialogue, records in propositions.dialogues.items():
        length = int(lengths[dialogue])
        if not length:
            where = f"dialogue {dialogue} (from 0)"
            hint = "Zeros stand for turns after a dialogue's end; use `control` null for a probe without states."
            stateless.add(where, "", "states that are all zeros", "a state after each turn", hint)
            continue
        for index, record in enumerate(records):
            if record.turn_shared >= length:
                where = f"dialogue {dialogue}, proposition {index} (both from 0)"
                has = f"{counted(length, 'turn')} with its caption"
                has += ", after which its states are zeros" if guessed else ""
                expected = f"a turn of the dialogue; it has {has}"
                hint = "Are states and propositions of the same dialogues?"
                problems.add(where, "turn_shared", f"turn {record.turn_shared}", expected, hint)
    stateless.check()
    problems.check()


def _check_apart(first: ProbeData, second: ProbeData) -> None:
    """Two parts must be of the same model, and not of the same dialogues."""
    shapes = first.states.states.shape[1:], second.states.states.shape[1:]
    if shapes[0] != shapes[1]:
        (turns, width), (turns_, width_) = shapes
        found = f"{counted(turns_, 'turn')} of {counted(width_, 'number')}"
        expected = f"{counted(turns, 'turn')} of {counted(width, 'number')}, as the states of {first.name} have"
        hint = "Are they of the same model? Dialogues that end earlier may have zeros after their end."
        raise InputError(second.called[1], [Problem("", "", found, expected, hint)])
    ours, theirs = first.propositions, second.propositions
    same = ours.fingerprint and ours.fingerprint == theirs.fingerprint
    if not same and ours.split == theirs.split:
        common = [dialogue for dialogue in ours.dialogues if dialogue in theirs.dialogues]
        equal = sum(ours.dialogues[dialogue] == theirs.dialogues[dialogue] for dialogue in common)
        same = bool(common) and 2 * equal > len(common)
    if same:
        raise UsageError(
            f"the propositions of {second.name} are those of {first.name}, of the same dialogues; give another split, "
            "or one file alone, whose dialogues are then dealt out"
        )
