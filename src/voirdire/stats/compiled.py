"""How inner loops are compiled. Import this module late: it brings numba.

Compiled code is kept on disk. numba takes a kept function for current while the file of that function is unchanged, and
does not look into the files of those that it calls: after an update it would go on with the old code of the others. So
the name under which a function is kept holds a hash of all files of kernels; a change of any of them compiles anew.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, overload

from numba import njit

__all__ = ["compiled"]

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
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        return njit(**options)(function)


@cache
def state_of(package: Path) -> str:
    """Sixteen digits that change with any file of kernels below `package`."""
    state = sha256()
    for file in sorted(package.rglob("*.py")):
        text = file.read_bytes()
        if KERNELS.search(text):
            state.update(file.relative_to(package).as_posix().encode() + b"\0" + text + b"\0")
    return state.hexdigest()[:16]
