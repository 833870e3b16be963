"""What compiling costs on first use: the processor's seconds of a ranker's first call less those of its second.

    python benchmarks/compiling.py [lasso meteor …]

Each ranker is made, and ranks a few questions, in a process of its own whose folder of compiled code is empty; then
again in the same process. Beside it stands how many functions were compiled, those of numba's own included, and the
time of the next process, which reads what was kept. Bars: 15 s for LASSO, 25 s for METEOR.
"""

import json
import os
import subprocess
import sys
import tempfile

BARS = {"lasso": 15.0, "meteor": 25.0}

MEASURED = """
import json, sys, time
import numpy as np
from numba.core import event

class Count(event.Listener):
    compiled = 0
    def on_start(self, what): pass
    def on_end(self, what): Count.compiled += 1

event.register("numba:compile", Count())
from voirdire.robustness.rankers import make_ranker
from voirdire.text.encoders import encoder

texts = [f"what {what} is the {who} {where}" for what in ("color", "size", "kind", "shape")
         for who in ("man", "dog", "car", "red bus", "tall tree") for where in ("wearing", "doing", "near the house")]
name = sys.argv[1]
vectors = encoder("minilm") if name == "lasso" else None
if vectors is not None:
    vectors.encode(texts)
spent = []
for _ in range(2):
    start = time.process_time()
    ranker = make_ranker(name, texts, encoder=vectors)
    ranker.rank(texts[:4], [np.empty(0, np.int64)] * 4, 3)
    spent.append(time.process_time() - start)
print(json.dumps([spent[0] - spent[1], Count.compiled]))
"""


def measure(ranker: str, folder: str) -> tuple[float, int]:
    """Seconds of compiling, and how many functions."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", MEASURED, ranker], env=environment, stdout=subprocess.PIPE, check=True)
    seconds, functions = json.loads(done.stdout)
    return seconds, functions


def main() -> int:
    """Print the times; 1 where a bar is missed."""
    missed = False
    for ranker in sys.argv[1:] or [*BARS, "cider", "bleu4", "rouge_l"]:
        with tempfile.TemporaryDirectory() as folder:
            seconds, functions = measure(ranker, folder)
            kept, _ = measure(ranker, folder)
        bar = BARS.get(ranker)
        missed |= bar is not None and seconds > bar
        said = "" if bar is None else f" (bar {bar:.0f} s): {'met' if seconds <= bar else 'MISSED'}"
        print(f"  {ranker:8} {seconds:5.1f} s for {functions:3} functions, then {kept:.1f} s{said}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
