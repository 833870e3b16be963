"""Where texts are compared: the joint space of a trained CCA, or an encoder's own vectors.

corr(x, y) = u(x)·u(y)          u: texts to vectors of length 1, under a CCA u(x) = ψ(x) / ‖ψ(x)‖
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
from numba import prange

from voirdire.answers.cca import Cca, fingerprint_of, open_sentences, unit_rows
from voirdire.answers.cca.sentences import Sentences
from voirdire.engine import Engine
from voirdire.progress import Progress, silent
from voirdire.stats.compiled import compiled

Float64 = npt.NDArray[np.float64]
View = Literal["answer", "question"]

BATCH = 2048
"""Texts that are projected at once, each such piece by one worker: seconds of encoding, so that a split has many."""
PIECE = 4096
"""Texts after which progress is reported."""


class Projector:
    """Texts to unit vectors of the joint space, whose products are correlations."""

    def __init__(self, cca: Cca, sentences: Sentences, encoder: str | None = None) -> None:
        """`encoder` says where the CCA's encoder is now, if it was moved."""
        self.cca = cca
        self._sentences = sentences
        self._encoder = encoder

    def __reduce__(self) -> tuple[Callable[[Cca, str | None], "Projector"], tuple[Cca, str | None]]:
        # It is sent to a worker without its encoder, which is opened there.
        return open_projector, (self.cca, self._encoder)

    def answers(self, texts: Sequence[str], progress: Progress = silent) -> Float64:
        """Answers through the answers' projection: float64[n, k]."""
        return self._project("answer", texts, progress)

    def questions(self, texts: Sequence[str], progress: Progress = silent) -> Float64:
        """Questions through the questions' projection: float64[n, k]."""
        return self._project("question", texts, progress)

    def _project(self, view: View, texts: Sequence[str], progress: Progress) -> Float64:
        out = np.empty((len(texts), len(self.cca.eigenvalues)))
        progress(0, len(texts))
        for start in range(0, len(texts), BATCH):
            out[start : start + BATCH] = self._batch(view, texts[start : start + BATCH])
            progress(min(start + BATCH, len(texts)), len(texts))
        return out

    def _batch(self, view: View, texts: Sequence[str]) -> Float64:
        return unit_rows(self.cca.project(view, self._sentences.vectors(texts)))

    def project_on(self, engine: Engine, view: View, texts: Sequence[str], progress: Progress = silent) -> Float64:
        """The same of many texts, in parallel on an engine; bit for bit the same on any."""
        out = np.empty((len(texts), len(self.cca.eigenvalues)))
        starts = range(0, len(texts), BATCH)
        progress(0, len(texts))
        with engine.map(partial(_prepare, self, view), (texts[start : start + BATCH] for start in starts)) as blocks:
            for start, rows in zip(starts, blocks, strict=True):
                out[start : start + BATCH] = rows
                progress(start + len(rows), len(texts))
        return out


def _prepare(projector: Projector, view: View) -> Callable[[Sequence[str]], Float64]:
    """In a worker: from texts to their projections."""
    return partial(projector._batch, view)


def open_projector(cca: Cca, encoder: str | None = None) -> Projector:
    """A CCA with the encoder that it was trained with; `encoder` says where that is now, if it was moved."""
    return Projector(cca, open_sentences(cca, encoder), encoder)


@dataclass(frozen=True)
class AnswerSpace:
    """Where answers are compared with each other and with questions.

    name       what made it, for signatures
    vectors    from answers to unit rows
    data       the files behind it, to SHA-256
    questions  from questions to unit rows; None where they are taken as answers are
    """

    name: str
    vectors: Callable[[Sequence[str]], Float64]
    data: Mapping[str, str] = field(default_factory=dict)
    questions: Callable[[Sequence[str]], Float64] | None = None

    def rows(self, texts: Sequence[str], progress: Progress = silent) -> Float64:
        """The vectors of distinct answers, with progress piece by piece."""
        pieces = []
        progress(0, len(texts))
        for start in range(0, len(texts), PIECE):
            pieces.append(self.vectors(texts[start : start + PIECE]))
            progress(min(start + PIECE, len(texts)), len(texts))
        return np.concatenate(pieces)


def cca_space(cca: Cca, encoder: str | None = None) -> AnswerSpace:
    """The joint space of a trained CCA; `encoder` says where its encoder is now, if that was moved."""
    projector = open_projector(cca, encoder)
    return AnswerSpace(f"cca of {cca.encoder}", projector.answers, {"cca": fingerprint_of(cca)}, projector.questions)


def encoder_space(spec: str) -> AnswerSpace:
    """An encoder's vectors, without a CCA."""
    from voirdire.text.encoders import encoder

    chosen = encoder(spec)
    return AnswerSpace(chosen.name, lambda texts: unit_rows(chosen.encode(texts).astype(np.float64)))


# Sums may be taken in any order, which lets the compiler use wide registers; the order is still the same each time.
@compiled(parallel=True, fastmath={"reassoc", "contract", "nsz"})
def gather_dot(
    anchors: Float64, anchor: npt.NDArray[np.int64], rows: Float64, options: npt.NDArray[np.int32]
) -> Float64:  # pragma: no cover - compiled
    """out[i, j] = anchors[anchor[i]] · rows[options[i, j]], without gathering the vectors first."""
    out = np.empty(options.shape)
    for i in prange(len(options)):
        first = anchors[anchor[i]]
        for j in range(options.shape[1]):
            second = rows[options[i, j]]
            total = 0.0
            for d in range(len(first)):
                total += first[d] * second[d]
            out[i, j] = total
    return out
