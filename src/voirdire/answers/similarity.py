"""Texts compared with the reference sets of their rounds, by every family of measures: what scores and bounds share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.answers.exam import BoundOptions
from voirdire.answers.rounds import without_truth
from voirdire.errors import UsageError
from voirdire.formats.references import References
from voirdire.lazy import pl
from voirdire.metrics.cider import CORPORA, Corpus
from voirdire.metrics.ngrams import compare_texts
from voirdire.metrics.text_metric import TEXT_METRICS, Resources
from voirdire.progress import Progress, Stages
from voirdire.runs import Signature
from voirdire.stats.aggregate import FloatArray
from voirdire.text.encoders import Encoder, SpokenWords, WordTable, encoder
from voirdire.text.respelling import describe_step, respell

OWN = "references"
"""The default corpus of CIDEr: the reference sets under evaluation."""

Int64 = npt.NDArray[np.int64]
Chosen = TypeVar("Chosen", bound=BoundOptions)


@dataclass(frozen=True, eq=False)
class Statistics:
    """A column of each measure for all hypotheses, and the fingerprints of what else was read."""

    columns: dict[str, FloatArray]
    data: dict[str, str]


def prepare(options: Chosen, encoders: Sequence[Encoder] | None, stages: Stages) -> tuple[Chosen, Sequence[Encoder]]:
    """What measures need before they run, such as METEOR's index, and the encoders; and the options that name these."""
    metrics = TEXT_METRICS.choose(options.measures)
    for metric in metrics:
        if metric.prepare is not None:
            metric.prepare(stages(f"index for {metric.family.upper()}, made once", "steps"))
    if not any(metric.encodes for metric in metrics):
        return options, ()
    if encoders is not None:
        return replace(options, encoder=tuple(encoder.name for encoder in encoders)), encoders
    loaded = [encoder(name) for name in options.encoder]
    # Published distances spelt texts out for a table of word vectors.
    return options, [SpokenWords(each.backend) if isinstance(each.backend, WordTable) else each for each in loaded]


def spelt(generations: Sequence[str], options: BoundOptions) -> list[str]:
    """The generations as they are scored."""
    return list(generations) if options.as_written else respell(generations, options.respell)


def spelt_references(references: References, options: BoundOptions) -> References:
    """The references as generations are compared with them: as they are, unless asked otherwise."""
    if not options.respell_references:
        return references
    return replace(references, texts=respell(references.texts, options.respell))


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

    whole  all sets of the dataset, of which `references` are a part: CIDEr counts documents in these
    """
    metrics = TEXT_METRICS.choose(families)
    names = [encoder.name for encoder in encoders]
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
    # For progress, all metrics of words count as one pass over the texts, and each encoder of a metric as another.
    count = len(compared.distinct)
    total = count * (1 + len(encoders) * sum(metric.encodes for metric in metrics))
    scores = {
        metric.family: metric.score(compared, Resources(corpus, progress=_part_of(0, total, progress)))
        for metric in metrics
        if not metric.encodes
    }
    progress(done := count, total)
    for metric in metrics:
        if metric.encodes:
            resources = Resources(corpus, encoders, _part_of(done, total, progress))
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


def _part_of(done: int, total: int, progress: Progress) -> Progress:
    """The progress of a metric, as a part of the whole."""
    return lambda at, _: progress(done + at, total)


def sign(
    references: References,
    options: BoundOptions,
    encoders: Sequence[Encoder],
    data: dict[str, str],
) -> Signature:
    """What the figures of a comparison with reference sets depend on."""
    weighed = any(metric.weighs for metric in TEXT_METRICS.choose(options.measures))
    both = " (references too)" if options.respell_references else ""
    return Signature(
        version=__version__,
        data={"references": references.fingerprint} | data,
        references=f"{len(references)} sets of {len(references.texts) / len(references):.2f}",
        tokeniser="whitespace" if options.as_written else f"{describe_step(options.respell)}{both}, whitespace",
        encoder=",".join(f"{encoder.name}:{encoder.signature[:12]}" for encoder in encoders) or None,
        seed=options.seed,
        options={"idf": options.idf.partition(":")[0]} if weighed else {},
    )


def warn_of_sets(references: References) -> list[str]:
    """What is odd about the sets: a ground truth that is not among the members, a member without text."""
    warnings = without_truth(references)
    if empty := sum(not text.strip() for text in references.texts):
        warnings.append(f"{empty:,} references have no text; nothing is like them.")
    return warnings


class ByRound:
    """rounds[i] is the number of the round that values[i] belongs to; a round that has none gets NaN."""

    def __init__(self, rounds: Int64, values: FloatArray, count: int) -> None:
        order = np.argsort(rounds, kind="stable")
        self._rounds, self._values = rounds[order], values[order]
        counts = np.bincount(rounds, minlength=count)
        self._filled = np.flatnonzero(counts)
        self._sizes = counts[self._filled]
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._count = count

    def mean(self) -> FloatArray:
        """Σ / n"""
        return self._place(np.add.reduceat(self._values, self._starts) / self._sizes)

    def best(self, lowest: bool) -> FloatArray:
        """The highest, or where less is better the lowest."""
        return self._place((np.minimum if lowest else np.maximum).reduceat(self._values, self._starts))

    def spread(self) -> FloatArray:
        """√( Σ (x − mean)² / n )"""
        squares = (self._values - self.mean()[self._rounds]) ** 2
        return self._place(np.sqrt(np.add.reduceat(squares, self._starts) / self._sizes))

    def _place(self, values: FloatArray) -> FloatArray:
        out = np.full(self._count, np.nan)
        out[self._filled] = values
        return out


def frame(columns: Mapping[str, npt.NDArray[np.generic] | list[list[str]] | list[str]]) -> "pl.DataFrame":
    """The columns as items, lists of texts too; a figure that a round does not have is null."""
    return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))
