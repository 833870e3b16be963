"""The 21 nearest of 186,027 questions by METEOR, beside METEOR 1.5's jar on every pair.

    python benchmarks/meteor_ranker.py [--texts FILE] [--questions 512]

Questions are the world's, or those of FILE, a JSON list of different ones; the last ones are the main questions. One
thread on both sides (the jar has one processor), seconds of the processor; making our index and starting the jar are
left aside. The jar is driven by pycocoevalcap and warm; its time for all pairs is not measured but extrapolated from
some of them. Our lists must be those of our METEOR on every pair, for some main questions, and the jar must give our
score to every pair of these lists and to the pairs that it is timed with. Bar: 20 times as fast. The time for the
paper's size is projected, in proportion to the pool where it is smaller.
Needs Java, and Linux, which tells the time of a process.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from pycocoevalcap.meteor.meteor import Meteor
from rankers import world_questions

from voirdire.metrics.meteor import meteor_segments
from voirdire.robustness.rankers import Neighbours, make_ranker

POOL, MAIN, TOP, BAR = 186_027, 244_302, 21, 20
CHECKED, PAIRS, WARMING, REPEATS = 8, 10_000, 20_000, 2


class Jar:
    """The jar on one processor."""

    def __init__(self) -> None:
        os.environ["JAVA_TOOL_OPTIONS"] = "-XX:ActiveProcessorCount=1 -XX:+UseSerialGC"
        self.meteor = Meteor()

    def scores(self, hypotheses: list[str], references: list[str]) -> np.ndarray:
        """The score of each pair."""
        given = {at: [text] for at, text in enumerate(references)}
        return np.array(self.meteor.compute_score(given, {at: [text] for at, text in enumerate(hypotheses)})[1])

    def seconds(self) -> float:
        """The time of the processor that it took so far."""
        fields = Path(f"/proc/{self.meteor.meteor_p.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check(found: Neighbours, pool: list[str], questions: list[str], jar: Jar) -> float:
    """Our lists of some main questions are those of every pair; how far the jar's scores are from ours."""
    apart = 0.0
    for row, question in enumerate(questions[:CHECKED]):
        scores = meteor_segments(pool, [[question]] * len(pool))
        best = np.lexsort((np.arange(len(pool)), -scores))[:TOP]
        best = best[scores[best] > 0]
        np.testing.assert_array_equal(found.places[row, : len(best)], best)
        np.testing.assert_array_equal(found.places[row, len(best) :], -1)
        np.testing.assert_array_equal(found.scores[row, : len(best)], scores[best])
        theirs = jar.scores([pool[at] for at in best], [question] * len(best))
        apart = max(apart, np.abs(theirs - scores[best]).max(initial=0.0))
    return apart


def main() -> int:
    """Run both, check that they agree, print times and the bar; 1 where it is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, help="a JSON list of different questions")
    parser.add_argument("--questions", type=int, default=512, help="how many of them are main questions")
    options = parser.parse_args()
    given = json.loads(options.texts.read_text()) if options.texts else world_questions()
    # Texts that the jar's lines can hold.
    texts = [text for text in dict.fromkeys(" ".join(text.split()) for text in given) if text and "|" not in text]
    pool, questions = texts[: min(POOL, len(texts) - options.questions)], texts[-options.questions :]
    nobody = [np.empty(0, np.int64)] * len(questions)
    print(f"{len(questions):,} main questions, a pool of {len(pool):,}; {TOP} nearest")

    start = time.process_time()
    ranker = make_ranker("meteor", pool)
    building = time.process_time() - start
    ranker.rank(questions[:2], nobody[:2], TOP)  # Compiled code is read from disk once.
    ours = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        found = ranker.rank(questions, nobody, TOP)
        ours = min(ours, time.process_time() - start)

    rng = np.random.default_rng(0)
    some = [pool[at] for at in rng.choice(len(pool), WARMING + PAIRS)]
    others = [questions[at] for at in rng.choice(len(questions), WARMING + PAIRS)]
    jar = Jar()
    jar.scores(some[:WARMING], others[:WARMING])
    some, others = some[WARMING:], others[WARMING:]
    theirs = np.inf
    for _ in range(REPEATS):
        before = jar.seconds()
        scores = jar.scores(some, others)
        theirs = min(theirs, jar.seconds() - before)
    apart = np.abs(scores - meteor_segments(some, [[text] for text in others])).max()
    apart = max(apart, check(found, pool, questions, jar))

    each, their_each = ours / len(questions), theirs / PAIRS * len(pool)
    ratio, scale = their_each / each, POOL / len(pool)
    length = (found.places >= 0).sum(axis=1).mean()
    print(f"  ours {1e3 * each:8.2f} ms a question (index {building:.1f} s, {length:.1f} in a list)")
    pair = 1e6 * theirs / PAIRS
    print(f"  jar  {1e3 * their_each:8.0f} ms a question, extrapolated from {PAIRS:,} pairs of {pair:.0f} µs")
    print(f"  lists of {CHECKED} questions equal to every pair's; scores apart from the jar's by at most {apart:.1e}")
    print(
        f"  {MAIN:,} x {POOL:,}: {(each * scale * MAIN + building) / 60:.1f} minutes, "
        f"jar {their_each * scale * MAIN / 86_400:,.0f} days"
    )
    met = ratio >= BAR and apart <= 1e-9
    print(f"  ratio {ratio:,.0f} (bar {BAR}): {'met' if met else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
