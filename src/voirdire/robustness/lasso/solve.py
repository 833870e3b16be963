"""min_x ½‖Ax − b‖² + λ‖x‖₁ for one dictionary A and many right-hand sides b, each with its certificate.

Right-hand sides are solved in batches. Between two screenings of all columns, one problem goes on by itself: it starts
at λ_max, where x = 0, and lowers its λ by a factor per pass, on a working set of the columns with the largest
correlations. The next pass shows which columns were missed. A few are brought back on the way on; if there are many,
the step is taken again from where it began, with them in the working set: a path from a solution is short, one from far
off is long. At the λ that was asked for, the correlations of a pass make the certificate.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from voirdire.engine.threads import one_thread
from voirdire.robustness.lasso.active import Kept, Slots
from voirdire.robustness.lasso.certificate import TOLERANCE, Certificate, Question, certify, check_of, primal
from voirdire.robustness.lasso.columns import (
    Check,
    ColumnAnswer,
    ColumnAsk,
    Each,
    Float64,
    Int64,
    LassoColumns,
    Screening,
    WorkingSet,
)
from voirdire.robustness.lasso.path import DONE, STUCK, descend

# The columns of a working set: so many, and so many more for each that is active. A step that missed more than LEAST
# columns is taken again.
LEAST, MORE = 600, 6
# Columns of a dictionary that is its own working set.
WHOLE = 2500
# Active columns up to which a problem keeps their products between passes: those of a batch must fit into memory.
KEPT = 512
# Columns among which the one that enters first is looked for in double precision.
FIRST = 64
# What λ is multiplied by in the first pass; its root after a step that missed much, its square after one that missed
# nothing, but no less than FALL while as many columns come and go as are active.
FALL = 0.2
# The share of λ from which a column was missed: well above the rounding of single precision, since thousands may lie at
# the boundary itself.
BEYOND = 1.001
STEPS = 20_000
PASSES = 60
# The smallest λ, as a share of the one at which x is 0: below it double precision has no digits left for a certificate.
FLOOR = 1e-12
# Passes at the λ that was asked for, after which the gap will not get smaller.
TRIALS = 6
# Right-hand sides that share the products over all columns.
BATCH = 128


@dataclass(frozen=True, eq=False)
class State:
    """A solution at some λ, as far as is known.

    level              λ; 0 before the first pass
    columns, signs, x  active rows of the dictionary
    residual           b − Ax
    kept               their Gram matrix and its inverse; None where they are too large to be kept, and are made anew
    """

    level: float
    columns: Int64
    signs: Float64
    x: Float64
    residual: Float64
    kept: Kept | None

    def answer(self) -> tuple[Int64, Float64]:
        """Rows of the dictionary with a coefficient other than 0, in order, and their coefficients."""
        order = np.argsort(self.columns)
        # A coefficient of the wrong sign is 0 up to rounding.
        order = order[self.x[order] * self.signs[order] > 0]
        return self.columns[order], self.x[order]


@dataclass(eq=False)
class LassoProblem:
    """The state of one right-hand side.

    A pass is three calls: `ask` says what it wants to know of all columns, `look` makes of the answer which columns it
    wants for its working set, and `advance` follows the path on them.

    question     what is to be solved
    now          the solution that is reached
    before       the one before the last step, and `near` the working set of that step
    wanted       the working set of the next step, which goes down to `goal`; `first` are the columns among which the
                 one that enters first is looked for
    answer       what is reached where λ is, and `value` its objective
    check        the dual point that the columns were asked about
    certificate  of the answer, once λ is reached
    reason       why it ended without a certificate
    steps        of the last path
    """

    question: Question
    now: State = field(init=False)
    before: State = field(init=False)
    near: Int64 = field(default_factory=lambda: np.empty(0, np.int64))
    wanted: Int64 = field(default_factory=lambda: np.empty(0, np.int64))
    first: Int64 = field(default_factory=lambda: np.empty(0, np.int64))
    goal: float = 0.0
    value: tuple[float, float] = (float("nan"), 0.0)
    check: Check | None = None
    certificate: Certificate | None = None
    reason: str = ""
    done: bool = False
    again: bool = False
    fall: float = FALL
    passes: int = 0
    trials: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        start = State(0.0, np.empty(0, np.int64), np.empty(0), np.empty(0), self.question.b, None)
        self.now = self.before = start
        self.answer = start.answer()

    @property
    def scale(self) -> float:
        """What the residual is divided by for the product in single precision."""
        return self.now.level or float(np.linalg.norm(self.question.b)) or 1.0

    @property
    def arrived(self) -> bool:
        """Whether the λ that was asked for is reached."""
        return 0.0 < self.now.level <= self.question.penalty

    def ask(self, columns: LassoColumns) -> ColumnAsk:
        """What is to be known of all columns before the next step: their products with the residual."""
        left, most = self.now.residual, LEAST + MORE * len(self.now.columns)
        visible = columns.visible(left)
        self.check = check_of(columns, self.question, left, visible, self.scale) if self.arrived else None
        return ColumnAsk(visible[0] / self.scale, self.question.left_out, most, BEYOND, self.check)

    def look(self, columns: LassoColumns, answer: ColumnAnswer) -> Int64 | None:
        """The columns of the next working set, in order; None where the problem ends."""
        self.passes += 1
        if self.arrived and self._proved(answer):
            return None
        level = self.now.level
        self.first = self.wanted = self.near[:0]
        if not level:
            self.first = answer.largest(FIRST)
        if columns.count <= WHOLE:
            # Nothing can be missed.
            self.wanted = np.delete(np.arange(columns.count), self.question.left_out)
            self.goal = self.question.penalty
            return self.wanted
        self.wanted = answer.largest(LEAST + MORE * len(self.now.columns))
        missed = answer.beyond() if level else 0
        if missed > LEAST and self.before.level > level:
            self.wanted = _union(self.wanted, self.near)
            # Again as far, and if that fails too, half as far.
            self.goal = level if not self.again else float(np.sqrt(level * self.before.level))
            self.now, self.again, self.fall = self.before, True, float(np.sqrt(self.fall))
        else:
            if missed == 0:
                self.fall = max(FALL if self.steps >= len(self.now.columns) else 0.0, self.fall**2)
            self.goal, self.again = max(self.question.penalty, level * self.fall), False
        return _union(self.wanted, self.now.columns)

    def advance(self, columns: LassoColumns, places: Int64, working: WorkingSet, screening: Screening) -> None:
        """Go on, given the columns that `look` asked for."""
        start = not self.now.level
        if start:
            self._begin(columns, places, working)
        # Where x is 0 at λ itself there is nothing to follow, as far as anybody knows before it was looked at.
        if not (self.done or (start and self.arrived)):
            self._descend(columns, places, working)
        if self.arrived and not self.done:
            self.answer = self.now.answer()
            rows = self.answer[0]
            self.value = primal(self.question, self.answer, screening.original(rows), columns.norms[rows])

    def _begin(self, columns: LassoColumns, places: Int64, working: WorkingSet) -> None:
        """Find λ_max, where x is 0; where it is below λ already, begin there."""
        among = WorkingSet(working.rows, working.places[np.searchsorted(places, self.first)])
        c = among.products(self.question.b)
        level = max(self.question.penalty, float(np.abs(c).max(initial=0.0)))
        self.now = self.before = replace(self.now, level=level)
        if columns.count > WHOLE:
            self.goal = max(self.question.penalty, level * self.fall)
        if self.question.penalty < FLOOR * level:
            self._give_up(f"λ is below {FLOOR:g} of {level:.3g}, where the first coefficient appears")

    def _proved(self, answer: ColumnAnswer) -> bool:
        """Make the certificate; whether the problem ends here."""
        assert self.check is not None
        self.trials += 1
        self.certificate = certify(self.question, self.answer, self.value, self.check, answer.highest())
        if self.certificate.gap <= TOLERANCE and (self.certificate.tight or self.trials >= TRIALS):
            self.done = True
        elif self.trials >= TRIALS:
            self._give_up(f"the gap stays above {TOLERANCE:g} of the objective")
        return self.done

    def _descend(self, columns: LassoColumns, places: Int64, working: WorkingSet) -> None:
        now, goal = self.now, self.goal
        most, members = min(len(places), columns.rank), np.searchsorted(places, now.columns)
        slots = Slots(working, most, members, now.signs, now.x, now.kept)
        c = working.products(now.residual)
        # The golden ratio spreads neighbours evenly between 0 and 1.
        spread = np.modf(places * 0.6180339887498949)[0]
        status, steps, residual = descend(
            working, self.question.b, slots, c, spread, (now.level, goal), goal <= self.question.penalty, STEPS
        )
        members = slots.members
        kept = slots.keep() if len(members) <= KEPT else None
        signs, x = slots.active.signs[members], slots.active.x[members]
        self.before, self.near = now, self.wanted
        self.now = State(goal, places[slots.place[members]], signs, x, residual, kept)
        self.steps = steps
        if status != DONE:
            self._give_up(
                "a dependent column could not be exchanged" if status == STUCK else f"a path took {STEPS:,} steps"
            )
        elif self.passes >= PASSES:
            self._give_up(f"λ was not reached in {PASSES} passes")

    def _give_up(self, reason: str) -> None:
        self.done, self.reason, self.answer = True, reason, self.now.answer()


def _union(first: Int64, second: Int64) -> Int64:
    """What is in either, in order."""
    both = np.sort(np.concatenate([first, second]))
    result: Int64 = both[np.concatenate([[True], both[1:] != both[:-1]])[: len(both)]]
    return result


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer for one target.

    columns       rows of the dictionary with a coefficient other than 0, in order
    coefficients  theirs
    objective     ½‖Ax − b‖² + λ‖x‖₁
    gap           duality gap as a share of the objective; infinity where the path broke off before λ
    status        "certified" where the gap is at most 1e-8, else "uncertified"
    reason        why it is not certified; empty where it is
    """

    columns: Int64
    coefficients: Float64
    objective: float
    gap: float
    status: Literal["certified", "uncertified"]
    reason: str

    @property
    def support(self) -> int:
        """How many coefficients are not 0."""
        return len(self.columns)


def solve_lasso(
    dictionary: LassoColumns,
    targets: npt.ArrayLike,
    penalty: float,
    left_out: Sequence[npt.ArrayLike] | None = None,
    threads: int = 1,
) -> list[Solution]:
    """One solution per target.

    dictionary  the columns, in memory or split into parts; the result does not depend on which
    targets     [m, d], the right-hand sides
    penalty     λ of the formula above (scikit-learn divides the squares by d: its alpha is λ/d)
    left_out    for each target, columns as they came to the dictionary that this problem does not have; a column that
                has equals stays as long as one of them does
    threads     how many work at once; the result does not depend on it
    """
    given = np.asarray(targets, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != dictionary.length:
        raise ValueError(f"`targets` must have the shape (m, {dictionary.length}), got {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError("`targets` must be finite numbers, got NaN or infinity")
    check_penalty(penalty)
    if threads < 1:
        raise ValueError(f"`threads` must be at least 1, got {threads}")
    absent = [np.empty(0, np.int64)] * len(given) if left_out is None else [_rows(dictionary, w) for w in left_out]
    if len(absent) != len(given):
        raise ValueError(f"`left_out` must have one entry per target ({len(given)}), got {len(absent)}")
    inside, outside = dictionary.into(given)
    problems = [
        LassoProblem(Question(target, b, float(rest), float(penalty), gone))
        for target, b, rest, gone in zip(given, inside, outside, absent, strict=True)
    ]
    with one_thread(), ThreadPoolExecutor(threads) as pool:
        each = _each(pool, threads)
        screening = dictionary.screening(min(BATCH, len(problems)), each)
        for start in range(0, len(problems), BATCH):
            _solve_batch(dictionary, problems[start : start + BATCH], screening, each)
    return [_solution(problem) for problem in problems]


def check_penalty(penalty: float) -> None:
    """Refuse what is no λ."""
    if penalty == 0:
        reason = ": without a penalty a dictionary with more columns than numbers has no single answer to rank by"
    elif np.isfinite(penalty) and penalty > 0:
        return
    else:
        reason = ""
    raise ValueError(f"`penalty` must be a finite number above 0, got {penalty}{reason}")


def _solve_batch(columns: LassoColumns, problems: list[LassoProblem], screening: Screening, each: Each) -> None:
    running = problems
    while running:
        answers = screening.see([problem.ask(columns) for problem in running])
        looked: list[Int64 | None] = [None] * len(running)
        each(partial(_look, columns, running, answers, looked), range(len(running)))
        going = [(problem, places) for problem, places in zip(running, looked, strict=True) if places is not None]
        done = 0
        for sets in screening.take([places for _, places in going]):
            tasks = zip(going[done : done + len(sets)], sets, strict=True)
            each(partial(_go_on, columns, screening), tasks)
            done += len(sets)
        running = [problem for problem in running if not problem.done]


def _look(
    columns: LassoColumns,
    running: list[LassoProblem],
    answers: Sequence[ColumnAnswer],
    looked: list[Int64 | None],
    which: int,
) -> None:
    looked[which] = running[which].look(columns, answers[which])


def _go_on(columns: LassoColumns, screening: Screening, task: tuple[tuple[LassoProblem, Int64], WorkingSet]) -> None:
    (problem, places), working = task
    problem.advance(columns, places, working, screening)


def _each(pool: ThreadPoolExecutor, threads: int) -> Each:
    def each(function: Callable[[Any], None], tasks: Iterable[Any]) -> None:
        for _ in map(function, tasks) if threads == 1 else pool.map(function, tasks):
            pass

    return each


def _rows(dictionary: LassoColumns, columns: npt.ArrayLike) -> Int64:
    """Rows of the dictionary all of whose columns are left out."""
    asked = np.unique(np.asarray(columns, dtype=np.int64))
    if len(asked) and not 0 <= asked[0] <= asked[-1] < len(dictionary.group):
        raise ValueError(f"`left_out` must be columns 0 to {len(dictionary.group) - 1}, got {asked[0]} to {asked[-1]}")
    rows, gone = np.unique(dictionary.group[asked], return_counts=True)
    rows, gone = rows[rows >= 0], gone[rows >= 0]
    result: Int64 = rows[gone == dictionary.twins[rows]]
    return result


def _solution(problem: LassoProblem) -> Solution:
    proved = problem.certificate is not None and not problem.reason
    return Solution(
        *problem.answer,
        problem.certificate.objective if problem.certificate else float("nan"),
        problem.certificate.gap if problem.certificate else float("inf"),
        "certified" if proved else "uncertified",
        problem.reason,
    )
