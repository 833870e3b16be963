"""METEOR of 20,640 answers against sets of 7 to 13 references, beside METEOR 1.5's jar as pycocoevalcap drives it.

Bars: at least 5 times as fast as the jar when both are warm, at least 10 times with the start of both included (a new
process that loads and scores; the index is there already), the index built in under two minutes, scores equal.
Answers are those of real dialogues where VOIRDIRE_REAL_DATA names their folder, made-up ones else. Needs Java.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

ITEMS, WARMING, REPEATS = 20_640, 2_000, 2

Data = tuple[list[str], list[list[str]]]

# Reading the texts is no part of either side; the new process says how long it took.
FRESH = """
import json, sys, time
start = time.perf_counter()
data = json.load(open(sys.argv[1]))
print(time.perf_counter() - start)
from voirdire.metrics.meteor import meteor_segments
meteor_segments(*data)
"""


def real_answers(folder: Path) -> list[list[str]]:
    """The candidates of every round of the dialogues that have them."""
    from voirdire.formats.visdial import read_visdial

    files = ("visdial_1.0_val_first50.json", "visdialconv/visdial_1.0_val_crowdsourced.json")
    rounds = []
    for file in files:
        record = read_visdial(folder / "visdial" / file)
        rounds += [[record.answers[at] for at in options] for options in record.options.reshape(-1, 100)]
    return rounds


def made_answers(rng: np.random.Generator) -> list[list[str]]:
    """Rounds of 100 candidates out of a small grammar."""
    openings = (
        "yes",
        "no",
        "i think",
        "it looks like",
        "there is",
        "i can see",
        "maybe",
        "not really,",
        "she's wearing",
    )
    amounts = ("a", "the", "two", "several", "many", "some kind of", "only one", "a pair of")
    kinds = ("red", "large", "small", "wooden", "bright", "white and black", "plastic", "old", "sunny", "dark-blue")
    things = ("dog", "cars", "bench", "umbrella", "trees", "people", "kitchen", "skateboards", "plates", "windows")
    places = ("", "on the left", "in the background", "behind him", "near the table", "but it's blurry", "outside.")
    every = [" ".join(parts).strip() for parts in itertools.product(openings, amounts, kinds, things, places)]
    return [[every[at] for at in rng.choice(len(every), 100, replace=False)] for _ in range(1_470)]


def make_data() -> Data:
    """Hypotheses that are distinct, and for each some candidates of one round."""
    rng = np.random.default_rng(20_640)
    folder = os.environ.get("VOIRDIRE_REAL_DATA")
    rounds = real_answers(Path(folder)) if folder else made_answers(rng)
    pool = sorted({text for options in rounds for text in options if "|" not in text and text.strip()})
    hypotheses = [pool[at] for at in rng.permutation(len(pool))[:ITEMS]]
    references = []
    for item in range(ITEMS):
        options = [text for text in rounds[item % len(rounds)] if "|" not in text and text.strip()]
        references.append([options[at] for at in rng.choice(len(options), rng.integers(7, 14), replace=False)])
    return hypotheses, references


class Jar:
    """pycocoevalcap's own driver of the jar."""

    def __init__(self) -> None:
        from pycocoevalcap.meteor.meteor import Meteor

        self.meteor = Meteor()

    def scores(self, hypotheses: list[str], references: list[list[str]]) -> np.ndarray:
        """The scores of the segments."""
        given = dict(enumerate(references))
        return np.array(self.meteor.compute_score(given, {at: [text] for at, text in enumerate(hypotheses)})[1])


def timed(function: Callable[[], np.ndarray], repeats: int = REPEATS) -> tuple[float, np.ndarray]:
    """The best wall time of some repeats, and the scores."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        scores = function()
        best = min(best, seconds_since(start))
    return best, scores


def seconds_since(start: float) -> float:
    return time.perf_counter() - start


def fresh_process(file: Path) -> float:
    """The wall time of a new process that loads and scores, but for the reading of the texts."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", FRESH, str(file)], check=True, capture_output=True, text=True)
    return seconds_since(start) - float(done.stdout)


def main() -> int:
    """Run both, check that they agree, print times and bars; 1 where a bar is missed."""
    hypotheses, references = make_data()
    distinct = len(set(hypotheses)) / len(hypotheses)
    sizes = [len(texts) for texts in references]
    words = np.mean([len(text.split()) for text in itertools.chain(hypotheses, *references)])
    print(
        f"{ITEMS:,} answers, {distinct:.0%} of them distinct, {np.mean(sizes):.1f} references each, {words:.1f} words"
    )

    from voirdire.metrics.meteor import meteor_segments
    from voirdire.metrics.meteor.index import build, installed_files, installed_index

    start = time.perf_counter()
    build(installed_files())
    building = seconds_since(start)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        installed_index()
    meteor_segments(hypotheses[:10], references[:10])
    ours_time, ours = timed(lambda: meteor_segments(hypotheses, references))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.json"
        file.write_text(json.dumps([hypotheses, references]))
        ours_whole = min(fresh_process(file) for _ in range(REPEATS))
    starting = theirs_time = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        jar = Jar()
        jar.scores(hypotheses[:1], references[:1])
        starting = min(starting, seconds_since(start))
        jar.scores(hypotheses[-WARMING:], references[-WARMING:])
        seconds, theirs = timed(lambda jar=jar: jar.scores(hypotheses, references), 1)
        theirs_time = min(theirs_time, seconds)
    theirs_whole = starting + theirs_time

    apart = float(np.abs(ours - theirs).max())
    warm, whole = theirs_time / ours_time, theirs_whole / ours_whole
    for name, seconds, whole_seconds in (("ours", ours_time, ours_whole), ("jar", theirs_time, theirs_whole)):
        each = seconds / ITEMS * 1e6
        print(f"  {name:5} {seconds:6.2f} s warm, {each:5.0f} µs an item; {whole_seconds:6.2f} s with its start")
    print(f"  ratio warm {warm:.1f} (bar: at least 5), start included {whole:.1f} (bar: at least 10)")
    print(f"  index built in {building:.0f} s (bar: under 120)")
    print(f"  scores apart by at most {apart:.1e}; means {ours.mean():.6f} and {theirs.mean():.6f}")
    met = apart <= 1e-9 and warm >= 5 and whole >= 10 and building < 120
    print("  bar met" if met else "  BAR MISSED")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
