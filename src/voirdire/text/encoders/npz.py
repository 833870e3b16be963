"""`npz:PATH`: vectors that were made elsewhere.

The file is numpy's .npz with two arrays: `texts`, n strings, and `vectors`, n rows of numbers. Only texts that are in
it can be asked for.
"""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from voirdire.errors import shorten
from voirdire.formats.strict import Problems
from voirdire.text.encoders.argument import digest_file, split_argument
from voirdire.text.encoders.protocol import ENCODERS

__all__ = ["NpzTable", "npz"]


class NpzTable:
    """A table of texts and their vectors."""

    name = "npz"
    costly = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.signature = digest_file(path)
        texts, vectors = self._read()
        self._rows = {str(text): row for row, text in enumerate(texts)}
        self._vectors = vectors.astype(np.float32)
        self.dimension = int(vectors.shape[1])
        if len(self._rows) != len(texts):
            problems = Problems(str(path))
            for row, text in enumerate(texts):
                if self._rows[str(text)] != row:
                    problems.add(f"row {row}", "texts", shorten(str(text)), "each text once")
            problems.check()

    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        problems = Problems(str(self.path))
        try:
            with np.load(self.path, allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in ("texts", "vectors") if name in arrays}
                for name in ("texts", "vectors"):
                    if name not in found:
                        problems.add("", name, f"arrays {', '.join(arrays) or 'none'}", "this array")
        except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
            problems.add("", "", f"a file that numpy cannot read ({error})", "an .npz with `texts` and `vectors`")
        problems.check()
        texts, vectors = found["texts"], found["vectors"]
        if texts.ndim != 1 or texts.dtype.kind != "U":
            problems.add("", "texts", f"{texts.dtype} of shape {texts.shape}", "strings in one dimension")
        if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or vectors.shape[:1] != texts.shape[:1]:
            expected = f"numbers of shape ({texts.size}, dimension)"
            problems.add("", "vectors", f"{vectors.dtype} of shape {vectors.shape}", expected)
        elif not np.isfinite(vectors).all():
            bad = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
            problems.add(f"row {bad}", "vectors", "a number that is not finite", "finite numbers")
        problems.check()
        return texts, vectors

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        missing = [text for text in texts if text not in self._rows]
        if missing:
            problems = Problems(str(self.path))
            for text in missing:
                problems.add("", "texts", "nothing", f"the text {shorten(text)}", "Its vector was asked for.")
            problems.check()
        return self._vectors[[self._rows[text] for text in texts]]


@ENCODERS.register("npz")
def npz(argument: str | None) -> NpzTable:
    """The vectors of one .npz file."""
    path, _ = split_argument("npz", argument)
    return NpzTable(path)
