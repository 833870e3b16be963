"""What a unit of the other heavy stages costs: the CPU time of a verb on a larger part of a world, less on a smaller.

    python benchmarks/stages.py [--scenes 300]

The difference of two calls over the difference of their units leaves the start of the program out. It is for planning
how long a large run takes (`docs/scale.md`); there is no peer beside it, and no bar. Stages: propositions, and states
by an encoder. What else is heavy has a benchmark of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = str(Path(sys.executable).parent / "voirdire")


def spent(*words: object) -> float:
    """CPU seconds of a call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def part_of(dialogues: Path, count: int) -> Path:
    """The first dialogues of a file, as a file."""
    whole = json.loads(dialogues.read_text())
    whole["data"]["dialogs"] = whole["data"]["dialogs"][:count]
    made = dialogues.with_name(f"first_{count}.json")
    made.write_text(json.dumps(whole))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=300)
    scenes = parser.parse_args().scenes
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "world"
        spent("world", world, "--scenes", scenes, "--seed", 7)
        dialogues = world / "visdial_train.json"
        most = len(json.loads(dialogues.read_text())["data"]["dialogs"])
        sizes = (most // 4, most)
        files = [part_of(dialogues, size) for size in sizes]

        def slope(what: str, costs: list[float], units: list[int], unit: str) -> None:
            each = (costs[1] - costs[0]) / (units[1] - units[0])
            print(f"  {what}: {1000 * each:.2f} ms of CPU time per {unit}", flush=True)

        print(f"{sizes[0]:,} and {sizes[1]:,} dialogues of a made-up world")
        made = [Path(folder) / f"propositions_{size}.json" for size in sizes]
        costs = [
            spent("scorekeeping", "propositions", "--dialogues", file, "-o", out)
            for file, out in zip(files, made, strict=True)
        ]
        slope("propositions", costs, list(sizes), "dialogue")
        states = [out.with_suffix(".h5") for out in made]
        costs = [
            spent("scorekeeping", "states", "--dialogues", file, "-o", out)
            for file, out in zip(files, states, strict=True)
        ]
        slope("states by minilm", costs, list(sizes), "dialogue")


if __name__ == "__main__":
    main()
