"""Where heavy maps run: fixed shards, committed one by one, the same bytes for any number of workers."""

from voirdire.engine.engines import ENGINES, Engine, Here, SharedEngine, on_files_in
from voirdire.engine.mapping import ShardError, Span, Store, Task, run_map, shards
from voirdire.engine.processes import Processes
from voirdire.engine.workers import WorkerLost

__all__ = [
    "ENGINES",
    "Engine",
    "Here",
    "Processes",
    "ShardError",
    "SharedEngine",
    "Span",
    "Store",
    "Task",
    "WorkerLost",
    "on_files_in",
    "run_map",
    "shards",
]
