"""One statistic of every measure for each hypothesis against its set of references: what `score` and `bounds` share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.formats.references import References
from voirdire.metrics.cider import CORPORA, Corpus
from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import compare_texts
from voirdire.metrics.text_metric import TEXT_METRICS, Resources
from voirdire.progress import Progress
from voirdire.stats.aggregate import FloatArray
from voirdire.text.encoders import Encoder

OWN = "references"
"""The default corpus of CIDEr: the reference sets under evaluation."""

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Statistics:
    """A column of each measure for all hypotheses, and the fingerprints of what else was read."""

    columns: dict[str, FloatArray]
    data: dict[str, str]


def measures_of(families: Sequence[str], encoders: Sequence[str]) -> tuple[Measure, ...]:
    """The measures of these families, in their order; `encoders` are the names of those that distances are by."""
    return tuple(measure for metric in TEXT_METRICS.choose(families) for measure in metric.measures(encoders))


def measure_texts(
    hypotheses: Sequence[str],
    sets: Int64,
    references: References,
    families: Sequence[str],
    idf: str,
    encoders: Sequence[Encoder],
    progress: Progress,
    whole: References | None = None,
) -> Statistics:
    """Compare each hypothesis with the set whose number `sets` gives, by every family that is asked for.

    whole  all sets of the dataset, of which `references` are a part: among these CIDEr counts documents
    """
    metrics = TEXT_METRICS.choose(families)
    names = [one.name for one in encoders]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(
            f"two encoders are called {twice[0]!r}, so their measures would be, too; score with one at a time"
        )
    corpus = None
    if any(metric.weighs for metric in metrics):
        if idf != OWN:
            corpus = CORPORA.make(idf)
        elif whole is not None and whole is not references:
            corpus = Corpus(whole.texts, len(whole), first=whole.first)
    compared = compare_texts(hypotheses, references.texts, references.first, sets, corpus.texts if corpus else ())
    # All metrics of words go over the texts once, as progress counts, and every encoder of one of vectors once more.
    count = len(compared.distinct)
    total = count * (1 + len(encoders) * sum(metric.encodes for metric in metrics))
    scores = {
        metric.family: metric.score(compared, Resources(corpus, progress=_counting_on(0, total, progress)))
        for metric in metrics
        if not metric.encodes
    }
    progress(done := count, total)
    for metric in metrics:
        if metric.encodes:
            resources = Resources(corpus, encoders, _counting_on(done, total, progress))
            scores[metric.family] = metric.score(compared, resources)
            done += count * len(encoders)
    columns: dict[str, FloatArray] = {}
    for metric in metrics:
        measures, values = metric.measures(names), scores[metric.family]
        if values.shape != (len(hypotheses), len(measures)):
            raise ValueError(
                f"text metric {metric.family} must make {len(measures)} columns of {len(hypotheses)} rows, "
                f"got shape {values.shape}"
            )
        columns.update((measure.name, values[:, at]) for at, measure in enumerate(measures))
    return Statistics(columns, {"idf": corpus.fingerprint} if corpus and corpus.fingerprint else {})


def _counting_on(done: int, total: int, progress: Progress) -> Progress:
    """The progress of a metric, as a part of the whole."""
    return lambda at, _: progress(done + at, total)
