"""What the search by METEOR needs of a pool beside METEOR's own tables."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.tables import Sentences, Tables

__all__ = ["Lists", "Pool", "lay_out_pool", "lists_of"]

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]


class Pool(NamedTuple):
    """What stays the same whatever is asked.

    earliest                the first place of each sequence in the pool, by which equal scores are ordered
    meaning, again, weight  of each sequence, as `meteor_bounds.side_of` has them
    row_first, rows         a row for each occurrence of a word: those of word w from row_first[w], by ordinal; the row
                            of each word of each sequence
    word_first, by_word     the sequences that hold word w: by_word[word_first[w]:word_first[w + 1]]
    """

    earliest: Int64
    meaning: Bits
    again: Bits
    weight: Int64
    row_first: Int32
    rows: npt.NDArray[np.uint32]
    word_first: Int32
    by_word: Int32


class Lists(NamedTuple):
    """What depends on the main questions: the first two of the next are those of the pool, with their words too.

    row_first, word_first
    phrase_first, by_phrase  the sequences of the pool that hold phrase p
    samples, sizes           where phrase p stands among the words of the pool, −1 if nowhere; how many words it has
    emitter_first, emitters  the phrases that phrase p may stand for
    """

    row_first: Int32
    word_first: Int32
    phrase_first: Int32
    by_phrase: Int32
    samples: Int32
    sizes: Int32
    emitter_first: Int32
    emitters: Int32


def lay_out_pool(sentences: Sentences, earliest: Int64) -> Pool:
    """Lay out the sequences of a pool."""
    from voirdire.robustness.rankers.meteor_bounds import sides_of
    from voirdire.robustness.rankers.meteor_marks import inverted, ordinals

    first, words, known = sentences.first, sentences.words, sentences.known
    ordinal = ordinals(first, words, known.keys, known.function)
    deepest = np.zeros(len(known.keys), np.int32)
    np.maximum.at(deepest, words, ordinal + 1)
    row_first = np.append(0, np.cumsum(deepest)).astype(np.int32)
    return Pool(
        *(
            earliest,
            *sides_of(first, words, known.keys, known.function),
            row_first,
            (row_first[words] + ordinal).astype(np.uint32),
        ),
        *inverted(first, words, len(known.keys)),
    )


def lists_of(pool: Pool, tables: Tables) -> Lists:
    """The lists for tables of the pool's sequences and of main questions after them."""
    from voirdire.robustness.rankers.meteor_marks import inverted, samples

    new, phrases, count = len(tables.keys) + 1, len(tables.emit_first) - 1, len(pool.earliest)
    phrase_first = tables.phrase_first[: count + 1]
    sources = np.repeat(np.arange(phrases, dtype=np.int32), np.diff(tables.emit_first))
    here = slice(0, phrase_first[-1])
    sizes = np.zeros(phrases, np.int32)
    sizes[tables.phrase[here]] = tables.phrase_length[here]
    by_phrase_first, by_phrase = inverted(phrase_first, tables.phrase[here], phrases)
    return Lists(
        row_first=_lengthened(pool.row_first, new),
        word_first=_lengthened(pool.word_first, new),
        phrase_first=by_phrase_first,
        by_phrase=by_phrase,
        samples=samples(phrase_first, tables.first, tables.phrase[here], tables.phrase_start[here], phrases),
        sizes=sizes,
        emitter_first=np.append(0, np.cumsum(np.bincount(tables.emits, minlength=phrases))).astype(np.int32),
        emitters=sources[np.argsort(tables.emits, kind="stable")],
    )


def _lengthened(first: Int32, length: int) -> Int32:
    """Nothing for words that the pool does not have."""
    return np.append(first, np.full(length - len(first), first[-1], np.int32))
