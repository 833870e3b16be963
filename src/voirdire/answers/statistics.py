"""One statistic of every kind for each hypothesis against its set of references: what `score` and `bounds` share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.references import References
from voirdire.metrics.bleu import BLEU, bleu
from voirdire.metrics.cider import CIDER, CORPORA, Corpus, cider
from voirdire.metrics.distance import distances
from voirdire.metrics.distance import measures as distance_measures
from voirdire.metrics.measure import Measure
from voirdire.metrics.meteor import METEOR, meteor_segments
from voirdire.metrics.ngrams import Comparison, compare_texts
from voirdire.metrics.rouge import ROUGE_L, rouge_l
from voirdire.reports import Report, silent
from voirdire.stats.aggregate import FloatArray
from voirdire.text.encoders import Encoder

__all__ = ["FAMILIES", "OWN", "Family", "Report", "Statistics", "measure_texts", "measures_of", "silent"]

Family = Literal["cider", "bleu", "meteor", "rouge", "distance"]
FAMILIES: tuple[Family, ...] = get_args(Family)
OWN = "references"
"""The default corpus of CIDEr: the reference sets under evaluation."""

PIECE = 1024

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Statistics:
    """A column of each measure for all hypotheses, and the fingerprints of what else was read."""

    columns: dict[str, FloatArray]
    data: dict[str, str]


def measures_of(families: Sequence[str], encoders: Sequence[str]) -> tuple[Measure, ...]:
    """The measures of these families, in their order; `encoders` are the names of those that distances are by."""
    by_family: dict[str, Sequence[Measure]] = {
        "cider": CIDER,
        "bleu": BLEU,
        "meteor": [METEOR],
        "rouge": [ROUGE_L],
        "distance": [measure for name in encoders for measure in distance_measures(name)],
    }
    return tuple(measure for family in FAMILIES if family in families for measure in by_family[family])


def measure_texts(
    hypotheses: Sequence[str],
    sets: Int64,
    references: References,
    families: Sequence[str],
    idf: str,
    encoders: Sequence[Encoder],
    report: Report,
) -> Statistics:
    """Compare each hypothesis with the set whose number `sets` gives, by every family that is asked for."""
    if unknown := [family for family in families if family not in FAMILIES]:
        raise UsageError(f"there is no family of measures {unknown[0]!r}; there are: {', '.join(FAMILIES)}")
    names = [one.name for one in encoders]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(
            f"two encoders are called {twice[0]!r}, so their measures would be, too; score with one at a time"
        )
    corpus = _corpus(idf) if "cider" in families else None
    texts = [*hypotheses, *references.texts]
    compared = compare_texts(hypotheses, references.texts, references.first, sets, corpus.texts if corpus else ())
    columns: list[FloatArray] = []

    def add(values: FloatArray) -> None:
        columns.extend(np.atleast_2d(values.T))

    distinct = [texts[place] for place in compared.ngrams.firsts if place < len(texts)]
    total = len(distinct) * (1 + (len(encoders) if "distance" in families else 0))
    if "cider" in families:
        add(cider(compared, corpus))
    if "bleu" in families:
        add(bleu(compared))
    if "meteor" in families:
        report(0, total)
        add(meteor_segments(hypotheses, [references.of(row) for row in sets.tolist()]))
    if "rouge" in families:
        add(rouge_l(compared))
    report(done := len(distinct), total)
    for encoder in encoders if "distance" in families else ():
        vectors = np.empty((len(distinct), encoder.dimension), np.float32)
        for at in range(0, len(distinct), PIECE):
            vectors[at : at + PIECE] = encoder.encode(distinct[at : at + PIECE])
            report(done + min(at + PIECE, len(distinct)), total)
        done += len(distinct)
        add(np.stack(_distances(compared, vectors, encoder, distinct), axis=1))
    measures = measures_of(families, names)
    named = {measure.name: column for measure, column in zip(measures, columns, strict=True)}
    return Statistics(named, {"idf": corpus.fingerprint} if corpus and corpus.fingerprint else {})


def _corpus(idf: str) -> Corpus | None:
    return None if idf == OWN else CORPORA.make(idf)


def _distances(
    compared: Comparison, vectors: npt.NDArray[np.float32], encoder: Encoder, texts: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        found = f"a vector of {texts[int(np.argmin(finite))]!r} with a number that is not finite"
        count = int((~finite).sum())
        raise InputError(
            f"encoder {encoder.name}", [Problem("", "", f"{found} ({count:,} such texts)", "finite vectors")]
        )
    return distances(compared, vectors)
