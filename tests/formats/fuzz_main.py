"""Run many mutations of every format and print a table of what became of them: `fuzz_main.py [COUNT] [FORMAT…]`.

Exits with 1 where a format broke its property, after showing the first such files.
"""

import faulthandler
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import fuzzing

from voirdire.formats.catalogue import formats
from voirdire.formats.files import Source

LIMIT = 60  # Seconds after which one file counts as a hang.


def main() -> int:
    arguments = sys.argv[1:]
    count = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 10_000
    names = arguments or [one.name for one in formats()]
    cases = fuzzing.cases()
    print(f"{'format':24}{'mutants':>10}{'fine':>10}{'error':>10}{'fault':>10}{'seconds':>10}")
    broken: list[str] = []
    for name in names:
        started = time.monotonic()
        found: Counter[str] = Counter()
        for outcome, mutant in run(cases[name], count):
            found[outcome.kind] += 1
            if outcome.kind == "fault" and found["fault"] <= 5:
                broken.append(f"{name}: {outcome.detail}\n    {mutant[:600]!r}")
        seconds = time.monotonic() - started
        counts = "".join(f"{found[kind]:>10,}" for kind in ("fine", "error", "fault"))
        print(f"{name:24}{sum(found.values()):>10,}{counts}{seconds:>10.1f}", flush=True)
    print("\n".join(broken))
    return 1 if broken else 0


def run(case, count):
    """The outcomes of `count` mutants, spread over the seeds of a format."""
    format_, seeds = fuzzing.known(case.name), fuzzing.seeds(case)
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds):
            original = format_.parse(Source("seed", seed))
            share = count // len(seeds) + (number < count % len(seeds))
            for mutant in fuzzing.mutants(seed, random.Random(f"{case.name} {number} long"), share):
                faulthandler.dump_traceback_later(LIMIT, exit=True)
                yield fuzzing.examine(case, format_, seed, original, mutant, Path(folder)), mutant
                faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    sys.exit(main())
