"""Damaged Parquet files, and what the decoder by itself makes of them: many in a process, since few bring it down.

parquet_mutants.py FILE FIRST COUNT     prints a line per mutant: its number, and fine, error or panic
"""

import io
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["decoded", "mutant"]

TAIL = 8


def mutant(data: bytes, number: int) -> bytes:
    """A file with some bytes changed, in its pages or in its footer; the same number gives the same file."""
    rng = random.Random(number)
    changed = bytearray(data)
    footer = len(data) - TAIL - int.from_bytes(data[-TAIL:-4], "little")
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        place = rng.randrange(footer, len(data) - TAIL) if rng.random() < 0.4 else rng.randrange(4, footer)
        changed[place] = rng.choice((rng.randrange(256), 0, 127, 128, 255, changed[place] ^ (1 << rng.randrange(8))))
    return bytes(changed)


def decoded(file: Path, count: int) -> Iterator[tuple[int, str]]:
    """What becomes of the first mutants, by number: fine, error, panic or, where the process ended with it, death."""
    at = 0
    while at < count:
        call = [sys.executable, __file__, str(file), str(at), str(count - at)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        lines = [line.split() for line in done.stdout.splitlines()]
        yield from ((int(number), kind) for number, kind in lines)
        at = int(lines[-1][0]) + 1 if lines else at
        if at < count:
            yield at, "death"
            at += 1


def _decode(data: bytes) -> str:
    import polars as pl

    try:
        pl.read_parquet(io.BytesIO(data))
    except pl.exceptions.PanicException:
        return "panic"
    except (pl.exceptions.PolarsError, OSError):
        return "error"
    return "fine"


if __name__ == "__main__":
    original, first = Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
    for each in range(first, first + int(sys.argv[3])):
        print(each, _decode(mutant(original, each)), flush=True)
