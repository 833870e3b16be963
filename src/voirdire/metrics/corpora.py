"""Where CIDEr's document frequencies come from, when not from the reference sets under evaluation.

references:FILE  the reference sets of another file, a set being a document
visdial:FILE     VisDial dialogues, the answers of a dialogue being a document
file:FILE        frequencies of n-grams of 1 to 4 tokens: {"documents": N, "frequencies": {"a dog": 12, …}}

Other packages add corpora through the entry-point group `voirdire.corpora`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError, shorten
from voirdire.formats.files import open_source
from voirdire.formats.strict import Problems, decode
from voirdire.providers import Registry

__all__ = ["CORPORA", "Corpus"]

LONGEST = 4


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
    spoken = (
        [dialogues.answers[dialogues.answer[r]] for r in dialogues.rounds(d) if dialogues.answer[r] >= 0]
        for d in range(len(dialogues))
    )
    kept = [answers for answers in spoken if answers]
    first = np.cumsum([0, *map(len, kept)], dtype=np.int64)
    return Corpus(
        [text for answers in kept for text in answers], len(kept), first=first, fingerprint=dialogues.fingerprint
    )


@CORPORA.register("file")
def _file(path: str | None) -> Corpus:
    source = open_source(_path("file", path))
    held = decode(source, _Frequencies)
    problems = Problems(source.name)
    for gram, count in held.frequencies.items():
        if not 1 <= len(gram.split()) <= LONGEST:
            problems.add("", "frequencies", shorten(gram), f"n-grams of 1 to {LONGEST} tokens")
        if not 1 <= count <= held.documents:
            problems.add("", f"frequencies.{gram}", f"{count}", f"1 to {held.documents}, the number of documents")
    problems.check()
    counts = np.fromiter(held.frequencies.values(), np.int64, len(held.frequencies))
    return Corpus(list(held.frequencies), held.documents, counts=counts, fingerprint=source.fingerprint)


def _path(name: str, path: str | None) -> str:
    if not path:
        raise UsageError(f"corpus {name!r} needs a file: {name}:FILE")
    return path
