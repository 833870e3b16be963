"""The 21 nearest of 186,027 questions by BLEU 1-4, ROUGE-L and CIDEr, beside pycocoevalcap's scorers on every pair.

    python benchmarks/rankers.py [--texts FILE] [--questions 512]

Questions are the world's, or those of FILE, a JSON list of different ones; the last ones are the main questions. One
thread on both sides, seconds of the processor. Our lists must be those of our metrics on every pair, for some main
questions, and pycocoevalcap must give every pair of these lists our score: BLEU to 1e-8, since it adds 1e-15 and 1e-9
to its counts, ROUGE-L to 1e-12; its CIDEr is CIDEr-D, another measure that takes as long. Its time for all pairs is not
measured but extrapolated from some of them. Bar: 200 times as fast, the making of the index aside. The time for the
paper's size is projected from these, in proportion to the pool where it is smaller.
"""

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge

from voirdire.metrics.bleu import bleu
from voirdire.metrics.cider import Corpus, cider
from voirdire.metrics.ngrams import ComparedTexts, compare_texts
from voirdire.metrics.rouge import rouge_l
from voirdire.robustness.rankers import Neighbours, make_ranker
from voirdire.robustness.rankers.index import spaced

POOL, MAIN, TOP, BAR = 186_027, 244_302, 21, 200
CHECKED, PAIRS, AT_ONCE, REPEATS = 8, 20_000, 2_000, 2
NAMES = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge_l", "cider")
SCENES = 28_000


def world_questions() -> list[str]:
    """Different questions of a text-only world, in random order."""
    from voirdire.formats.vqa_questions import read_vqa_questions
    from voirdire.world.build import build_world

    with tempfile.TemporaryDirectory() as folder:
        build_world(folder, SCENES, seed=1, text_only=True)
        files = [read_vqa_questions(Path(folder) / f"vqa_{split}_questions.json") for split in ("train", "val")]
    texts = list(dict.fromkeys(text for file in files for text in file.questions))
    return [texts[at] for at in np.random.default_rng(0).permutation(len(texts)).tolist()]


def processor_time(function: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """The least time of the processor, and the result."""
    best, result = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        best = min(best, time.process_time() - start)
    return best, result


def score_pairs(name: str, hypotheses: list[str], references: list[str]) -> np.ndarray:
    """pycocoevalcap's score of each pair; it parts ROUGE-L's tokens at every single space, so there are no others."""
    gts = {at: [text] for at, text in enumerate(references)}
    res = {at: [text] for at, text in enumerate(hypotheses)}
    if name == "cider":
        return np.array(Cider().compute_score(gts, res)[1])
    if name == "rouge_l":
        return np.array(Rouge().compute_score(gts, res)[1])
    return np.array(Bleu(int(name[-1])).compute_score(gts, res, verbose=0)[1][-1])


def score_some(name: str, hypotheses: list[str], references: list[str]) -> None:
    """pycocoevalcap on pairs, not too many at once: it slows down with what it holds."""
    for start in range(0, len(hypotheses), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        score_pairs(name, hypotheses[part], references[part])


def metric(name: str, compared: ComparedTexts, corpus: Corpus) -> np.ndarray:
    """Our metric of each pair."""
    if name == "cider":
        return cider(compared, corpus)[:, 3]
    return rouge_l(compared) if name == "rouge_l" else bleu(compared)[:, int(name[-1]) - 1]


def check(name: str, found: Neighbours, compared: ComparedTexts, pool: list[str], questions: list[str]) -> None:
    """Our lists of some main questions are those of the metric on every pair, and pycocoevalcap agrees."""
    corpus = Corpus(pool, len(pool), first=np.arange(len(pool) + 1))
    for row in range(CHECKED):
        one = dataclasses.replace(compared, sets=np.full(len(pool), row))
        scores = metric(name, one, corpus)
        # Scores that are equal on paper may differ in their last bits.
        best = np.lexsort((np.arange(len(pool)), -np.round(scores, 13)))[:TOP]
        best = best[scores[best] > 0]
        places = found.places[row][found.places[row] >= 0]
        np.testing.assert_array_equal(places, best)
        np.testing.assert_allclose(found.scores[row, : len(places)], scores[places], rtol=1e-12)
        if name != "cider" and len(places):
            theirs = score_pairs(name, [pool[at] for at in places], [questions[row]] * len(places))
            apart = 1e-12 if name == "rouge_l" else 1e-8
            np.testing.assert_allclose(found.scores[row, : len(places)], theirs, rtol=0, atol=apart)


def main() -> int:
    """Run both, check that they agree, print times and the bar; 1 where it is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, help="a JSON list of different questions")
    parser.add_argument("--questions", type=int, default=512, help="how many of them are main questions")
    options = parser.parse_args()
    given = json.loads(options.texts.read_text()) if options.texts else world_questions()
    # Both sides get words with single spaces between them. Twice, so that ours are the same words again: a last `p.m.`
    # first loses what ends the question, then what ends the text.
    texts = list(dict.fromkeys(spaced(spaced(text)) for text in given))
    pool, questions = texts[: min(POOL, len(texts) - options.questions)], texts[-options.questions :]
    nobody = [np.empty(0, np.int64)] * len(questions)
    rng = np.random.default_rng(0)
    some = [pool[at] for at in rng.choice(len(pool), PAIRS)]
    others = [questions[at] for at in rng.choice(len(questions), PAIRS)]
    compared = compare_texts(pool, questions[:CHECKED], range(CHECKED + 1), np.zeros(len(pool)), pool)
    print(f"{len(questions):,} main questions, a pool of {len(pool):,}; {TOP} nearest")
    print(f"  pycocoevalcap: extrapolated from {PAIRS:,} pairs; lists of {CHECKED} questions equal to every pair's")
    missed = 0
    for name in NAMES:
        building, ranker = processor_time(lambda name=name: make_ranker(name, pool), 1)
        ranker.rank(questions[:2], nobody[:2], TOP)  # Compiled code is read from disk once.
        ours, found = processor_time(lambda ranker=ranker: ranker.rank(questions, nobody, TOP))
        theirs, _ = processor_time(lambda name=name: score_some(name, some, others))
        check(name, found, compared, pool, questions)
        each, their_each = ours / len(questions), theirs / PAIRS * len(pool)
        ratio = their_each / each
        missed |= ratio < BAR
        length = (found.places >= 0).sum(axis=1).mean()
        print(
            f"  {name:<8} {1e3 * each:6.3f} ms a question (index {building:.1f} s, {length:4.1f} in a list), "
            f"pycocoevalcap {their_each:5.2f} s; ratio {ratio:,.0f} (bar {BAR})"
        )
        scale = POOL / len(pool)
        print(
            f"           {MAIN:,} x {POOL:,}: {(each * scale * MAIN + building) / 60:.1f} minutes, "
            f"pycocoevalcap {their_each * scale * MAIN / 86_400:,.0f} days"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
