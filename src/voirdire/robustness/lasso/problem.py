"""One right-hand side between two screenings: what is kept of it, and how it goes on with new correlations.

A problem starts at λ_max, where x = 0, and lowers its λ by a factor per pass, on a working set of the columns with the
largest correlations. The next pass shows which columns were missed. A few are brought back on the way on; if there are
many, the step is taken again from where it began, with them in the working set: a path from a solution is short, one
from far off is long. At the λ that was asked for, the correlations of a pass make the certificate.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from voirdire.robustness.lasso.active import Active, empty, rebuild
from voirdire.robustness.lasso.certificate import TOLERANCE, Certificate, certify
from voirdire.robustness.lasso.dictionary import Dictionary
from voirdire.robustness.lasso.path import DONE, STUCK, descend
from voirdire.robustness.lasso.products import Float32, Float64, Int64, Rows, beyond, correlate, largest
from voirdire.stats.compiled import fast

__all__ = ["FLOOR", "LassoProblem"]

# The columns of a working set: at most so many, and so many more for each that is active; and the share of λ from which
# a column is taken into it.
LEAST, MORE = 600, 6
NEAR = 0.4
# Active columns up to which a problem keeps its inverse between passes: two for each of a batch must fit into memory.
KEPT = 512
NOTHING = np.empty((0, 0))
# Columns among which the one that enters first is looked for in double precision.
FIRST = 64
# What λ is multiplied by in a pass: at least FALL, to the power of SHORTER after a step that missed much, of LONGER
# after one that missed nothing.
FALL = 0.3
SHORTER, LONGER = 0.5, 1.3
# Columns that a step may have missed without being taken again, and the share of λ from which one was missed: well
# above the rounding of single precision, since thousands may lie at the boundary itself.
MISSED, BEYOND = 200, 1.001
STEPS = 20_000
PASSES = 60
# The smallest λ, as a share of the one at which x is 0: below it double precision has no digits left for a certificate.
FLOOR = 1e-12
# Passes at the λ that was asked for, after which the gap will not get smaller.
TRIALS = 6


@dataclass(frozen=True, eq=False)
class State:
    """A solution at some λ, as far as is known.

    level              λ; 0 before the first pass
    columns, signs, x  active rows of the dictionary
    residual           b − Ax
    inverse            of their Gram matrix, lower half; empty where it is too large to be kept and is made anew
    """

    level: float
    columns: Int64
    signs: Float64
    x: Float64
    residual: Float64
    inverse: Float64


@dataclass
class LassoProblem:
    """The state of one right-hand side.

    b         the target in the space of the dictionary's rows
    outside   ½‖·‖² of the rest of it
    penalty   λ
    left_out  rows of the dictionary that this problem does not have
    now       the solution that is reached
    before    the one before the last step, and `near` the working set of that step
    reason    why it ended without a certificate
    """

    b: Float64
    outside: float
    penalty: float
    left_out: Int64
    now: State = field(init=False)
    before: State = field(init=False)
    near: Int64 = field(default_factory=lambda: np.empty(0, np.int64))
    certificate: Certificate | None = None
    reason: str = ""
    done: bool = False
    again: bool = False
    fall: float = FALL
    passes: int = 0
    trials: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        self.now = self.before = State(0.0, np.empty(0, np.int64), np.empty(0), np.empty(0), self.b, NOTHING)

    @property
    def scale(self) -> float:
        """What the residual is divided by for the product in single precision."""
        return self.now.level or float(np.linalg.norm(self.b)) or 1.0

    def advance(self, dictionary: Dictionary, values: Float32) -> None:
        """Go on, given a_j · residual / scale of all columns; `values` may be overwritten."""
        self.passes += 1
        values[self.left_out] = 0.0
        if not self.now.level:
            self._begin(dictionary, values)
            if self.done:
                return
        if self.now.level <= self.penalty and self._proved(dictionary, values):
            return
        level = self.now.level
        near = largest(values, NEAR, LEAST + MORE * len(self.now.columns))
        missed = beyond(values, BEYOND)
        if missed > MISSED and self.before.level > level:
            near = _union(near, self.near)
            # Again as far, and if that fails too, half as far.
            goal = self.now.level if not self.again else float(np.sqrt(self.now.level * self.before.level))
            self.now, self.again, self.fall = self.before, True, self.fall**SHORTER
        else:
            goal, self.again = max(self.penalty, level * self.fall), False
            self.fall = max(FALL, self.fall**LONGER) if missed == 0 else self.fall
        self._descend(dictionary, near, goal)

    def _begin(self, dictionary: Dictionary, values: Float32) -> None:
        """Find λ_max, where x is 0; where it is below λ already, begin there."""
        near = largest(values, 0.0, FIRST)
        c = np.empty(len(near))
        correlate(dictionary.exact, near, len(near), self.b, c)
        level = max(self.penalty, float(np.abs(c).max(initial=0.0)))
        values *= np.float32(self.scale / level)
        self.now = self.before = replace(self.now, level=level)
        if self.penalty < FLOOR * level:
            self._give_up(f"λ is below {FLOOR:g} of {level:.3g}, where the first coefficient appears")

    def _proved(self, dictionary: Dictionary, values: Float32) -> bool:
        """Make the certificate; whether the problem ends here."""
        self.trials += 1
        self.certificate = certify(
            dictionary,
            values,
            self.now.level,
            self.b,
            self.now.residual,
            float(np.abs(self.now.x).sum()),
            self.penalty,
            self.outside,
            self.left_out,
        )
        if self.certificate.gap <= TOLERANCE and (self.certificate.tight or self.trials >= TRIALS):
            self.done = True
        elif self.trials >= TRIALS:
            self._give_up(f"the gap stays above {TOLERANCE:g} of the objective")
        return self.done

    def _descend(self, dictionary: Dictionary, near: Int64, goal: float) -> None:
        now = self.now
        places = _union(near, now.columns)
        status, steps, members, signs, x, residual, inverse = _on_working_set(
            dictionary.exact[places],
            dictionary.rank,
            self.b,
            now.residual,
            np.searchsorted(places, now.columns),
            now.signs,
            now.x,
            now.inverse,
            # The golden ratio spreads neighbours evenly between 0 and 1.
            np.modf(places * 0.6180339887498949)[0],
            now.level,
            goal,
            goal <= self.penalty,
            STEPS,
        )
        self.before, self.near, self.now = now, near, State(goal, places[members], signs, x, residual, inverse)
        self.steps += steps
        if status != DONE:
            self._give_up(
                "a dependent column could not be exchanged" if status == STUCK else f"a path took {STEPS:,} steps"
            )
        elif self.passes >= PASSES:
            self._give_up(f"λ was not reached in {PASSES} passes")

    def _give_up(self, reason: str) -> None:
        self.done, self.reason = True, reason


def _union(first: Int64, second: Int64) -> Int64:
    """What is in either, in order."""
    both = np.sort(np.concatenate([first, second]))
    result: Int64 = both[np.concatenate([[True], both[1:] != both[:-1]])[: len(both)]]
    return result


@fast
def _on_working_set(
    rows: Rows,
    rank: int,
    b: Float64,
    residual: Float64,
    members: Int64,
    signs: Float64,
    x: Float64,
    inverse: Float64,
    spread: Float64,
    level: float,
    goal: float,
    last: bool,
    steps: int,
) -> tuple[int, int, Int64, Float64, Float64, Float64, Float64]:  # pragma: no cover - compiled
    """From `level` to `goal` on the rows of a working set: (status, steps, members, signs, x, residual, inverse)."""
    active: Active = empty(len(rows), min(len(rows), rank))
    size = len(members)
    active.size[0] = size
    active.members[:size], active.signs[:size], active.x[:size] = members, signs, x
    for i in range(size):
        active.inside[members[i]] = True
    if len(inverse) == size:
        active.inverse[:size, :size] = inverse
    else:
        rebuild(rows, active)
    c = np.empty(len(rows))
    correlate(rows, np.arange(len(rows)), len(rows), residual, c)
    status, taken, left = descend(rows, b, active, c, spread, level, goal, last, steps)
    size = active.size[0]
    kept = active.inverse[:size, :size].copy() if size <= KEPT else np.empty((0, 0))
    return status, taken, active.members[:size].copy(), active.signs[:size].copy(), active.x[:size].copy(), left, kept
