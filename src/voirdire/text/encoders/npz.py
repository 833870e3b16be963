"""`npz:PATH`: vectors that were made elsewhere.

The file is numpy's .npz with two arrays: `texts`, n strings, and `vectors`, n rows of numbers. Only texts that are in
it can be asked for.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from voirdire.errors import shorten
from voirdire.formats.csv_and_npz import load_npz
from voirdire.formats.files import Source, open_source
from voirdire.formats.strict import Problems
from voirdire.text.encoders.protocol import ENCODERS, split_argument

NAMES = ("texts", "vectors")
MAKE = "Write it with numpy: np.savez(file, texts=np.array(texts, str), vectors=vectors)."


class NpzTable:
    """A table of texts and their vectors."""

    name = "npz"
    costly = False

    def __init__(self, path: Path) -> None:
        self.path = path
        source = open_source(path)
        self.signature = source.fingerprint
        texts, vectors = _read(source)
        self._rows = {str(text): row for row, text in enumerate(texts)}
        self._vectors = vectors.astype(np.float32)
        self.dimension = int(vectors.shape[1])
        problems = Problems(str(path))
        for row, text in enumerate(texts if len(self._rows) < len(texts) else ()):
            if self._rows[str(text)] != row:
                problems.add(f"row {row} (from 0)", "texts", shorten(str(text)), "each text once")
        problems.check()

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        missing = [text for text in texts if text not in self._rows]
        if missing:
            problems = Problems(str(self.path))
            for text in missing:
                problems.add(f"the text {shorten(text)}", "texts", "no such text", "each text that is encoded")
            problems.check()
        return self._vectors[[self._rows[text] for text in texts]]


def _read(source: Source) -> tuple[np.ndarray, np.ndarray]:
    arrays = load_npz(source, "an .npz with the arrays texts and vectors", MAKE, wanted=NAMES)
    problems = Problems(source.name)
    for name in NAMES:
        if name not in arrays:
            problems.add("", name, "no such array", "this array", MAKE)
    problems.check()
    texts, vectors = (arrays[name] for name in NAMES)
    if texts.ndim != 1 or texts.dtype.kind != "U" or not texts.size:
        problems.add(
            "", "texts", f"{texts.dtype} of shape {texts.shape}", "strings in one dimension, at least one", MAKE
        )
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or vectors.shape[:1] != texts.shape[:1] or not vectors.size:
        expected = f"numbers of shape ({texts.size}, dimension)"
        problems.add("", "vectors", f"{vectors.dtype} of shape {vectors.shape}", expected, MAKE)
    elif not np.isfinite(vectors).all():
        bad = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        problems.add(f"row {bad} (from 0)", "vectors", "a number that is not finite", "finite numbers")
    problems.check()
    return texts, vectors


@ENCODERS.register("npz")
def npz(argument: str | None) -> NpzTable:
    """The vectors of one .npz file."""
    path, _ = split_argument("npz", argument)
    return NpzTable(path)
