"""Where heavy maps run: fixed shards, committed one by one, the same bytes for any number of workers."""

from voirdire.engine.engines import ENGINES, Engine, Here, Processes, WorkerLost
from voirdire.engine.mapping import ShardError, Span, Store, Task, run_map, shards

__all__ = [
    "ENGINES",
    "Engine",
    "Here",
    "Processes",
    "ShardError",
    "Span",
    "Store",
    "Task",
    "WorkerLost",
    "run_map",
    "shards",
]
