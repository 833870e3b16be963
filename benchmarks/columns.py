"""The LASSO over a pool that is cut into parts: what it costs, what travels, what each part holds.

    python benchmarks/columns.py [--vectors FILE.npy] [--questions 500 …] [--penalties 0.01 …] [--parts 1 2 5]
                                 [--room ROOM] [--ray | --wide]

Vectors are those of `lasso.py`: 186,027 columns of 384 numbers, minilm's of the world's questions, or the rows of FILE;
the last ones are the main questions. Each λ has a number of questions of its own. First the whole dictionary in memory,
then the same dictionary laid out on disk and cut into parts that this process maps and works on one after the other;
with `--ray` each part is an actor of a cluster on this machine. (Ray takes the machine's outer address: call
`unshare -n sh -c 'ip link set lo up; python benchmarks/columns.py --ray'` to stay on the loopback.)

Printed per question: CPU time (of this process; with actors, of theirs too), time, bytes to and from the parts, all
parts together, what would have come had no column been at hand from another question ("apart"), and messages. Columns
are at hand up to ROOM MiB, 512 if nothing is said; so for a pool that is far larger the truth is between the two.
A question's bytes count each part's copy of the residuals, which go to a node once where
several parts are on it. "memory per part" is what the largest part holds: its columns and the products of a batch; with
actors what the system counts as theirs alone.

--wide  186,027 columns of 4800 numbers, as in `lasso.py`, 3.6 GB, laid out and solved by a process that may hold 2 GiB
        (the limit counts what it holds itself, not files that it maps), in 8 parts

Bars: the same bits as in one memory, all gaps at most 1e-8. In parts in this process, CPU time at most 1.3 of that in
one memory.
"""

import argparse
import contextlib
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from lasso import PIECE, POOL, WIDE, vectors_of_the_world, widened

from voirdire.robustness.lasso import Dictionary, Solution, parts, solve_lasso
from voirdire.robustness.lasso.layout import ColumnLayout, MappedParts, lay_out
from voirdire.robustness.lasso.parts import SplitColumns
from voirdire.robustness.lasso.solve import BATCH

BAR, TOLERANCE = 1.3, 1e-8
WIDE_LIMIT, WIDE_PARTS, WIDE_QUESTIONS, WIDE_PENALTY = 2 * 2**30, 8, 64, 0.048
ROW = "| {:g} | {} | {} | {} | {:.1f} ms | {:.1f} ms | {} | {} | {} | {} | {} | {:.1e} | {} |"


def bits(found: list[Solution]) -> list[tuple[bytes, bytes, float]]:
    return [(one.columns.tobytes(), one.coefficients.tobytes(), one.gap) for one in found]


@contextlib.contextmanager
def mapped(layout: ColumnLayout, count: int) -> Iterator[tuple[SplitColumns, "Watch"]]:
    """Parts that this process works on."""
    columns = MappedParts(layout.folder, count)()
    each = columns.parts.parts
    sizes = [sum(one.nbytes for one in (part.original, part.norms, part.leak)) for part in each]
    # The products of a batch.
    sizes = [size + 4 * BATCH * len(part.norms) for size, part in zip(sizes, each, strict=True)]
    yield columns, Watch(lambda: 0.0, lambda: max(sizes))


@contextlib.contextmanager
def acting(layout: ColumnLayout, count: int) -> Iterator[tuple[SplitColumns, "Watch"]]:
    """Parts that are actors."""
    import ray

    from voirdire.robustness.lasso.layout import part_actors

    with part_actors(layout, count) as actors:

        def each(call) -> list[float]:
            return ray.get([ray.get_actor(name).__ray_call__.remote(call) for name in actors.names])

        yield actors(), Watch(lambda: sum(each(_own_time)), lambda: max(each(_own_memory)))


class Watch:
    """time, memory  functions: CPU seconds of the parts so far, and bytes of the largest"""

    def __init__(self, time, memory) -> None:
        self.time, self.memory = time, memory


def _own_time(_: object) -> float:
    return time.process_time()


def _own_memory(_: object) -> float:
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return 1024.0 * int(line.split()[1])
    return 0.0


def run(columns, main: np.ndarray, penalty: float, watch: "Watch | None" = None) -> tuple[list[Solution], float, float]:
    """The answers, CPU milliseconds and milliseconds per question."""
    elsewhere = watch.time if watch else lambda: 0.0
    wall, cpu = time.perf_counter(), time.process_time() + elsewhere()
    found = solve_lasso(columns, main, penalty)
    cpu, wall = time.process_time() + elsewhere() - cpu, time.perf_counter() - wall
    return found, cpu / len(main) * 1e3, wall / len(main) * 1e3


def size(number: float) -> str:
    return f"{number / 1e6:,.2f} MB" if number >= 1e5 else f"{number / 1e3:,.1f} kB"


def wide(pool: np.ndarray, main: np.ndarray) -> bool:
    """A dictionary that is larger than what this process may hold."""
    resource.setrlimit(resource.RLIMIT_DATA, (WIDE_LIMIT, WIDE_LIMIT))
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        layout = lay_out(Path(folder) / "columns", lambda: widened(pool), WIDE)
        print(f"{WIDE} numbers per column, {size(layout.path('original').stat().st_size)}: laid out in", end=" ")
        print(f"{time.process_time() - start:.0f} s of CPU")
        with mapped(layout, WIDE_PARTS) as (columns, watch):
            found, cpu, wall = run(columns, next(widened(main)), WIDE_PENALTY)
        gap, moved = max(one.gap for one in found), columns.traffic
        print(
            f"λ = {WIDE_PENALTY:g}, {len(main)} questions: {cpu:.0f} ms of CPU and {wall:.0f} ms a question,", end=" "
        )
        print(f"gap {gap:.1e};")
        print(f"a question moves {size(moved.sent / len(main))} and {size(moved.received / len(main))}", end=", ")
        print(f"apart {size(moved.wanted / len(main))}", end=", ")
        print(f"{moved.messages} messages; a part holds {size(watch.memory())}, this process {size(_own_memory(None))}")
    return gap <= TOLERANCE


def main() -> int:
    """Run what is asked for; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, help="float32[n, d], the last rows are the main questions")
    parser.add_argument("--pool", type=int, default=POOL)
    parser.add_argument("--questions", type=int, nargs="+", default=[500, 64])
    parser.add_argument("--penalties", type=float, nargs="+", default=[0.01, 1e-6])
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 2, 5])
    for name in ("ray", "wide"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--room", type=int, default=parts.ROOM // 2**20, help="MiB of columns at hand")
    asked = parser.parse_args()
    parts.ROOM = asked.room * 2**20
    vectors = np.load(asked.vectors, mmap_mode="r") if asked.vectors else vectors_of_the_world()
    pool, main = vectors[: asked.pool], np.asarray(vectors[asked.pool :])
    if asked.wide:
        return int(not wide(pool, main[:WIDE_QUESTIONS]))
    if asked.ray:
        import ray

        ray.init(include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
    good = True
    whole = Dictionary.of(pool)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        layout = lay_out(
            Path(folder) / "columns",
            lambda: (pool[at : at + PIECE] for at in range(0, len(pool), PIECE)),
            vectors.shape[1],
        )
        print(f"{whole.count:,} different columns of {whole.width}, rank {whole.rank}; laid out on disk in", end=" ")
        print(f"{time.process_time() - start:.1f} s of CPU, {size(layout.path('original').stat().st_size)}")
        print("| λ | questions | parts | where | CPU | time | to parts | from parts | apart | messages |", end="")
        print(" memory per part | gap | same bits |")
        print("|" + " --- |" * 13)
        for penalty, number in zip(asked.penalties, asked.questions, strict=True):
            some = main[:number]
            solve_lasso(whole, some[:2], penalty)
            found, cpu, wall = run(whole, some, penalty)
            held, gap = whole.single.nbytes + 4 * BATCH * whole.count, max(one.gap for one in found)
            print(
                ROW.format(penalty, number, "whole", "memory", cpu, wall, "", "", "", "", size(held), gap, ""),
                flush=True,
            )
            for count in asked.parts:
                for where, made in (("mapped", mapped), ("actors", acting))[: 1 + asked.ray]:
                    with made(layout, count) as (columns, watch):
                        solve_lasso(columns, some[:2], penalty)
                        columns.traffic.__init__()
                        columns.cache.__init__()
                        again, spent, took = run(columns, some, penalty, watch)
                        memory = watch.memory()
                    same, gap = bits(again) == bits(found), max(one.gap for one in again)
                    moved = columns.traffic
                    print(
                        ROW.format(
                            *(penalty, number, len(columns.bounds) - 1, where, spent, took),
                            *(size(one / number) for one in (moved.sent, moved.received, moved.wanted)),
                            moved.messages,
                            *(size(memory), gap, "yes" if same else "no"),
                        ),
                        flush=True,
                    )
                    good &= same and gap <= TOLERANCE and (where == "actors" or spent <= BAR * cpu)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
