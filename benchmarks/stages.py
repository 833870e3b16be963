"""What a unit of the other heavy stages costs, for planning how long a large run takes (`docs/scale.md`).

    python benchmarks/stages.py [STAGE …] [--scenes 300] [--visdial FILE] [--dialogues FILE] [--steps 150]

There is no peer beside it, and no bar; what else is heavy has a benchmark of its own. Stages, all where none is named:

propositions, states   CPU time of a verb on a larger part of a world, less on a smaller: the start of the program is
                       left out
references             CPU time of all that `answers references` does, per round with 100 candidates, and of encoding
                       per answer: of a world's dialogues, repeated to 2,064, or of --visdial
probe                  CPU time per training point and epoch at the paper's size, with random vectors and shuffled
                       batches, and of a whole probe from that
texts                  what texts take of a worker's memory, by a million made-up questions of the length of VQA's
answers                how many different answers all of VisDial has, from those of --dialogues, which are some of it
"""

import argparse
import json
import math
import multiprocessing
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

COMMAND = str(Path(sys.executable).parent / "voirdire")
ROUNDS, EPOCHS, VALID = 1_232_870, 30, 23_060 * 11
"""Rounds of VisDial's train split; epochs of a probe, and points that it is validated on after each."""
TEXTS, LENGTH = 1_000_000, 33
"""Made-up questions, and their letters: the 32,347 different questions of VQA's public subset have 33.2."""


def spent(*words: object) -> float:
    """CPU seconds of a call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def clocked(function: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call in this process, and what it returns."""
    begun = time.process_time()
    found = function()
    return time.process_time() - begun, found


def world_dialogues(folder: Path, scenes: int) -> Path:
    """Dialogues of a world, made once."""
    world = folder / "world"
    if not world.exists():
        spent("world", world, "--scenes", scenes, "--seed", 7)
    return world / "visdial_train.json"


def part_of(dialogues: Path, count: int) -> Path:
    """So many dialogues as a file: the first ones, and again from the first where there are fewer."""
    whole = json.loads(dialogues.read_text())
    there = whole["data"]["dialogs"]
    whole["data"]["dialogs"] = [{**there[i % len(there)], "image_id": i + 1} for i in range(count)]
    made = dialogues.with_name(f"first_{count}.json")
    made.write_text(json.dumps(whole))
    return made


def slope(folder: Path, given: argparse.Namespace, verb: str, what: str, ending: str) -> None:
    """The difference of two calls over the difference of their dialogues."""
    dialogues = world_dialogues(folder, given.scenes)
    most = len(json.loads(dialogues.read_text())["data"]["dialogs"])
    sizes = most // 4, most
    few, many = (
        spent("scorekeeping", verb, "--dialogues", part_of(dialogues, size), "-o", folder / f"{verb}_{size}{ending}")
        for size in sizes
    )
    each = (many - few) / (sizes[1] - sizes[0])
    print(f"{what}: {1000 * each:.2f} ms of CPU time per dialogue ({sizes[0]:,} and {most:,} of a made-up world)")


def propositions(folder: Path, given: argparse.Namespace) -> None:
    slope(folder, given, "propositions", "propositions", ".json")


def states(folder: Path, given: argparse.Namespace) -> None:
    slope(folder, given, "states", "states by minilm", ".h5")


def references(folder: Path, given: argparse.Namespace) -> None:
    """Reading, encoding, the three ways to choose, and writing; what is chosen from are vectors of a quick encoder."""
    from voirdire.answers.cca.projection import encoder_space
    from voirdire.answers.exam import SetOptions
    from voirdire.answers.references import ROUNDS as PIECE
    from voirdire.answers.references import as_references, complete_rounds, correlate, members
    from voirdire.engine.threads import one_thread
    from voirdire.formats.references import write_references
    from voirdire.formats.visdial import read_visdial
    from voirdire.text.encoders.protocol import ENCODERS, DistinctEncoder

    file = given.visdial or part_of(world_dialogues(folder, given.scenes), 2_064)
    reading, visdial = clocked(lambda: read_visdial(file))
    rows, _ = complete_rounds(visdial)
    used = np.unique(visdial.options[rows])
    pool = [visdial.answers[place] for place in used.tolist()]
    unit = encoder_space("static").rows(pool)
    vectors = np.zeros((len(visdial.answers), unit.shape[1]))
    vectors[used] = unit
    print(f"references: CPU time of {len(rows):,} rounds of {file.name}, {len(used):,} different answers")
    print(f"  reading: {1e3 * reading / len(rows):.4f} ms per round")

    def write(*chosen: Any) -> None:
        write_references(as_references(*chosen), str(folder / "sets.json"))

    with one_thread():
        backend = ENCODERS.make("minilm")
        backend.encode_distinct(pool[:1])
        # Whole pieces, as they are encoded: the texts of a piece are sorted by their length.
        piece = pool[:: max(1, len(pool) // DistinctEncoder.PIECE)][: DistinctEncoder.PIECE]
        encoding, _ = clocked(lambda: backend.encode_distinct(piece))
        print(f"  encoding by minilm: {1e3 * encoding / len(piece):.2f} ms per different answer", flush=True)
        for method in ("S", "M", "G"):
            options = SetOptions(method)

            def choose(some: np.ndarray, options: SetOptions = options) -> np.ndarray:
                return members(correlate(visdial, some, vectors, vectors[:0], options), visdial.gt_index[some], options)

            def choose_all(choose: Callable[[np.ndarray], np.ndarray] = choose) -> np.ndarray:
                return np.concatenate([choose(rows[at : at + PIECE]) for at in range(0, len(rows), PIECE)])

            choose(rows[:64])  # Until everything is compiled.
            choosing, inside = clocked(choose_all)
            writing, _ = clocked(partial(write, visdial, rows, inside))
            each = 1e3 * np.array([choosing, writing]) / len(rows)
            print(f"  {method}: choosing {each[0]:.4f} ms per round, writing {each[1]:.4f} ms", flush=True)


def probe(folder: Path, given: argparse.Namespace) -> None:
    """Steps of a probe's first epoch, after some that warm it up, and predictions as after each epoch."""
    from probe import DIALOGUES, made

    from voirdire.engine.threads import one_thread
    from voirdire.models.trainer import Trainer
    from voirdire.scorekeeping.exam import ProbeTraining
    from voirdire.scorekeeping.probe.network import ProbeLearner, predict
    from voirdire.scorekeeping.probe.sample import ProbeSample

    sample, options = made(DIALOGUES, np.random.default_rng(0)), ProbeTraining()
    learner = ProbeLearner(sample, sample, 4, options)
    with one_thread():
        training = Trainer(learner, options.schedule())
        drawing, batches = clocked(lambda: list(training.batches(0)))
        for rows in batches[:10]:
            training.step(rows)
        stepping, _ = clocked(lambda: [training.step(rows) for rows in batches[10 : 10 + given.steps]])
        some = slice(0, 200_000)
        few = ProbeSample(
            sample.states,
            sample.sentences,
            sample.state[some],
            sample.sentence[some],
            sample.label[some],
            sample.group[some],
        )
        predicting, _ = clocked(lambda: predict(learner.network, few))
    each = stepping / (given.steps * options.batch) + drawing / len(sample)
    seen = predicting / len(few)
    whole = EPOCHS * (len(sample) * each + VALID * seen) / 3600
    print(f"probe: {1e6 * each:.1f} µs of CPU time per training point and epoch, {1e6 * seen:.1f} µs per prediction")
    print(
        f"  a probe of the paper's size, {len(sample):,} points and {EPOCHS} epochs, each with {VALID:,} predictions: "
        f"{whole:.1f} hours"
    )


def texts(folder: Path, given: argparse.Namespace) -> None:
    """As a worker of a LASSO ranking gets them: texts, and the table that finds their vectors."""
    rng = np.random.default_rng(0)
    letters = rng.integers(97, 123, (TEXTS, LENGTH), np.uint8)
    file = folder / "texts"
    file.write_bytes(pickle.dumps(tuple(row.tobytes().decode() for row in letters)))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        held, table = pool.apply(worker_memory, (file,))
    every = held + table
    print(f"texts: {held:.0f} bytes of a worker's memory per question of {LENGTH} letters, {table:.0f} for the table")
    print(f"  twenty million: {20e6 * every / 1e9:.1f} GB")


def worker_memory(file: Path) -> tuple[float, float]:
    """Bytes per text, and of the table per text, in this process."""
    from voirdire.robustness.ranking.rank import _Encoded

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    none = np.zeros((0, 1), np.float32)
    _Encoded("", "", (), (), none)
    # The bytes that the texts are made of are shared by all workers of a node, or given up.
    with file.open("rb") as data:
        before = resident()
        pool = pickle.load(data)
        with_texts = resident()
        encoded = _Encoded("", "", pool, (), none)
        with_table = resident()
    assert len(encoded._rows) == len(pool)
    return (with_texts - before) / len(pool), (with_table - with_texts) / len(pool)


def answers(folder: Path, given: argparse.Namespace) -> None:
    """Different answers V among n, at random, of those that are there, and how they go on.

        V(n) = Σ_answers 1 − C(N − f, n) / C(N, n)        f times each among N: what n of them have on average
        V(2n) = 2^β V(n)

    β falls with each doubling. Were it to stay as in the last one, there would be `most` in the end; were it to go on
    to fall as much as it did in the last one, `fewest`.
    """
    from scipy.special import gammaln

    from voirdire.formats.dialogues import read_dialogues

    if given.dialogues is None:
        print("answers: needs some dialogues of VisDial (--dialogues)")
        return
    said = [answer for one in read_dialogues(given.dialogues) for _, answer in one.rounds]
    times = np.array(list(Counter(said).values()))

    def different(n: int) -> float:
        left = len(said) - times
        absent = gammaln(left + 1) - gammaln(np.maximum(left - n, 0) + 1) + gammaln(len(said) - n + 1)
        return float(np.where(left >= n, 1 - np.exp(absent - gammaln(len(said) + 1)), 1.0).sum())

    sizes = [len(said) // 2**back for back in range(5, -1, -1)]
    counts = [different(size) for size in sizes]
    betas = np.diff(np.log2(counts)) / np.diff(np.log2(sizes))
    ahead, fall = math.log2(ROUNDS / len(said)), betas[-2] - betas[-1]
    most = counts[-1] * 2 ** (ahead * betas[-1])
    # The k-th doubling ahead has β − k · fall.
    fewest = counts[-1] * 2 ** (ahead * betas[-1] - fall * ahead * (ahead + 1) / 2)
    print(f"answers: {round(counts[-1]):,} different among {len(said):,}; β by doublings {np.round(betas, 3).tolist()}")
    print(f"  among the {ROUNDS:,} of VisDial's train split: {fewest:,.0f} to {most:,.0f}")


STAGES = {one.__name__: one for one in (propositions, states, references, probe, texts, answers)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", choices=[*STAGES, []], metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--visdial", type=Path)
    parser.add_argument("--dialogues", type=Path)
    parser.add_argument("--steps", type=int, default=150)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in given.stages or STAGES:
            STAGES[name](Path(folder), given)


if __name__ == "__main__":
    main()
