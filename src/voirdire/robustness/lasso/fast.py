"""How the solver's loops are compiled: as `stats.compiled` does, and further so that threads may run them side by side.

Sums may be taken in any order, which lets the compiler use wide registers; the order is the same at every call. NaN and
infinity keep their meaning. Import this module late: it brings numba.
"""

from voirdire.stats.compiled import compiled

__all__ = ["fast"]

fast = compiled(nogil=True, fastmath={"reassoc", "contract", "nsz"})
