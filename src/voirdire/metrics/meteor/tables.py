"""Sentences as numbers, for the compiled loops: every distinct text and word is looked at once."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.lexicon import Lexicon
from voirdire.metrics.meteor.normalise import words_of

__all__ = ["Tables", "tabulate"]

IntArray = npt.NDArray[np.int32]


class Tables(NamedTuple):
    """Sentences, their words, and the phrases in them.

    first, words           the words of sentence s: words[first[s]:first[s + 1]]
    keys … synsets         of each word, as `lexicon.Words` has them
    synset_bits            64 bits a word, a synset sets one: words without a common bit have no common synset
    phrase_first           with the next three the phrases in sentence s, in the order of start, then of length
    phrase_start, phrase_length, phrase
    emit_first, emits      the phrases that may stand for phrase p: emits[emit_first[p]:emit_first[p + 1]]
    """

    first: IntArray
    words: IntArray
    keys: IntArray
    stem_keys: IntArray
    function: npt.NDArray[np.bool_]
    synset_first: IntArray
    synsets: IntArray
    synset_bits: npt.NDArray[np.uint64]
    phrase_first: IntArray
    phrase_start: IntArray
    phrase_length: IntArray
    phrase: IntArray
    emit_first: IntArray
    emits: IntArray


def tabulate(texts: Iterable[str], lexicon: Lexicon) -> Tables:
    """The tables of distinct texts, in their order."""
    number: dict[str, int] = {}
    sentences = [
        [number.setdefault(word, len(number)) for word in words_of(text, lexicon.abbreviations)] for text in texts
    ]
    first = np.append(0, np.cumsum([len(sentence) for sentence in sentences])).astype(np.int32)
    words = np.array([word for sentence in sentences for word in sentence], np.int32)
    known = lexicon.of(list(number))
    bits = np.zeros(len(number), np.uint64)
    owners = np.repeat(np.arange(len(number)), np.diff(known.synset_first))
    np.bitwise_or.at(bits, owners, np.uint64(1) << (known.synsets % 64).astype(np.uint64))
    return Tables(
        first,
        words,
        known.keys,
        known.stem_keys,
        known.function,
        known.synset_first,
        known.synsets,
        bits,
        *_phrases(first, known.phrase_word[words], lexicon),
    )


def _phrases(first: IntArray, words: IntArray, lexicon: Lexicon) -> tuple[IntArray, ...]:
    """The last six of the tables. Phrases that nothing here stands for, or they for nothing, are left out."""
    from voirdire.metrics.meteor.phrases import occurrences, restricted

    index = lexicon.index
    found_first, start, length, node = occurrences(first, words, index["child_first"], index["child_word"])
    nodes, phrase = np.unique(node, return_inverse=True)
    local = np.full(len(index["child_first"]) - 1, -1, np.int32)
    local[nodes] = np.arange(len(nodes))
    places = np.searchsorted(index["emitters"], nodes).clip(max=len(index["emitters"]) - 1)
    places[index["emitters"][places] != nodes] = -1
    emit_first, emits = restricted(places, local, index["emit_first"], index["emits"])
    useful = np.diff(emit_first) > 0
    useful[emits] = True
    kept = useful[phrase]
    counts = np.append(0, np.cumsum(kept))
    arrays = (counts[found_first], start[kept], length[kept], phrase[kept], emit_first, emits)
    return tuple(array.astype(np.int32) for array in arrays)
