"""How inner loops are compiled. Import this module late: it brings numba."""

from typing import Any

from numba import njit

__all__ = ["compiled"]


def compiled(function: Any) -> Any:
    """Compile on first call and keep the code on disk, or only in memory where no folder can be written."""
    try:
        return njit(cache=True)(function)
    except RuntimeError:
        return njit(function)
