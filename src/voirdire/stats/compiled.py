"""How inner loops are compiled. Import this module late: it brings numba.

Compiled code is kept on disk. numba takes a kept function for current while the file of that function is unchanged, and
does not look into the files of those that it calls: after an update it would go on with the old code of the others. So
the name under which a function is kept holds a hash of all files of kernels; a change of any of them compiles anew.

Processes that compile one function at once, for arguments of different types, would give their code the same file: each
looks which names are taken, then writes. So they keep it one after the other.
"""

import contextlib
import re
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, overload

from numba import njit
from numba.core.caching import FunctionCache

from voirdire.locks import lock_folder

__all__ = ["compiled", "fast"]

KERNELS = re.compile(rb"^(import numba|from numba import|from voirdire\S+ import (compiled|fast)\b)", re.MULTILINE)
PACKAGE = Path(__file__).parent.parent


@overload
def compiled(function: Any, /) -> Any: ...
@overload
def compiled(**options: Any) -> Callable[[Any], Any]: ...
def compiled(function: Any = None, /, **options: Any) -> Any:
    """Compile on first call and keep the code on disk, or only in memory where no folder can be written.

    options  numba's own: `parallel`, `nogil`, `fastmath`
    """
    if function is None:
        return partial(compiled, **options)
    function.__qualname__ += f"_{state_of(PACKAGE)}"
    made = njit(**options)(function)
    # What `njit(cache=True)` does, with a cache of our own; numba raises this where no folder can be written.
    with contextlib.suppress(RuntimeError):
        made._cache = _Cache(function)  # type: ignore[no-untyped-call]
    return made


fast = compiled(nogil=True, fastmath={"reassoc", "contract", "nsz"})
"""Compile further, for sums of floats that threads may take side by side: a sum may be taken in any order, which lets
the compiler use wide registers; the order is the same at every call. NaN and infinity keep their meaning."""


class _Cache(FunctionCache):
    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code of one signature while no other process keeps any beside it."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                stack.enter_context(lock_folder(Path(self.cache_path), "numba.lock", wait=True))
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


@cache
def state_of(package: Path) -> str:
    """Sixteen digits that change with any file of kernels below `package`."""
    state = sha256()
    for file in sorted(package.rglob("*.py")):
        text = file.read_bytes()
        if KERNELS.search(text):
            state.update(file.relative_to(package).as_posix().encode() + b"\0" + text + b"\0")
    return state.hexdigest()[:16]
