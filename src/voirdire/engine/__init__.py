"""Where heavy maps run: fixed shards, committed one by one, the same bytes for any number of workers."""

from voirdire.engine.here import Here
from voirdire.engine.mapping import ShardError, run_map
from voirdire.engine.processes import Processes
from voirdire.engine.protocol import ENGINES, Engine, WorkerLost
from voirdire.engine.task import Span, Task, shards

__all__ = [
    "ENGINES",
    "Engine",
    "Here",
    "Processes",
    "ShardError",
    "Span",
    "Task",
    "WorkerLost",
    "run_map",
    "shards",
]
