"""Neural encoding whose bytes do not depend on the company that a sentence keeps.

The last bits of a matrix product depend on the shapes of its factors and on how many threads share it. So every batch
here has one of a few shapes: 16 rows, as many columns as the row's own length rounded up to a multiple of 4; a batch
that is not full is filled up with repeated rows. Each product runs on one thread; several batches run side by side.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

__all__ = ["encode_fixed", "offline", "one_thread"]

ROWS = 16
STEP = 4

Forward = Callable[[Any, Any], Any]

# The number of threads is a setting of the whole process.
_turn = threading.Lock()


def encode_fixed(ids: Sequence[Sequence[int]], forward: Forward, padding: int, longest: int) -> np.ndarray:
    """One float32 row for each list of token ids.

    forward  (ids, mask), two int64 tensors of shape [16, columns] -> float tensor [16, dimension]
    padding  the id that fills a row up
    longest  the most columns that the model takes
    """
    import torch

    columns = [min(-(-len(row) // STEP) * STEP, longest) for row in ids]
    by_columns: dict[int, list[int]] = {}
    for index, width in enumerate(columns):
        by_columns.setdefault(width, []).append(index)
    batches = [
        (width, indices[start : start + ROWS])
        for width, indices in sorted(by_columns.items())
        for start in range(0, len(indices), ROWS)
    ]

    def run(batch: tuple[int, list[int]]) -> np.ndarray:
        width, indices = batch
        rows = np.full((ROWS, width), padding, dtype=np.int64)
        mask = np.zeros((ROWS, width), dtype=np.int64)
        for row in range(ROWS):
            tokens = ids[indices[min(row, len(indices) - 1)]]
            rows[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        with torch.inference_mode():
            vectors = forward(torch.from_numpy(rows), torch.from_numpy(mask))
        result: np.ndarray = vectors.float().numpy()[: len(indices)]
        return result

    with one_thread() as threads, ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(run, batches))
    vectors = np.empty((len(ids), done[0].shape[1]), dtype=np.float32)
    for (_, indices), block in zip(batches, done, strict=True):
        vectors[indices] = block
    return vectors


@contextlib.contextmanager
def one_thread() -> Iterator[int]:
    """Let torch use one thread for each operation while the block runs; gives how many it had before."""
    import torch

    with _turn:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield before
        finally:
            torch.set_num_threads(before)


@contextlib.contextmanager
def offline() -> Iterator[None]:
    """Switch the model hub off, and its progress bars, while a model is loaded from a folder."""
    from huggingface_hub import constants
    from transformers.utils import logging

    hub, bars = constants.HF_HUB_OFFLINE, logging.is_progress_bar_enabled()
    constants.HF_HUB_OFFLINE = True
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = hub
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
