"""`bert:PATH?pool=cls&max_tokens=16`: a transformers model folder, read at its last layer.

    pool=cls   vector = h[0], the first token's state
    pool=mean  vector = Σ_i m_i h_i / Σ_i m_i, over the tokens that are no padding (m_i = 1)

The defaults, `cls` and 16 tokens with the special ones counted, are those of the embedding distances of the answers
exam. Any model that transformers' AutoModel loads will do.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.text.encoders.argument import digest_folder, split_argument, whole_number
from voirdire.text.encoders.fixed import encode_fixed, offline
from voirdire.text.encoders.protocol import ENCODERS

__all__ = ["BertBackend", "bert"]

POOLS = ("cls", "mean")


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
        config = json.loads((self.folder / "config.json").read_bytes())
        width = config.get("hidden_size")
        return int(width) if width else int(self.encode_distinct([""]).shape[1])

    @cached_property
    def parts(self) -> tuple[Any, Any]:
        """Tokeniser and model."""
        from transformers import AutoModel, AutoTokenizer

        with offline():
            try:
                tokeniser = AutoTokenizer.from_pretrained(str(self.folder), local_files_only=True)
                model = AutoModel.from_pretrained(str(self.folder), local_files_only=True)
            except (OSError, ValueError, KeyError) as error:
                raise InputError(
                    str(self.folder),
                    [Problem("", "", f"a folder that cannot be loaded ({error})", "a transformers model")],
                ) from None
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
    pool = options.get("pool", "cls")
    if pool not in POOLS:
        raise UsageError(f"bert: option pool is {pool!r}, expected one of: {', '.join(POOLS)}")
    # Two special tokens, and one of the text.
    return BertBackend(folder, pool, whole_number("bert", "max_tokens", options.get("max_tokens", "16"), 3))
