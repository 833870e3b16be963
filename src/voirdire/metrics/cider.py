"""CIDEr: how much of a hypothesis' wording its references share, rare wording counting more.

    weight of n-gram g in a text = count(g) · idf(g),     idf(g) = log N − log max(1, df(g))
    CIDEr_n(h, R)  = 1/|R| · Σ_{r ∈ R} cos(h, r)          cosine of the weights of order n alone
    CIDEr-n(h, R)  = 1/n · Σ_{i ≤ n} CIDEr_i(h, R)        `cider1` … `cider4`

df  number of documents that hold the n-gram; N  number of documents. By default a document is one reference set of the
    file under evaluation (dense-visdial, §5.1); a corpus gives others:

    references:FILE  the reference sets of another file, a set being a document
    visdial:FILE     VisDial dialogues, the answers of a dialogue being a document
    file:FILE        frequencies of n-grams of 1 to 4 tokens: {"documents": N, "frequencies": {"a dog": 12, …}}

    Other packages add corpora through the entry-point group `voirdire.corpora`.

A cosine with a text that has no weight is 0. Tokens are parted by white space; case counts.

CIDEr-D (`cider_d`) also clips a hypothesis' weight at the reference's, multiplies by exp(−Δ²/2σ²), σ = 6, where Δ is
the difference in the number of bigrams, and by 10, as the evaluation server of COCO captions has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError, shorten
from voirdire.formats.files import open_source
from voirdire.formats.strict import Problems, decode
from voirdire.metrics.measure import Measure
from voirdire.metrics.ngrams import ORDERS, ComparedTexts
from voirdire.metrics.text_metric import TextMetric
from voirdire.providers import Registry
from voirdire.stats.aggregate import FloatArray

SIGMA = 6.0
SCALE = 10.0
FARTHEST = 256
"""exp(−256²/72) is 0 in double precision."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents, or the frequencies that were counted in them.

    texts        of all documents one after the other, or the n-grams themselves
    documents    how many there are
    first        int64[documents + 1]: document i holds texts[first[i]:first[i + 1]]; None where frequencies are given
    counts       the number of documents that hold each n-gram, where frequencies are given
    fingerprint  of the file
    """

    texts: Sequence[str]
    documents: int
    first: npt.NDArray[np.int64] | None = None
    counts: npt.NDArray[np.int64] | None = None
    fingerprint: str = ""


CORPORA: Registry[Corpus] = Registry("corpus", "voirdire.corpora")


def cider(compared: ComparedTexts, corpus: Corpus | None = None) -> FloatArray:
    """CIDEr-1 … CIDEr-4 of each hypothesis: (hypotheses, 4)."""
    return _mean_of_orders(_cosines(compared, corpus, False, np.ones(1)))


def cider_d(compared: ComparedTexts, corpus: Corpus | None = None) -> FloatArray:
    """CIDEr-D of orders up to 1 … 4 of each hypothesis: (hypotheses, 4); the last column is the usual figure."""
    closeness = np.exp(-(np.arange(FARTHEST + 1.0) ** 2) / (2 * SIGMA**2))
    return SCALE * _mean_of_orders(_cosines(compared, corpus, True, closeness))


def inverse_frequencies(compared: ComparedTexts, corpus: Corpus | None = None) -> FloatArray:
    """idf of every n-gram, by its number."""
    from voirdire.metrics import text_kernels as kernels

    texts = compared.ngrams
    frequencies = np.zeros(texts.bounds[-1], np.int64)
    if corpus is None:
        documents = len(compared.set_first) - 1
        kernels.document_frequencies(texts.gram_first, texts.grams, compared.set_first, compared.members, frequencies)
    else:
        documents = corpus.documents
        if len(compared.beside) != len(corpus.texts):
            raise ValueError("`corpus` must have its texts interned along (compare_texts' argument `beside`)")
        if corpus.first is not None:
            kernels.document_frequencies(texts.gram_first, texts.grams, corpus.first, compared.beside, frequencies)
        else:
            # A text of one to four tokens is its own n-gram of the highest order, the last in its list.
            frequencies[texts.grams[texts.gram_first[compared.beside + 1] - 1]] = corpus.counts
    if documents < 2:
        raise UsageError(
            "CIDEr weighs n-grams by how few documents hold them; with a single document every weight is "
            "log 1 − log 1 = 0, and so would be every score. Score more rounds together, or take the frequencies from "
            "a larger corpus (`idf`)."
        )
    idf: FloatArray = np.log(documents) - np.log(np.maximum(frequencies, 1))
    return idf


def _cosines(
    compared: ComparedTexts, corpus: Corpus | None, clipped: bool, closeness: npt.NDArray[np.float64]
) -> FloatArray:
    """For each hypothesis and order, the mean cosine with its references."""
    from voirdire.metrics import text_kernels as kernels

    texts = compared.ngrams
    idf = inverse_frequencies(compared, corpus)
    lists = texts.gram_first, texts.grams, texts.counts, texts.bounds
    lengths = np.empty((len(texts.firsts), ORDERS))
    kernels.norms(*lists, idf, lengths)
    out = np.empty((len(compared.hypotheses), ORDERS))
    pairs = compared.hypotheses, compared.sets, compared.set_first, compared.members
    kernels.cosines(*lists, idf, lengths, texts.lengths, *pairs, clipped, closeness, out)
    return out


def _mean_of_orders(cosines: FloatArray) -> FloatArray:
    mean_of_first: FloatArray = np.cumsum(cosines, axis=1) / np.arange(1, ORDERS + 1)
    return mean_of_first


CIDER = tuple(
    Measure.averaged(
        f"cider{n}",
        "higher",
        label=f"CIDEr-{n}",
        description=f"wording of up to {n} words shared with the references, rare wording counting more",
        citation="cider",
        leads=2 if n == 4 else 0,
    )
    for n in range(1, ORDERS + 1)
)
TEXT_METRIC = TextMetric(
    "cider", lambda encoders: CIDER, lambda compared, resources: cider(compared, resources.corpus), weighs=True
)


class _Frequencies(msgspec.Struct):
    documents: int
    frequencies: dict[str, int]


@CORPORA.register("references")
def _references(path: str | None) -> Corpus:
    from voirdire.formats.references import read_references

    sets = read_references(_path("references", path))
    return Corpus(sets.texts, len(sets), first=sets.first, fingerprint=sets.fingerprint)


@CORPORA.register("visdial")
def _visdial(path: str | None) -> Corpus:
    from voirdire.formats.visdial import read_visdial

    dialogues = read_visdial(_path("visdial", path))
    by_dialogue = (
        [dialogues.answers[dialogues.answer[r]] for r in dialogues.rounds(d) if dialogues.answer[r] >= 0]
        for d in range(len(dialogues))
    )
    kept = [answers for answers in by_dialogue if answers]
    first = np.cumsum([0, *map(len, kept)], dtype=np.int64)
    return Corpus(
        [text for answers in kept for text in answers], len(kept), first=first, fingerprint=dialogues.fingerprint
    )


@CORPORA.register("file")
def _file(path: str | None) -> Corpus:
    source = open_source(_path("file", path))
    given = decode(source, _Frequencies)
    problems = Problems(source.name)
    for gram, count in given.frequencies.items():
        if not 1 <= len(gram.split()) <= ORDERS:
            problems.add("", "frequencies", shorten(gram), f"n-grams of 1 to {ORDERS} tokens")
        if not 1 <= count <= given.documents:
            problems.add("", f"frequencies.{gram}", f"{count}", f"1 to {given.documents}, the number of documents")
    problems.check()
    counts = np.fromiter(given.frequencies.values(), np.int64, len(given.frequencies))
    return Corpus(list(given.frequencies), given.documents, counts=counts, fingerprint=source.fingerprint)


def _path(name: str, path: str | None) -> str:
    if not path:
        raise UsageError(f"corpus {name!r} needs a file: {name}:FILE")
    return path
