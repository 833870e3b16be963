"""A column that reaches the boundary but depends on the active ones takes the place of one of them.

With a = A_S w the residual stays as it is along  x_a = τ·s,  x_S = x_S − τ·s·w,  and so does the objective, as every
column involved is at the boundary. τ grows until the first coefficient is 0: that column leaves, and a joins.
"""

import numpy as np
import numpy.typing as npt

from voirdire.robustness.lasso.active import Active, join, leave
from voirdire.robustness.lasso.fast import fast
from voirdire.robustness.lasso.products import Rows

__all__ = ["exchange"]

Float64 = npt.NDArray[np.float64]

# A share of w that is too small to tell a coefficient's direction from rounding.
STILL = 1e-9


@fast
def exchange(rows: Rows, active: Active, place: int, sign: float, right: float) -> bool:  # pragma: no cover - compiled
    """Exchange after `join` has refused the column at `place`; False where no coefficient goes to 0.

    Usually one column leaves. Where the new one depends on those that are left as well, further ones do.
    """
    reached = 0.0
    while True:
        size = active.size[0]
        largest = 0.0
        for i in range(size):
            largest = max(largest, abs(active.w[i]))
        tau, out = np.inf, -1
        for i in range(size):
            toward_zero = sign * active.w[i] * active.signs[i]
            if toward_zero > STILL * largest:
                reach = max(0.0, active.x[i] * active.signs[i]) / toward_zero
                if reach < tau:
                    tau, out = reach, i
        if out < 0:
            return False
        for i in range(size):
            active.x[i] -= tau * sign * active.w[i]
        reached += tau
        leave(active, out)
        if join(rows, active, place, sign, right):
            active.x[active.size[0] - 1] = reached * sign
            return True
