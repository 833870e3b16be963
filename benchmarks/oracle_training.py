"""One epoch of oracle training on 100,000 games of the world: its time, and memory under 3 GiB.

    python benchmarks/oracle_training.py [--games 100000] [--batch 64]

There is no peer to run beside. The verb `voirdire questions train-oracle` runs in a process of its own, from reading
the games to writing the oracle, with the paper's options.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from voirdire.formats.guesswhat import write_games
from voirdire.questions.trained_oracle.model_oracle import read_oracle
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import make_game

BAR = 3.0


def main() -> int:
    """Print time and memory; 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        games, oracle = Path(name) / "games.jsonl", Path(name) / "oracle.npz"
        scenes = (make_scene(1, index) for index in range(options.games))
        write_games((make_game(scene, Random(f"1/{scene.id}/game")) for scene in scenes), games)
        size = games.stat().st_size / 2**20
        command = ["questions", "train-oracle", "--games", str(games), "-o", str(oracle), "--epochs", "1"]
        start = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        code = "from voirdire.cli.main import run; run()"
        subprocess.run([sys.executable, "-c", code, *command, "--batch", str(options.batch)], check=True)
        took = time.monotonic() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        made = read_oracle(oracle)
    peak = used.ru_maxrss / 2**20
    print(f"{options.games:,} games ({size:.0f} MiB), {made.examples:,} questions of won games, batch {options.batch}")
    print(f"one epoch, reading and writing included: {took:.0f} s, {used.ru_utime - before:.0f} s of the processor")
    print(f"peak memory {peak:.2f} GiB, bar {BAR}")
    return int(peak > BAR)


if __name__ == "__main__":
    sys.exit(main())
