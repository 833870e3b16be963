"""One thread for every numerical library, because the number of threads changes the last bits of a float result."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

S = TypeVar("S")
R = TypeVar("R")

# For libraries that are loaded inside the block. Numba's is not among them: it refuses to compile after a change.
VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Run the block with one thread of BLAS, OpenMP, torch and numba; afterwards all is as before."""
    import threadpoolctl  # type: ignore[import-untyped]

    with contextlib.ExitStack() as stack:
        stack.enter_context(switched_on(*VARIABLES))
        for name in ("torch", "numba"):
            module = sys.modules.get(name)
            if module is not None:
                stack.callback(module.set_num_threads, module.get_num_threads())
                module.set_num_threads(1)
        # Last, because numba may load its OpenMP only when it is asked about its threads.
        stack.enter_context(threadpoolctl.threadpool_limits(1))
        yield


@contextlib.contextmanager
def switched_on(*names: str) -> Iterator[None]:
    """Set variables of the environment to 1 while the block runs."""
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class OneThread(Generic[S, R]):
    """A function that is prepared when it is first needed, and runs with one thread. Every engine calls it this way."""

    def __init__(self, prepare: Callable[[], Callable[[S], R]]) -> None:
        self._prepare = prepare
        self._function: Callable[[S], R] | None = None

    def __call__(self, item: S) -> R:
        if self._function is None:
            with one_thread():
                self._function = self._prepare()
        # Anew for each item: the preparation may have loaded libraries that were not there to be limited before.
        with one_thread():
            return self._function(item)
