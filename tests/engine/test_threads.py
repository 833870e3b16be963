"""One thread for every numerical library, on every engine, and as before afterwards."""

import engine_tasks
import pytest
from engine_tasks import collect

from voirdire.engine import Task

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_libraries_have_one_thread(engine: str) -> None:
    assert collect(Task("test.threads", 1, engine_tasks.threads), 20, engine) == [b"1 1"] * 2


def test_threads_are_as_before_afterwards() -> None:
    import numpy  # noqa: F401 - loads the library that has threads
    import threadpoolctl

    with threadpoolctl.threadpool_limits(2):
        before = threadpoolctl.threadpool_info()
        collect(Task("test.threads", 1, engine_tasks.threads), 10, "here")
        after = {pool["filepath"]: pool["num_threads"] for pool in threadpoolctl.threadpool_info()}
    assert before
    assert all(after[pool["filepath"]] == pool["num_threads"] for pool in before)
