"""How the solver's loops are compiled: as `stats.compiled` does, and further so that threads may run them side by side.

Sums may be taken in any order, which lets the compiler use wide registers; the order is the same at every call. NaN and
infinity keep their meaning. Import this module late: it brings numba.

numba looks for changes in the file of a function, not in the files of those that it calls: whoever changes a kernel of
this folder removes the folder's `__pycache__`.
"""

from typing import Any

from numba import njit

__all__ = ["fast"]

OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz"}}


def fast(function: Any) -> Any:
    """Compile on first call and keep the code on disk, or only in memory where no folder can be written."""
    try:
        return njit(cache=True, **OPTIONS)(function)
    except RuntimeError:
        return njit(**OPTIONS)(function)
