"""A ranking on a Ray cluster of one node beside local processes: the same bytes, how fast, and in how much memory.

    python benchmarks/on_ray.py [--questions 2000] [--pool 186027] [--lambda 0.01] [--repeats 2]

Questions of the world as in `lasso.py` (minilm's vectors, kept in the cache), ranked by LASSO with `processes:2`, with
Ray and two workers, and with Ray and one. Times are wall-clock seconds from the first moment of the map to its last
result, the best of the repeats, which take turns; the cluster has been started before. So nothing else should be at
work on the machine, which should have two cores to spare; CPU times, which other programs disturb less, are printed
beside them.

Bars: Ray with two workers at most 10 % slower than `processes:2`; two workers at least 1.5 times as fast as one; the
dictionary once in the node's memory: what the workers map of it is shared (each has its share of the pages, PSS, not
all of them).
"""

import argparse
import contextlib
import functools
import hashlib
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from voirdire.engine import ENGINES, Engine
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.progress import Progress, Stages, silent
from voirdire.robustness.exam import RankQuestionsOptions
from voirdire.robustness.pool import make_pool
from voirdire.robustness.ranking.rank import rank_questions

SLOWER, FASTER = 1.10, 1.5


class Known:
    """Vectors that are there already, as an encoder."""

    name = "known"

    def __init__(self, texts: Sequence[str], vectors: np.ndarray) -> None:
        self.signature = hashlib.sha256(np.ascontiguousarray(vectors).data).hexdigest()
        self.dimension = vectors.shape[1]
        self._rows, self._vectors = {text: row for row, text in enumerate(texts)}, vectors

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return self._vectors[[self._rows[text] for text in texts]]


class Timed(Stages):
    """When the ranking was first and last told of."""

    def __call__(self, name: str, unit: str) -> Progress:
        if name != "rank":
            return silent
        self.first = self.last = time.perf_counter()

        def tell(done: int, total: int) -> None:
            self.last = time.perf_counter()

        return tell

    @property
    def spent(self) -> float:
        return self.last - self.first


def texts_of_the_world(count: int) -> list[str]:
    """Different questions of a text-only world, in random order."""
    from voirdire.formats.vqa_questions import read_vqa_questions
    from voirdire.world.build import build_world

    with tempfile.TemporaryDirectory() as folder:
        build_world(Path(folder), 28_000, seed=1, text_only=True)
        files = sorted(Path(folder).glob("vqa_*_questions.json"))
        texts = list(dict.fromkeys(text for file in files for text in read_vqa_questions(file).questions))
    order = np.random.default_rng(0).permutation(len(texts))[:count]
    return [texts[place] for place in order]


def asked(texts: Sequence[str], first: int) -> VqaQuestions:
    ids = np.arange(first, first + len(texts), dtype=np.int64)
    return VqaQuestions(ids, ids, tuple(texts), (None,) * len(texts), name="world")


class Watch:
    """What workers take, looked at every second: CPU time, their own memory at its peak, what they map of a file."""

    def __init__(self, file: str) -> None:
        self.file, self.own, self.mapped, self.shares, self.workers = file, 0, 0, 0, 0
        self.ticks: dict[str, int] = {}

    @contextlib.contextmanager
    def watched(self, command: str) -> Iterator["Watch"]:
        """Look at processes that are called so while the block runs."""
        over, self.ticks = threading.Event(), {}

        def look() -> None:
            while not over.wait(1.0):
                self._look(command)

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield self
        finally:
            over.set()
            thread.join()

    def _look(self, command: str) -> None:
        mapped = shares = workers = 0
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if command not in (process / "cmdline").read_text():
                    continue
                told = (process / "stat").read_text().rpartition(")")[2].split()
                if not self.file and int(told[1]) != os.getpid():
                    continue  # Somebody else's.
                self.ticks[process.name] = int(told[11]) + int(told[12])
                whole = (process / "smaps_rollup").read_text()
                self.own = max(self.own, _kilobytes(whole, "Private_Clean") + _kilobytes(whole, "Private_Dirty"))
                for part in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", (process / "smaps").read_text()):
                    if self.file and self.file in part.partition("\n")[0]:
                        mapped += _kilobytes(part, "Rss")
                        shares += _kilobytes(part, "Pss")
                        workers += 1
        if mapped > self.mapped:
            self.mapped, self.shares, self.workers = mapped, shares, workers

    @property
    def cpu(self) -> float:
        """CPU seconds of all workers of the last block."""
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")


def _kilobytes(text: str, name: str) -> int:
    return sum(map(int, re.findall(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--pool", type=int, default=186_027)
    parser.add_argument("--lambda", type=float, default=0.01, dest="lam")
    parser.add_argument("--repeats", type=int, default=2)
    given = parser.parse_args()
    import ray

    from voirdire.text.encoders import encoder

    texts = texts_of_the_world(given.pool + given.questions)
    given.pool = len(texts) - given.questions
    encoded = Known(texts, encoder("minilm").encode(texts))
    pool, questions = make_pool([asked(texts[: given.pool], 0)]), asked(texts[given.pool :], given.pool)
    options = RankQuestionsOptions(lam=given.lam)
    size = given.pool * encoded.dimension * 4 / 2**20
    print(f"{len(questions):,} questions over {given.pool:,} columns at λ = {given.lam:g}; dictionary {size:,.0f} MB")

    def rank(engine: Engine, folder: Path) -> tuple[float, str]:
        timed = Timed()
        folder.mkdir()
        rank_questions(questions, pool, folder / "r.parquet", options, encoded, engine=engine, stages=timed)
        return timed.spent, hashlib.sha256((folder / "r.parquet").read_bytes()).hexdigest()

    memory, best, digests = Watch("vectors.npy"), dict[str, float](), set[str]()
    # Neither side gives way to other programs, as Ray's workers would.
    config = {"worker_niceness": 0}
    start = functools.partial(
        ray.init, "local", _node_ip_address="127.0.0.1", include_dashboard=False, _system_config=config
    )
    with tempfile.TemporaryDirectory() as place:
        for repeat in range(given.repeats):
            for name, workers in (("processes:2", 0), ("ray, two workers", 2), ("ray, one worker", 1)):
                folder = Path(place) / f"{name}-{repeat}"
                if workers:
                    start(num_cpus=workers, log_to_driver=False, logging_level="ERROR")
                    # Of the connection that is there; the first look at the node is part of the start.
                    with ENGINES.make("ray").map(functools.partial(functools.partial, abs), [1]) as warm:
                        next(warm)
                    with memory.watched("ray::_work"):
                        spent, digest = rank(ENGINES.make("ray"), folder)
                    ray.shutdown()
                else:
                    with Watch("").watched("multiprocessing.spawn") as local:
                        spent, digest = rank(ENGINES.make("processes:2"), folder)
                cpu = memory.cpu if workers else local.cpu
                print(f"  {name}: {spent:.1f} s, {cpu:.1f} s of CPU time in its workers", flush=True)
                best[name] = min(spent, best.get(name, np.inf))
                digests.add(digest)
    slower = best["ray, two workers"] / best["processes:2"]
    faster = best["ray, one worker"] / best["ray, two workers"]
    bars = {
        f"ray with two workers takes {slower:.2f} times as long as processes:2 (bar {SLOWER:.2f})": slower <= SLOWER,
        f"two workers are {faster:.2f} times as fast as one (bar {FASTER:.1f})": faster >= FASTER,
        f"{memory.workers} workers map {memory.mapped / 1024:,.0f} MB of the dictionary; their shares of that are "
        f"{memory.shares / 1024:,.0f} MB (bar: 60 %)": memory.workers > 1 and memory.shares <= 0.6 * memory.mapped,
        "the same bytes from all": len(digests) == 1,
    }
    print(f"beside it a worker has {memory.own / 1024:,.0f} MB of its own: libraries, texts, products of a batch")
    for said, met in bars.items():
        print(f"{'met   ' if met else 'MISSED'}  {said}")
    return int(not all(bars.values()))


if __name__ == "__main__":
    sys.exit(main())
