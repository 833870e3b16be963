"""Sentences as numbers, for the compiled loops: every distinct text and word is looked at once."""

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.lexicon import Lexicon
from voirdire.metrics.meteor.normalise import words_of
from voirdire.metrics.meteor.parameters import DELTA
from voirdire.metrics.meteor.relatives import find_relatives

__all__ = ["Tables", "numbered", "tabulate"]

IntArray = npt.NDArray[np.int32]


class Tables(NamedTuple):
    """Sentences, their words, and the phrases in them.

    first, words           the words of sentence s: words[first[s]:first[s + 1]]
    weight                 float64, what the words of each sentence weigh together
    keys, function         of each word, as `lexicon.Words` has them
    relative_first         with the next two the words that a matcher joins with word w, by matcher
    relatives, relation
    phrase_first           with the next three the phrases in sentence s, in the order of start, then of length
    phrase_start, phrase_length, phrase
    emit_first, emits      the phrases that may stand for phrase p: emits[emit_first[p]:emit_first[p + 1]]
    """

    first: IntArray
    words: IntArray
    weight: npt.NDArray[np.float64]
    keys: IntArray
    function: npt.NDArray[np.bool_]
    relative_first: IntArray
    relatives: IntArray
    relation: IntArray
    phrase_first: IntArray
    phrase_start: IntArray
    phrase_length: IntArray
    phrase: IntArray
    emit_first: IntArray
    emits: IntArray


def numbered(texts: Sequence[str]) -> tuple[list[str], IntArray]:
    """The distinct texts in the order of their coming, and the number of each text."""
    number = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    return list(number), np.fromiter(map(number.__getitem__, texts), np.int32, len(texts))


def tabulate(texts: Iterable[str], lexicon: Lexicon) -> Tables:
    """The tables of distinct texts, in their order."""
    sentences = [words_of(text, lexicon.abbreviations) for text in texts]
    first = np.append(0, np.cumsum([len(sentence) for sentence in sentences])).astype(np.int32)
    distinct, words = numbered(list(itertools.chain.from_iterable(sentences)))
    known = lexicon.of(distinct)
    functions = np.diff(np.append(0, np.cumsum(known.function[words]))[first])
    weight = DELTA * (np.diff(first) - functions) + (1.0 - DELTA) * functions
    return Tables(
        *(first, words, weight, known.keys, known.function),
        *find_relatives(known),
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
