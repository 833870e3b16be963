"""How inner loops are compiled, and the two of resampling. Import this module late: it brings numba.

Compiled code is kept on disk. numba takes a kept function for current while the file of that function is unchanged, and
does not look into the files of those that it calls: after an update it would go on with the old code of the others. So
the name under which a function is kept holds a hash of all files of kernels; a change of any of them compiles anew.

Processes that compile one function at once, for arguments of different types, would give their code the same file: each
looks which names are taken, then writes. So they keep it one after the other.

The two loops here draw entries with replacement, or swap them by fair coins, and add up. Resample number b has a random
stream of its own: word i of it is splitmix64 at the place start(key, b) + i. So it is the same whatever else is
computed, in whatever order or process. Sums run in one fixed order; no library thread has a say.
"""

import contextlib
import re
import warnings
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, overload

import numpy as np
from numba import njit
from numba.core import event
from numba.core.caching import FunctionCache

from voirdire.atomic import lock_folder
from voirdire.errors import UsageError
from voirdire.progress import COMPILING, report_compiling

KERNELS = re.compile(
    rb"^(import numba|from numba import|from voirdire\S+ import (compiled|fast|inner)\b)", re.MULTILINE
)
PACKAGE = Path(__file__).parent.parent
SETTINGS = Path(".numba_config.yaml")

# numba reads this file of the working folder, which may name the folder of its kept code, and that code is run.
if SETTINGS.exists():
    raise UsageError(
        f"the working folder holds {SETTINGS}, which says whose compiled code is run; move it away, or call Voir Dire "
        "from another folder. Variables such as NUMBA_CACHE_DIR say the same things."
    )


@overload
def compiled(function: Any, /) -> Any: ...
@overload
def compiled(**options: Any) -> Callable[[Any], Any]: ...
def compiled(function: Any = None, /, **options: Any) -> Any:
    """Compile on first call and keep the code on disk, or only in memory where no folder can be written.

    options  numba's own: `parallel`, `nogil`, `fastmath`, `no_cpython_wrapper`, `no_cfunc_wrapper`
    """
    if function is None:
        return partial(compiled, **options)
    function.__qualname__ += f"_{state_of(PACKAGE)}"
    dispatcher = njit(**options)(function)
    # What `njit(cache=True)` does, with a cache of our own; numba raises this where no folder can be written.
    with contextlib.suppress(RuntimeError):
        dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return dispatcher


fast = compiled(nogil=True, fastmath={"reassoc", "contract", "nsz"})
"""Compile further, for sums of floats that threads may take side by side: a sum may be taken in any order, which lets
the compiler use wide registers; the order is the same at every call. NaN and infinity keep their meaning."""


def inner(function: Any) -> Any:
    """Compile what other compiled functions alone call: without what Python would call, which takes time to compile."""
    dispatcher = compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)

    def add_overload(result: Any) -> None:
        # Not where a call from Python looks for it: there is nothing to be called, and the process would end.
        dispatcher.overloads[tuple(result.signature.args)] = result

    def refuse(*given: Any, **named: Any) -> None:
        raise TypeError(f"{function.__name__} can be called by compiled functions alone")

    dispatcher.add_overload, dispatcher._compile_for_args = add_overload, refuse
    return dispatcher


class _Compiling(event.Listener):
    """Reports while a function, with all that it calls, is compiled."""

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            report_compiling(COMPILING)

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            report_compiling("")


event.register("numba:compile", _Compiling())  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kept code of one signature; where the files are damaged they are given up, and it is compiled again."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # Unpickling damaged bytes raises almost anything.
            with contextlib.suppress(Exception):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code of one signature while no other process keeps any beside it, and sweep what killed ones left.

        Where there is no room for it, a warning says so once, and the code serves this process alone.
        """
        folder, alone = Path(self.cache_path), False
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                stack.enter_context(lock_folder(folder, "numba.lock", wait=True))
                alone = True
            try:
                super().save_overload(sig, data)  # type: ignore[no-untyped-call]
                # Which of its own temporary files a killed process left.
                for left in folder.glob("*.nb[ci].tmp.*") if alone else ():
                    left.unlink(missing_ok=True)
            except OSError as error:
                reason = error.strerror or error
                message = f"{folder}: compiled code cannot be kept ({reason}); going on without"
                warnings.warn(f"{message}. NUMBA_CACHE_DIR names another folder.", stacklevel=2)


@cache
def state_of(package: Path) -> str:
    """Sixteen digits that change with any file of kernels below `package`."""
    state = sha256()
    for file in sorted(package.rglob("*.py")):
        text = file.read_bytes()
        if KERNELS.search(text):
            state.update(file.relative_to(package).as_posix().encode() + b"\0" + text + b"\0")
    return state.hexdigest()[:16]


LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
STEP = np.uint64(0x9E3779B97F4A7C15)


@compiled
def _mix(word):  # type: ignore[no-untyped-def]
    """Scatter the bits of a word, one to one."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compiled
def _fill(words, key, number):  # type: ignore[no-untyped-def]
    """The first random words of stream `number`."""
    start = _mix(key[0] + _mix(key[1] + np.uint64(number)))
    for i in range(len(words)):
        words[i] = _mix(start + np.uint64(i) * STEP)


@compiled
def _below(half, size, surplus):  # type: ignore[no-untyped-def]
    """A whole number below `size` from 32 random bits: exactly uniform, since the surplus of 2³² is drawn again."""
    scaled = half * size
    while (scaled & LOW) < surplus:
        half = _mix(half + STEP) >> HALF
        scaled = half * size
    return scaled >> HALF


@compiled
def _add_drawn(column, words):  # type: ignore[no-untyped-def]
    """Σ of as many entries as there are, drawn with replacement, two per word."""
    count = len(column)
    size = np.uint64(count)
    surplus = np.uint64(1 << 32) % size
    low = high = 0.0
    for i in range(count // 2):
        word = words[i]
        low += column[_below(word & LOW, size, surplus)]
        high += column[_below(word >> HALF, size, surplus)]
    if count % 2:
        low += column[_below(words[count // 2] & LOW, size, surplus)]
    return low + high


@compiled
def _add_swapped(column, words):  # type: ignore[no-untyped-def]
    """Σ of the entries whose coin, a bit of the words, shows heads."""
    even = odd = 0.0
    for i in range(len(words)):
        word = words[i]
        for j in range(i * 64, min(i * 64 + 64, len(column)), 2):
            even += column[j] * (word & np.uint64(1))
            if j + 1 < len(column):
                odd += column[j + 1] * ((word >> np.uint64(1)) & np.uint64(1))
            word >>= np.uint64(2)
    return even + odd


@compiled
def _add_drawn_rows(rows, words, low, high):  # type: ignore[no-untyped-def]
    """The same for many columns at once, each in the same order of additions; the sums are left in `low`."""
    count = len(rows)
    size = np.uint64(count)
    surplus = np.uint64(1 << 32) % size
    for k in range(len(low)):
        low[k] = high[k] = 0.0
    for i in range(count // 2):
        word = words[i]
        first, second = rows[_below(word & LOW, size, surplus)], rows[_below(word >> HALF, size, surplus)]
        for k in range(len(low)):
            low[k] += first[k]
            high[k] += second[k]
    if count % 2:
        last = rows[_below(words[count // 2] & LOW, size, surplus)]
        for k in range(len(low)):
            low[k] += last[k]
    for k in range(len(low)):
        low[k] += high[k]


@compiled
def sum_drawn(columns, key, out):  # type: ignore[no-untyped-def]
    """out[b, k] = Σ of columns[k] over resample b: as many draws with replacement as a column has entries."""
    words = np.empty((columns.shape[1] + 1) // 2, np.uint64)
    rows = columns.T.copy()
    low, high = np.empty(len(columns)), np.empty(len(columns))
    for number in range(out.shape[0]):
        _fill(words, key, number)
        if len(columns) == 1:
            out[number, 0] = _add_drawn(columns[0], words)
        else:
            _add_drawn_rows(rows, words, low, high)
            for k in range(len(low)):
                out[number, k] = low[k]


@compiled
def sum_swapped(columns, key, out):  # type: ignore[no-untyped-def]
    """out[b, k] = Σ of columns[k] over the entries that toss b swaps, each with probability one half."""
    words = np.empty((columns.shape[1] + 63) // 64, np.uint64)
    for number in range(out.shape[0]):
        _fill(words, key, number)
        for k in range(columns.shape[0]):
            out[number, k] = _add_swapped(columns[k], words)
