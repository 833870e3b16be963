"""One problem on its working set, from one λ down to another in stages.

A stage lowers λ by a factor, and watches only the columns whose correlation is large already; at its end all columns of
the working set are looked at in double precision. Those that were missed are brought back first.

Columns that reach the boundary at the same time could come and go without end. So each column has a penalty of its own,
larger than λ by up to one part in a million, which sets such events apart; in the last stage it is one in a thousand
million, and the coefficients are polished at λ itself.
"""

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.active import Active
from voirdire.robustness.lasso.fast import fast
from voirdire.robustness.lasso.path import DONE, STUCK, UNDERWAY, follow
from voirdire.robustness.lasso.polish import settle, sharpen
from voirdire.robustness.lasso.products import Rows, correlate

__all__ = ["descend"]

Float64 = npt.NDArray[np.float64]

# The share of λ that a stage goes down to, and the share of λ from which a column is watched on the way. With many
# active columns many are near λ, and watching costs more than looking at all columns after each stage.
FEW = 20
STAGE_OF_FEW, STAGE = 0.7, 0.97
WATCHED_OF_FEW, WATCHED = 0.65, 0.975
# Events of a stage below which the next is longer, down to LONGEST, and above which it is shorter, up to STAGE.
QUIET, BUSY, LONGEST = 8, 24, 0.7
# The largest share of λ by which penalties differ, on the way and at the end.
APART, APART_AT_LAST = 1e-6, 1e-9
# How far beyond λ, as a share of it, a correlation counts as a violation; how often the last stage may be repeated.
BEYOND = 2.0
REPEATS = 20


@fast
def descend(
    rows: Rows,
    b: Float64,
    active: Active,
    c: Float64,
    spread: Float64,
    level: float,
    goal: float,
    last: bool,
    steps: int,
) -> tuple[int, int, Float64]:  # pragma: no cover - compiled
    """Solve at λ = `goal`, from a solution at `level` ≥ goal on the active columns: (status, steps, residual).

    c       a_j · r, one a row of the working set; rows that are not active may lie beyond `level`
    spread  a number from 0 to 1, one a row, which sets penalties apart
    last    whether `goal` is the λ that was asked for
    """
    everything = np.arange(len(rows))
    watched = np.empty(len(rows), np.bool_)
    penalty, stop = np.empty(len(rows)), np.empty(len(rows))
    taken, repeats, events, stage = 0, 0, 0, STAGE
    apart = APART_AT_LAST if last and level <= goal else APART
    while True:
        violated = False
        for j in range(len(rows)):
            own = 1.0 + apart * spread[j]
            penalty[j] = level * own if active.inside[j] else max(level, abs(c[j])) * own
            violated |= not active.inside[j] and abs(c[j]) > level * (1.0 + BEYOND * apart)
        if level <= goal:
            if not violated or repeats > REPEATS:
                break
            repeats += 1
        few = active.size[0] < FEW
        edge = level * (WATCHED_OF_FEW if few else min(WATCHED, stage))
        if not violated:
            if events < QUIET:
                stage = max(LONGEST, stage * stage)
            elif events > BUSY:
                stage = min(STAGE, np.sqrt(stage))
            events = 0
            level = max(goal, level * (STAGE_OF_FEW if few else stage))
            if last and level <= goal:
                apart = APART_AT_LAST
        for j in range(len(rows)):
            stop[j] = level * (1.0 + apart * spread[j])
        status = UNDERWAY
        while status == UNDERWAY:
            for j in range(len(rows)):
                watched[j] = active.inside[j] or abs(c[j]) > edge
            status, used = follow(rows, active, watched, c, penalty, stop, steps - taken)
            taken += used
            events += used
            left = settle(rows, active, b, penalty, 1)
            if status == STUCK or taken >= steps:
                return status, taken, left
            correlate(rows, everything, len(rows), left, c)
            for j in range(len(rows)):
                if not active.inside[j]:
                    penalty[j] = max(penalty[j], abs(c[j]) * (1.0 + apart * spread[j]))
    penalty[:] = goal
    left = settle(rows, active, b, penalty, 3)
    sharpen(rows, active, left, penalty)
    return DONE, taken, left
