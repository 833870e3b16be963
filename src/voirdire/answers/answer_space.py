"""Where answers are compared: a CCA's answer projection, or an encoder's own vectors.

corr(a, b) = u(a)·u(b)          u: texts to vectors of length 1
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.progress import Progress, silent

__all__ = ["AnswerSpace", "Progress", "cca_space", "encoder_space", "silent"]

Float64 = npt.NDArray[np.float64]

PIECE = 4096
"""Texts between two reports."""


@dataclass(frozen=True)
class AnswerSpace:
    """vectors: from texts to unit rows; name: what made them, for signatures; data: the files behind it, to SHA-256."""

    name: str
    vectors: Callable[[Sequence[str]], Float64]
    data: Mapping[str, str] = field(default_factory=dict)

    def rows(self, texts: Sequence[str], report: Progress = silent) -> Float64:
        """The vectors of distinct texts, with a report after every piece."""
        pieces = []
        for start in range(0, len(texts), PIECE):
            pieces.append(self.vectors(texts[start : start + PIECE]))
            report(min(start + PIECE, len(texts)), len(texts))
        return np.concatenate(pieces)


def cca_space(path: str | Path, encoder: str | None = None) -> AnswerSpace:
    """The answer projection of a trained CCA; `encoder` says where its encoder is now, if that was moved."""
    from voirdire.answers.cca_file import open_sentences, read_cca
    from voirdire.answers.correlations import Projector

    cca = read_cca(path)
    projector = Projector(cca, open_sentences(cca, encoder))
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return AnswerSpace(f"cca of {cca.encoder}", projector.answers, {"cca": digest})


def encoder_space(spec: str) -> AnswerSpace:
    """An encoder's vectors, without a CCA."""
    from voirdire.answers.cca import unit_rows
    from voirdire.text.encoders import encoder

    made = encoder(spec)
    return AnswerSpace(made.name, lambda texts: unit_rows(made.encode(texts).astype(np.float64)))
