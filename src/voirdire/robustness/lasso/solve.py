"""min_x ½‖Ax − b‖² + λ‖x‖₁ for one dictionary A and many right-hand sides b, each with its certificate."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from voirdire.engine.threads import one_thread
from voirdire.robustness.lasso.certificate import Question
from voirdire.robustness.lasso.columns import ColumnAnswer, Each, Float64, Int64, LassoColumns, Screening, WorkingSet
from voirdire.robustness.lasso.problem import LassoProblem

# Right-hand sides that share the products over all columns.
BATCH = 128


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

    dictionary  the columns, in memory or cut into parts; the result does not depend on which
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
        seen = screening.see([problem.ask(columns) for problem in running])
        looked: list[Int64 | None] = [None] * len(running)
        each(partial(_look, columns, running, seen, looked), range(len(running)))
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
    seen: Sequence[ColumnAnswer],
    looked: list[Int64 | None],
    which: int,
) -> None:
    looked[which] = running[which].look(columns, seen[which])


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
