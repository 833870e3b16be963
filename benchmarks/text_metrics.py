"""CIDEr, BLEU 1-4 and ROUGE-L of 20,640 generations against sets of 7 to 13 references, beside pycocoevalcap's scorers.

Both sides do the same work from the same strings, on one thread: intern or split all texts, count n-grams of orders 1
to 4 and the documents that hold them, and give every generation its CIDEr-D (the form of CIDEr that pycocoevalcap has;
ours gives all four orders), BLEU 1-4 with pycocoevalcap's tiny additions, and ROUGE-L. The scores must be equal. Then
our own default, CIDEr 1-4 without clipping and BLEU without additions, is timed too. Bar: 50 times as fast.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge

from voirdire.metrics.bleu import bleu
from voirdire.metrics.cider import cider, cider_d
from voirdire.metrics.ngrams import compare_texts
from voirdire.metrics.rouge import rouge_l

ROUNDS, WORDS, BAR, REPEATS = 20_640, 6000, 50, 2


def answers(count: int, rng: np.random.Generator) -> list[str]:
    """Made-up answers of 1 to 20 words, mostly short as people's are, some words far more frequent than others."""
    vocabulary = np.array([f"{'aeiou'[n % 5]}{n:x}" for n in range(WORDS)])
    sizes = np.minimum(1 + rng.exponential(3.4, count).astype(int), 20)
    words = vocabulary[(WORDS * rng.random(int(sizes.sum())) ** 3).astype(int)]
    return [" ".join(part) for part in np.split(words, np.cumsum(sizes)[:-1])]


def timed(function: Callable[[], Any]) -> tuple[float, float, Any]:
    """The best wall time of some repeats, the best time of the processor, and the result."""
    wall, processor, result = np.inf, np.inf, None
    for _ in range(REPEATS):
        start, used = time.perf_counter(), time.process_time()
        result = function()
        wall, processor = min(wall, time.perf_counter() - start), min(processor, time.process_time() - used)
    return wall, processor, result


def main() -> int:
    """Run both, check that they agree, print times and the bar; 1 where it is missed."""
    rng = np.random.default_rng(0)
    hypotheses = answers(ROUNDS, rng)
    first = np.append(0, np.cumsum(rng.integers(7, 14, ROUNDS)))
    references = answers(int(first[-1]), rng)
    texts = [*hypotheses, *references]
    gts = {i: references[first[i] : first[i + 1]] for i in range(ROUNDS)}
    res = {i: [text] for i, text in enumerate(hypotheses)}

    def theirs() -> tuple[Any, Any, Any]:
        return (
            Cider().compute_score(gts, res)[1],
            Bleu().compute_score(gts, res, verbose=0)[1],
            Rouge().compute_score(gts, res)[1],
        )

    def ours() -> tuple[Any, Any, Any]:
        compared = compare_texts(hypotheses, references, first)
        return cider_d(compared), bleu(compared, 1e-15, 1e-9), rouge_l(compared)

    def default() -> tuple[Any, Any, Any]:
        compared = compare_texts(hypotheses, references, first)
        return cider(compared), bleu(compared), rouge_l(compared)

    ours(), default()  # Compiled code is read from disk once.
    our_wall, our_time, (our_cider, our_bleu, our_rouge) = timed(ours)
    peer_wall, peer_time, (peer_cider, peer_bleu, peer_rouge) = timed(theirs)
    default_wall, default_time, _ = timed(default)
    np.testing.assert_allclose(our_cider[:, 3], peer_cider, rtol=0, atol=1e-12)
    np.testing.assert_allclose(our_bleu, np.array(peer_bleu).T, rtol=0, atol=1e-12)
    np.testing.assert_allclose(our_rouge, peer_rouge, rtol=0, atol=1e-12)
    words = sum(len(text.split()) for text in texts) / len(texts)
    distinct = len(set(texts)) / len(texts)
    print(f"{ROUNDS:,} generations, {len(references):,} references, {distinct:.1%} of all texts distinct,")
    print(f"  {words:.2f} words each; scores equal to 1e-12; best of {REPEATS}")
    for label, wall, processor in (
        ("pycocoevalcap", peer_wall, peer_time),
        ("ours, the same", our_wall, our_time),
        ("ours, default", default_wall, default_time),
    ):
        each = 1e6 * processor / ROUNDS
        print(f"  {label:<15} {wall:7.3f} s, processor {processor:7.3f} s, {each:7.1f} µs a generation")
    print(f"  ratio {peer_wall / our_wall:.0f} by the clock, {peer_time / our_time:.0f} by the processor; bar {BAR}")
    return int(peer_wall / our_wall < BAR)


if __name__ == "__main__":
    sys.exit(main())
