"""Golden cases of the networks: inputs and outputs of their authors' code, with weights that are there or made by rule.

They are read from the folder `networks/answerers` of the real data, whose README has names, keys and the rule.
"""

import json
import os
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from voirdire.models.architectures import ARCHITECTURES, Architecture

SEED = 20260717
NETWORKS = {
    "vqa_lqi": "lqi",
    "vqa_hiecoatt": "hieco-att",
    "vqa_mutan_noatt": "mutan",
    "vqa_mutan_att": "mutan-att",
    "vqa_mlb_noatt": "mlb",
    "vqa_mlb_att": "mlb-att",
    "vqa_mlb_authors": "mlb-authors",
}
"""Beginnings of the files' names, and what the networks are called here."""


def paths() -> list[Path]:
    """The files of cases of networks that answer questions about pictures; none where there is no real data."""
    folder = os.environ.get("VOIRDIRE_REAL_DATA")
    return sorted(Path(folder, "networks", "answerers").glob("vqa_*.npz")) if folder else []


@dataclass(frozen=True, eq=False)
class GoldenCase:
    """Weights by their names in files, questions, features, and what comes out of them."""

    architecture: Architecture
    meta: dict[str, Any]
    weights: dict[str, np.ndarray]
    questions: torch.Tensor
    features: torch.Tensor
    outputs: dict[str, np.ndarray]


def read_case(path: Path) -> GoldenCase:
    """A case, with its weights made where they are not stored."""
    with np.load(path, allow_pickle=False) as file:
        held = dict(file)
    meta = json.loads(held["meta"].tobytes())
    (name,) = [ours for theirs, ours in NETWORKS.items() if path.name.startswith(theirs)]
    weights = _of(held, "w/") or {key: _weight(key, *made) for key, made in meta["weights_by_rule"].items()}
    features = held["in/v"] if "in/v" in held else _features(meta["in_v"])
    if features.ndim == 4:
        features = features.reshape(*features.shape[:2], -1).transpose(0, 2, 1).copy()
    questions, seen = torch.from_numpy(held["in/q"]), torch.from_numpy(features)
    return GoldenCase(ARCHITECTURES[name], meta, weights, questions, seen, _of(held, "out/"))


def _of(held: dict[str, np.ndarray], kind: str) -> dict[str, np.ndarray]:
    return {key.removeprefix(kind): array for key, array in held.items() if key.startswith(kind)}


def _by_rule(name: str, shape: list[int], scale: float) -> np.ndarray:
    drawn = np.random.default_rng([SEED, zlib.crc32(name.encode())]).standard_normal(shape)
    return (drawn * scale).astype(np.float32)


def _weight(name: str, shape: list[int], total: float) -> np.ndarray:
    made = _by_rule(name, shape, 0.2 if len(shape) < 2 else float(np.prod(shape[1:])) ** -0.5)
    # Embeddings with a row of padding; LQI's is a matrix without one.
    if name in ("embed.weight", "seq2vec.embedding.weight") and abs(made.sum(dtype=np.float64) - total) > 1e-3:
        made[0] = 0
    assert abs(made.sum(dtype=np.float64) - total) < 1e-3, name
    return made


def _features(how: str) -> np.ndarray:
    found = re.search(r"\[[\d, ]+\]", how)
    assert found is not None, how
    made = _by_rule("in/v", json.loads(found[0]), 1.0)
    return np.abs(made) if how.startswith("abs") else made
