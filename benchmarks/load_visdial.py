"""Loading a train-sized VisDial file into flat arrays, beside `json.load` of the same file.

    python benchmarks/load_visdial.py [FILE] [--dialogues N] [--repeat N]

Without FILE a file of the size of VisDial's train split (123,287 dialogues of ten rounds with 100 options) is made in a
temporary folder. The sides run in turns, each in a process of its own, which also says its peak memory; the best time
of each counts. Bars: at least twice as fast, at most a third of the peak memory, and the same values.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["main"]

DIALOGUES, ROUNDS, OPTIONS = 123_287, 10, 100
QUESTIONS, ANSWERS = 376_000, 337_000
SAMPLES = 2_000
FASTER, SMALLER = 2.0, 1 / 3


def main() -> int:
    """Run both sides and print times, peaks, ratios and bars; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="VisDial loading against json.load")
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--dialogues", type=int, default=DIALOGUES)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--side", choices=("json", "voirdire"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        print(json.dumps({"json": load_json, "voirdire": load_ours}[arguments.side](arguments.file)))
        return 0
    if arguments.file:
        return compare(arguments.file, arguments.repeat)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visdial_train.json"
        make(path, arguments.dialogues)
        return compare(path, arguments.repeat)


def run(path: Path, side: str) -> dict[str, Any]:
    """One side on a file, in a fresh process."""
    command = [sys.executable, __file__, str(path), "--side", side]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def compare(path: Path, repeat: int) -> int:
    """Run both sides on a file and print what they need."""
    turns = [(run(path, "json"), run(path, "voirdire")) for _ in range(repeat)]
    peer, ours = (min(side, key=lambda one: one["seconds"]) for side in zip(*turns, strict=True))
    faster, smaller = peer["seconds"] / ours["seconds"], ours["peak"] / peer["peak"]
    print(f"{path.stat().st_size / 1e9:.2f} GB, {ours['dialogues']:,} dialogues, {ours['rounds']:,} rounds")
    for name, side in (("json.load", peer), ("read_visdial", ours)):
        print(f"{name:14}{side['seconds']:8.2f} s {side['cpu']:8.2f} s of CPU {side['peak'] / 1e9:8.2f} GB peak")
    same = peer["sample"] == ours["sample"] and (peer["dialogues"], peer["rounds"]) == (
        ours["dialogues"],
        ours["rounds"],
    )
    checks = {
        f"{faster:.2f} times as fast (bar: at least {FASTER:.0f})": faster >= FASTER,
        f"{smaller:.3f} of the peak memory (bar: at most {SMALLER:.3f})": smaller <= SMALLER,
        f"the same values in {len(ours['sample']):,} sampled rounds": same,
    }
    for text, passed in checks.items():
        print(f"{'ok  ' if passed else 'MISS'} {text}")
    return 0 if all(checks.values()) else 1


def measure(started: float) -> dict[str, float]:
    """Seconds since `started`, and what this process has used so far: CPU, and its largest resident set in bytes."""
    seconds, used = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "peak": peak}


def places(sizes: list[int]) -> list[tuple[int, int]]:
    """Rounds to compare: (dialogue, round), the same on both sides."""
    rng = random.Random(0)
    drawn = [rng.randrange(len(sizes)) for _ in range(SAMPLES)]
    return [(dialogue, rng.randrange(sizes[dialogue])) for dialogue in drawn]


def load_json(path: Path) -> dict[str, Any]:
    """The peer: the standard library's parser."""
    started = time.perf_counter()
    with path.open(encoding="utf-8") as file:
        document = json.load(file)
    measured = measure(started)
    data = document["data"]
    dialogs = data["dialogs"]
    sample = []
    for dialogue, number in places([len(dialog["dialog"]) for dialog in dialogs]):
        one, round_ = dialogs[dialogue], dialogs[dialogue]["dialog"][number]
        texts = one["caption"], data["questions"][round_["question"]]
        rest = round_.get("answer", -1), round_.get("gt_index", -1), round_.get("answer_options", [-1] * OPTIONS)
        sample.append([one["image_id"], *texts, *rest])
    rounds = sum(len(dialog["dialog"]) for dialog in dialogs)
    return {**measured, "dialogues": len(dialogs), "rounds": rounds, "sample": sample}


def load_ours(path: Path) -> dict[str, Any]:
    """Voir Dire, with all its checks and the file's digest."""
    import numpy as np

    from voirdire.formats.visdial import read_visdial

    started = time.perf_counter()
    visdial = read_visdial(path)
    measured = measure(started)
    sample = []
    for dialogue, number in places(np.diff(visdial.first_round).tolist()):
        row = visdial.rounds(dialogue)[number]
        texts = visdial.captions[dialogue], visdial.question_text(row)
        rest = int(visdial.answer[row]), int(visdial.gt_index[row]), visdial.options[row].tolist()
        sample.append([int(visdial.image_ids[dialogue]), *texts, *rest])
    return {**measured, "dialogues": len(visdial), "rounds": len(visdial.question), "sample": sample}


def make(path: Path, dialogues: int) -> None:
    """A file in the official layout, its numbers at random."""
    import numpy as np

    rng = np.random.default_rng(0)
    pools = {
        "questions": [f"is there a thing of kind {place} in the picture" for place in range(QUESTIONS)],
        "answers": [f"yes, there are {place} of them" for place in range(ANSWERS)],
    }
    with path.open("w", encoding="utf-8") as file:
        file.write('{"version": "1.0", "split": "train", "data": ' + json.dumps(pools)[:-1] + ', "dialogs": [')
        for image in range(dialogues):
            options = rng.integers(0, ANSWERS, (ROUNDS, OPTIONS)).tolist()
            truths, questions = rng.integers(0, OPTIONS, ROUNDS).tolist(), rng.integers(0, QUESTIONS, ROUNDS).tolist()
            rounds = [
                {"answer": row[truth], "gt_index": truth, "answer_options": row, "question": question}
                for row, truth, question in zip(options, truths, questions, strict=True)
            ]
            dialogue = {"image_id": image + 1, "caption": f"scene {image}", "dialog": rounds}
            file.write((", " if image else "") + json.dumps(dialogue))
        file.write("]}}")


if __name__ == "__main__":
    sys.exit(main())
