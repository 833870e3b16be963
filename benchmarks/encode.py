"""Questions encoded by minilm, beside sentence-transformers' own `encode`; then 200,000 vectors through the cache.

Bars: fixed batch shapes, which make a vector's bytes independent of its company, cost nothing (at least as fast as the
library with its own batching, all cores to both); reading a vector from the cache is at least 20 times as fast as
computing it.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from voirdire.text.cache import VectorCache
from voirdire.text.encoders.neural import minilm

TEXTS, CACHED, REPEATS = 800, 200_000, 2

THINGS = (
    "dog",
    "red car",
    "woman in a hat",
    "tall giraffe",
    "laptop",
    "slice of pizza",
    "traffic light",
    "wooden bench",
)
FORMS = (
    "is there a {}?",
    "what color is the {}?",
    "can you see a {} on the left?",
    "{}",
    "how many {}s are in the park?",
)


def texts(count: int) -> list[str]:
    """Distinct questions of mixed length."""
    forms = [form.format(thing) for form in FORMS for thing in THINGS]
    return [f"{forms[n % len(forms)]} {n // len(forms)}" for n in range(count)]


def timed(function: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """The best wall time of some repeats, and the vectors."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        vectors = function()
        best = min(best, time.perf_counter() - start)
    return best, vectors


def main() -> int:
    """Run both, check that they agree, print times and bars; 1 where a bar is missed."""
    backend, questions = minilm(), texts(TEXTS)
    backend.encode_distinct(questions[:64])
    our_time, ours = timed(lambda: backend.encode_distinct(questions))
    peer_time, theirs = timed(lambda: backend.model.encode(questions, batch_size=32, show_progress_bar=False))
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    same = bool((backend.encode_distinct(questions[::-1])[::-1] == ours).all())
    ratio = peer_time / our_time
    print(f"{TEXTS:,} questions, best of {REPEATS}")
    print(f"  ours   {our_time:6.2f} s  {TEXTS / our_time:6.0f} a second; other order, same bytes: {same}")
    print(f"  theirs {peer_time:6.2f} s  {TEXTS / peer_time:6.0f} a second; ratio {ratio:.2f}, bar 1.00")

    vectors = np.random.default_rng(0).normal(size=(CACHED, backend.dimension)).astype(np.float32)
    keys = texts(CACHED)
    with tempfile.TemporaryDirectory() as folder:
        store = VectorCache(Path(folder)).of("minilm", backend.signature)
        start = time.perf_counter()
        for at in range(0, CACHED, 4096):
            store.write(keys[at : at + 4096], vectors[at : at + 4096])
        written = time.perf_counter() - start
        start = time.perf_counter()
        found = store.read(keys)
        read = time.perf_counter() - start
    if not all((found[key] == vector).all() for key, vector in zip(keys, vectors, strict=True)):
        raise RuntimeError("the cache gave other vectors back")
    faster = (our_time / TEXTS) / (read / CACHED)
    print(f"{CACHED:,} vectors of {backend.dimension} through the cache")
    print(f"  written in {written:.1f} s, read in {read:.1f} s; {faster:.0f} times as fast as computing, bar 20")
    return int(ratio < 1 or faster < 20 or not same)


if __name__ == "__main__":
    sys.exit(main())
