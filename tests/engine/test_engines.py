"""Engines by name, and an engine of somebody else's."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import engine_tasks
import pytest
from engine_tasks import collect

from voirdire.engine import ENGINES, Here, Processes, run_map, shards
from voirdire.errors import UsageError

pytestmark = pytest.mark.slow


def test_engines_by_name() -> None:
    assert ENGINES.make("here") == Here()
    assert ENGINES.make("processes:3") == Processes(3)
    assert ENGINES.make("processes").workers >= 1  # type: ignore[attr-defined]
    for spec in ("processes:0", "processes:two", "processes:-1", "processes:", "here:1", "cluster"):
        with pytest.raises(UsageError):
            ENGINES.make(spec)


def test_another_engine_needs_the_protocol_only(tmp_path: Path) -> None:
    class Eager:
        @contextlib.contextmanager
        def map(self, prepare: Callable, items: Iterable) -> Iterator[Iterator]:
            function = prepare()
            yield iter([function(item) for item in items])

    with run_map(engine_tasks.digests(), shards(50, 10), engine=Eager(), store=tmp_path) as results:
        assert list(results) == collect(engine_tasks.digests(), 50, "here")
