"""Embedding distance: how far a hypothesis' vector is from those of its references.

    l2(h, R)     = 1/|R| · Σ_{r ∈ R} ‖v(h) − v(r)‖             lower is better
    cosine(h, R) = 1/|R| · Σ_{r ∈ R} v(h)·v(r) / (‖v(h)‖ ‖v(r)‖)

v  an encoder's vector of a text (dense-visdial, §5.1: BERT's first token, FastText's mean, for which digits become
   words, all is in lower case and white space parts: `text.encoders.word_vectors.SpokenWords`). A cosine with a vector
   of length 0, which word vectors give to a text without a known word, is 0.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.metrics.measure import Key, Measure
from voirdire.metrics.ngrams import ComparedTexts
from voirdire.metrics.text_metric import Resources, TextMetric
from voirdire.stats.aggregate import FloatArray

PAIRS = 8192
"""Pairs that are looked at together, to bound memory; a pair's figures do not depend on it."""
PIECE = 1024
"""Texts that are encoded between two reports."""


def distances(compared: ComparedTexts, vectors: npt.NDArray[np.floating]) -> tuple[FloatArray, FloatArray]:
    """L2 distance and cosine of each hypothesis, from one vector per distinct text (those interned along need none)."""
    needed = max(compared.hypotheses.max(initial=-1), compared.members.max(initial=-1)) + 1
    if len(vectors) < needed:
        raise ValueError(f"`vectors` must be one for each of {needed} distinct texts, got {len(vectors)}")
    if not np.isfinite(vectors).all():
        raise ValueError("`vectors` must be finite, got a number that is not")
    sizes = np.diff(compared.set_first)[compared.sets]
    first = np.append(0, np.cumsum(sizes))
    owner = np.repeat(np.arange(len(sizes)), sizes)
    ours = compared.hypotheses[owner]
    theirs = compared.members[compared.set_first[compared.sets][owner] + np.arange(first[-1]) - first[owner]]
    l2, cosine = np.empty(len(owner)), np.empty(len(owner))
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    for at in range(0, len(owner), PAIRS):
        here = slice(at, at + PAIRS)
        a, b = vectors[ours[here]].astype(np.float64), vectors[theirs[here]].astype(np.float64)
        both = lengths[ours[here]] * lengths[theirs[here]]
        l2[here] = np.sqrt(np.einsum("ij,ij->i", a - b, a - b))
        cosine[here] = np.einsum("ij,ij->i", a, b) / np.where(both > 0, both, 1.0)
    if not len(sizes):
        return np.empty(0), np.empty(0)
    return np.add.reduceat(l2, first[:-1]) / sizes, np.add.reduceat(cosine, first[:-1]) / sizes


def _score(compared: ComparedTexts, resources: Resources) -> FloatArray:
    texts = compared.distinct
    total = len(texts) * len(resources.encoders)
    columns: list[FloatArray] = []
    for number, encoder in enumerate(resources.encoders):
        vectors = np.empty((len(texts), encoder.dimension), np.float32)
        for at in range(0, len(texts), PIECE):
            vectors[at : at + PIECE] = encoder.encode(texts[at : at + PIECE])
            resources.progress(number * len(texts) + min(at + PIECE, len(texts)), total)
        _check_finite(vectors, texts, encoder.name)
        columns.extend(distances(compared, vectors))
    return np.stack(columns, axis=1) if columns else np.empty((len(compared.hypotheses), 0))


def _check_finite(vectors: npt.NDArray[np.float32], texts: Sequence[str], encoder: str) -> None:
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        found = f"a vector of {texts[int(np.argmin(finite))]!r} with a number that is not finite"
        count = int((~finite).sum())
        raise InputError(f"encoder {encoder}", [Problem("", "", f"{found} ({count:,} such texts)", "finite vectors")])


def measures(encoder: str) -> tuple[Measure, Measure]:
    """The measures `l2[encoder]` and `cosine[encoder]`."""
    l2 = Measure.averaged(
        Key("l2", slice=(encoder,)),
        "lower",
        label="L2 distance",
        description=f"mean distance to the references' vectors by {encoder}",
        leads=4,
    )
    cosine = Measure.averaged(
        Key("cosine", slice=(encoder,)),
        "higher",
        label="cosine",
        description=f"mean cosine with the references' vectors by {encoder}",
        leads=3,
    )
    return l2, cosine


TEXT_METRIC = TextMetric(
    "distance", lambda encoders: [measure for name in encoders for measure in measures(name)], _score, encodes=True
)
