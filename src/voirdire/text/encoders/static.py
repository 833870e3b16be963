"""`static`: a table of token vectors distilled from `minilm` by the recipe of model2vec, about a hundred times faster.

    row(t)    = a_t · P (mean of minilm's last states over [CLS] t [SEP])
    vector(s) = Σ_{t in s} row(t) / ‖·‖

P    the first 256 principal components over the vocabulary
a_t  ε / (ε + p_t), ε = 1e-4, p_t ∝ 1/(rank of t + 1): frequent tokens, which stand first in the vocabulary, count less

The table is made once (under a minute) and kept in the cache folder; model2vec's own `StaticModel` encodes with it.
"""

import hashlib
import io
import multiprocessing
import threading
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.atomic import read_sealed, write_sealed
from voirdire.errors import CacheWarning, OutputError
from voirdire.text.cache import cache_folder
from voirdire.text.encoders.neural import MINILM_SHA256, minilm, one_torch_thread
from voirdire.text.encoders.protocol import ENCODERS, no_argument

DIMENSION = 256
EPSILON = 1e-4
# Every batch of the distillation has this many rows, so that its bytes are the same each time.
ROWS = 256


class StaticBackend:
    """The distilled table, made or read when it is first needed."""

    name = "static"
    costly = False
    dimension = DIMENSION

    def __init__(self, folder: Path) -> None:
        self.file = folder / "static" / f"minilm-{MINILM_SHA256[:12]}-{DIMENSION}.npy"

    @cached_property
    def table(self) -> np.ndarray:
        """The kept table; where it is missing or damaged, a new one, which is then kept."""
        if self.file.exists():
            if (kept := read_sealed(self.file)) is not None:
                return np.asarray(np.load(io.BytesIO(kept), allow_pickle=False))
            warnings.warn(f"{self.file} is not what was written; it is made again", CacheWarning, stacklevel=2)
        table = distil(minilm().model)
        buffer = io.BytesIO()
        np.save(buffer, table)
        try:
            write_sealed(self.file, [buffer.getbuffer()], len(buffer.getbuffer()))
        except OutputError as error:
            warnings.warn(f"{self.file} cannot be kept ({error})", CacheWarning, stacklevel=2)
        return table

    @cached_property
    def signature(self) -> str:
        return hashlib.sha256(self.table.tobytes()).hexdigest()

    @cached_property
    def model(self) -> Any:
        from model2vec import StaticModel
        from tokenizers import Tokenizer
        from tqdm import tqdm  # type: ignore[import-untyped]

        if multiprocessing.parent_process() is not None:
            # A worker shows no bar; the bars' own lock would be a semaphore, left behind if the worker is killed.
            tqdm.set_lock(threading.RLock())
        tokeniser = Tokenizer.from_file(str(minilm().folder / "tokenizer.json"))
        return StaticModel(self.table, tokeniser, normalize=True)

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        return np.asarray(self.model.encode(list(texts), use_multiprocessing=False), dtype=np.float32)


def distil(model: Any, dimension: int = DIMENSION) -> np.ndarray:
    """One row for each token of the vocabulary of a sentence-transformers model; rows of unused tokens are zero."""
    import torch

    tokens = model.tokenizer.convert_ids_to_tokens(list(range(len(model.tokenizer))))
    used = [number for number, token in enumerate(tokens) if not token.startswith("[unused")]
    first, last = model.tokenizer.cls_token_id, model.tokenizer.sep_token_id
    padded = used + used[:1] * (-len(used) % ROWS)

    def states(start: int) -> Any:
        ids = torch.tensor([[first, number, last] for number in padded[start : start + ROWS]])
        features = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": ids * 0}
        with torch.inference_mode():
            return model[0](features)["token_embeddings"].mean(1).double()

    with one_torch_thread() as threads, torch.inference_mode(), ThreadPoolExecutor(threads) as pool:
        means = torch.cat(list(pool.map(states, range(0, len(padded), ROWS))))[: len(used)]
        centred = means - means.mean(0)
        _, components = torch.linalg.eigh(centred.T @ centred / (len(used) - 1))
        scores = centred @ components.flip(1)[:, :dimension]
        # An eigenvector's sign is free: the largest score of each component is made positive.
        scores *= torch.sign(torch.gather(scores, 0, scores.abs().argmax(0, keepdim=True)))
    share = 1.0 / np.arange(2, len(used) + 2)
    weights = EPSILON / (EPSILON + share / share.sum())
    table = np.zeros((len(tokens), dimension), dtype=np.float32)
    table[used] = scores.numpy() * weights[:, None]
    return table


@ENCODERS.register("static")
def static(argument: str | None) -> StaticBackend:
    """The distilled table in the user's cache folder."""
    no_argument("static", argument)
    return StaticBackend(cache_folder())
