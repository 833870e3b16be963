"""Sentences as numbers, for the compiled loops: every distinct text and word is looked at once.

Two steps, so that sentences that stay the same are read once and put together with others many times. The phrases of
the paraphrase table in a sentence are found by compiled code (`occurrences`, `restricted`): import this module late.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor import DELTA
from voirdire.metrics.meteor.lexicon import MeteorLexicon, Words, find_relatives
from voirdire.metrics.meteor.words import words_of
from voirdire.stats.compiled import compiled, inner

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ParsedSentences:
    """What can be said of each sentence alone.

    first, words                the words of sentence s: words[first[s]:first[s + 1]]
    vocabulary, known           the number of each word, and what the lexicon knows of it
    found_first                 with the next three the phrases of the paraphrase table in sentence s, as nodes of it
    found_start, found_length, nodes
    """

    first: IntArray
    words: IntArray
    vocabulary: dict[str, int]
    known: Words
    found_first: IntArray
    found_start: IntArray
    found_length: IntArray
    nodes: IntArray


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


def tabulate(texts: Iterable[str], lexicon: MeteorLexicon) -> Tables:
    """The tables of distinct texts, in their order."""
    return tables_of(read_sentences([words_of(text, lexicon.abbreviations) for text in texts], lexicon), lexicon)


def read_sentences(
    sentences: Sequence[Sequence[str]], lexicon: MeteorLexicon, before: ParsedSentences | None = None
) -> ParsedSentences:
    """Number sentences, which are given as words; where others come before, they stand first with their numbers."""
    vocabulary = dict(before.vocabulary) if before else {}
    old = len(vocabulary)
    every = list(itertools.chain.from_iterable(sentences))
    new = [word for word in dict.fromkeys(every) if word not in vocabulary]
    vocabulary.update(zip(new, range(old, old + len(new)), strict=True))
    words = np.fromiter(map(vocabulary.__getitem__, every), np.int32, len(every))
    first = np.append(0, np.cumsum([len(sentence) for sentence in sentences])).astype(np.int32)
    known = lexicon.of(new)
    known = before.known.followed_by(known) if before else known
    index = lexicon.index
    occurring = occurrences(first, known.phrase_word[words], index["child_first"], index["child_word"])
    found_first, *found_each = (array.astype(np.int32, copy=False) for array in occurring)
    if not before:
        return ParsedSentences(first, words, vocabulary, known, found_first, *found_each)
    return ParsedSentences(
        np.append(before.first, before.first[-1] + first[1:]),
        np.append(before.words, words),
        vocabulary,
        known,
        np.append(before.found_first, before.found_first[-1] + found_first[1:]),
        np.append(before.found_start, found_each[0]),
        np.append(before.found_length, found_each[1]),
        np.append(before.nodes, found_each[2]),
    )


def tables_of(sentences: ParsedSentences, lexicon: MeteorLexicon) -> Tables:
    """The tables of sentences that were read by this lexicon."""
    first, words, known = sentences.first, sentences.words, sentences.known
    functions = np.diff(np.append(0, np.cumsum(known.function[words]))[first])
    weight = DELTA * (np.diff(first) - functions) + (1.0 - DELTA) * functions
    return Tables(
        *(first, words, weight, known.keys, known.function), *find_relatives(known), *_phrases(sentences, lexicon)
    )


def _phrases(sentences: ParsedSentences, lexicon: MeteorLexicon) -> tuple[IntArray, ...]:
    """The last six of the tables. Phrases that nothing here stands for, or they for nothing, are left out."""
    index = lexicon.index
    # Numbered by marks in an array over all nodes, which is quicker than to sort millions of occurrences.
    local = np.full(len(index["child_first"]) - 1, -1, np.int32)
    local[sentences.nodes] = 0
    nodes = np.flatnonzero(local == 0)
    local[nodes] = np.arange(len(nodes))
    phrase = local[sentences.nodes]
    places = np.searchsorted(index["emitters"], nodes).clip(max=len(index["emitters"]) - 1)
    places[index["emitters"][places] != nodes] = -1
    emit_first, emits = restricted(places, local, index["emit_first"], index["emits"])
    useful = np.diff(emit_first) > 0
    useful[emits] = True
    kept = useful[phrase]
    counts = np.append(0, np.cumsum(kept))
    starts, lengths = sentences.found_start[kept], sentences.found_length[kept]
    arrays = (counts[sentences.found_first], starts, lengths, phrase[kept], emit_first, emits)
    return tuple(array.astype(np.int32, copy=False) for array in arrays)


@inner
def _child(node, word, child_first, child_word):  # type: ignore[no-untyped-def]
    """The child of a node by its word, or −1."""
    low, high = child_first[node], child_first[node + 1]
    while low < high:
        middle = (low + high) // 2
        if child_word[middle - 1] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < child_first[node + 1] and child_word[low - 1] == word else -1


def occurrences(
    first: IntArray, words: IntArray, child_first: IntArray, child_word: IntArray
) -> tuple[npt.NDArray[np.int64], IntArray, IntArray, IntArray]:
    """Every node that a run of words of a sentence reaches: (first of each sentence, start, length, node).

    Within a sentence they stand in the order of start, then of length.
    """
    found_first, nodes = np.zeros(len(first), np.int64), np.empty((3, 0), np.int32)
    _walk(first, words, child_first, child_word, found_first, nodes)
    if found_first[-1]:
        nodes = np.empty((3, found_first[-1]), np.int32)
        _walk(first, words, child_first, child_word, found_first, nodes)
    return found_first, nodes[0], nodes[1], nodes[2]


@compiled
def _walk(first, words, child_first, child_word, found_first, nodes):  # type: ignore[no-untyped-def]
    """Count what is found, and fill it in where it has room."""
    filling, count = nodes.shape[1] > 0, 0
    for sentence in range(len(first) - 1):
        for at in range(first[sentence], first[sentence + 1]):
            here = np.int64(0)
            for end in range(at, first[sentence + 1]):
                if words[end] < 0:
                    break
                here = _child(here, words[end], child_first, child_word)
                if here < 0:
                    break
                if filling:
                    nodes[0, count], nodes[1, count], nodes[2, count] = at - first[sentence], end + 1 - at, here
                count += 1
        found_first[sentence + 1] = count


def restricted(
    places: npt.NDArray[np.int64], local: IntArray, emit_first: IntArray, emits: IntArray
) -> tuple[IntArray, IntArray]:
    """What may stand for each local phrase, among the local phrases: (first of each, local numbers).

    places  the place of each local phrase among the emitters, −1 where nothing stands for it
    local   the local number of every node, −1 where it is not local
    """
    first, emitted = np.zeros(len(places) + 1, np.int32), np.empty(0, np.int32)
    _restrict(places, local, emit_first, emits, first, emitted)
    if first[-1]:
        emitted = np.empty(first[-1], np.int32)
        _restrict(places, local, emit_first, emits, first, emitted)
    return first, emitted


@compiled
def _restrict(places, local, emit_first, emits, first, emitted):  # type: ignore[no-untyped-def]
    """Count what is found, and fill it in where it has room."""
    filling, count = len(emitted) > 0, 0
    for phrase in range(len(places)):
        place = places[phrase]
        if place >= 0:
            for at in range(emit_first[place], emit_first[place + 1]):
                if local[emits[at]] >= 0:
                    if filling:
                        emitted[count] = local[emits[at]]
                    count += 1
        first[phrase + 1] = count
