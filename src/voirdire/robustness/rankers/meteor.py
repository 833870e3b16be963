"""Rank by METEOR 1.5 of a pool question (the hypothesis) against the main question (the reference).

    score = F(P, R) · (1 − γ · (chunks / matches)^β)

As `metrics.meteor` defines it, with one reference. Questions of the pool that have the same words after METEOR's own
normalisation are scored once. Exact: a question is left unscored only where a bound of its score (`meteor_bounds`) is
below the last score of a full list (`meteor_search`).

What the search needs of a pool beside METEOR's own tables is laid out here: `MeteorPool` once, `MeteorLists` for each
batch of main questions. Import late: this brings numba.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.index import installed_files
from voirdire.metrics.meteor.lexicon import installed_lexicon
from voirdire.metrics.meteor.tables import ParsedSentences, Tables, read_sentences, tables_of
from voirdire.metrics.meteor.words import words_of
from voirdire.robustness.rankers import Neighbours
from voirdire.robustness.rankers.meteor_bounds import sides_of
from voirdire.robustness.rankers.meteor_marks import inverted, ordinals, samples
from voirdire.robustness.rankers.meteor_search import search
from voirdire.robustness.rankers.neighbours import check_asked, spread

Words = tuple[str, ...]
Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]


class MeteorRanker:
    """METEOR over one pool."""

    def __init__(self, pool_texts: Sequence[str]) -> None:
        if isinstance(pool_texts, str):
            raise ValueError(f"`pool_texts` must be a sequence of strings, got one string {pool_texts!r}")
        self._lexicon = installed_lexicon()
        sequences = [self._words(text) for text in pool_texts]
        distinct = _by_rare_words(list(dict.fromkeys(sequences)))
        number = {sequence: at for at, sequence in enumerate(distinct)}
        of = np.fromiter(map(number.__getitem__, sequences), np.int64, len(sequences))
        self._group_first = np.append(0, np.cumsum(np.bincount(of, minlength=len(distinct)))).astype(np.int64)
        self._members = np.argsort(of, kind="stable")
        self._sentences = read_sentences(distinct, self._lexicon)
        self._pool = lay_out_pool(self._sentences, self._members[self._group_first[:-1]])

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "ranker": "meteor",
            "hypothesis": "pool question",
            "reference": "main question",
            "tokeniser": "METEOR 1.5, -norm",
            "data": installed_files().digest,
        }

    @property
    def batch(self) -> int:
        """Each question is ranked by itself; many at once share what is laid out for all."""
        return 1024

    def rank(self, questions: Sequence[str], left_out: Sequence[Int64], top: int) -> Neighbours:
        """The nearest questions of the pool."""
        check_asked(questions, left_out, top)
        places, scores = np.full((len(questions), top), -1), np.zeros((len(questions), top))
        if not len(questions) or not len(self._members):
            return Neighbours(places, scores, {})
        count = len(self._group_first) - 1
        out = [np.unique(np.asarray(these, np.int64)) for these in left_out]
        sizes = np.array([len(these) for these in out], np.int64)
        wanted = np.minimum(top + sizes, count)
        lists = np.full((len(questions), wanted.max()), -1), np.zeros((len(questions), wanted.max()))
        filled = np.zeros(len(questions), np.int64)
        sentences = read_sentences([self._words(text) for text in questions], self._lexicon, self._sentences)
        tables = tables_of(sentences, self._lexicon)
        search(tables, self._pool, lists_of(self._pool, tables), wanted, *lists, filled)
        spread(
            *(*lists, filled, self._group_first, self._members),
            *(np.append(0, np.cumsum(sizes)), np.concatenate(out), places, scores),
        )
        return Neighbours(places, scores, {})

    def _words(self, text: str) -> Words:
        return tuple(words_of(text, self._lexicon.abbreviations))


def _by_rare_words(sequences: list[Words]) -> list[Words]:
    """Order sequences by their rarest words: those that a list names then lie close together in memory."""
    frequency = Counter(chain.from_iterable(sequences))
    rank = {word: at for at, (word, _) in enumerate(reversed(frequency.most_common()))}
    return sorted(sequences, key=lambda sequence: sorted(map(rank.__getitem__, sequence)))


class MeteorPool(NamedTuple):
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


class MeteorLists(NamedTuple):
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


def lay_out_pool(sentences: ParsedSentences, earliest: Int64) -> MeteorPool:
    """Lay out the sequences of a pool."""
    first, words, known = sentences.first, sentences.words, sentences.known
    ordinal = ordinals(first, words, known.keys, known.function)
    deepest = np.zeros(len(known.keys), np.int32)
    np.maximum.at(deepest, words, ordinal + 1)
    row_first = np.append(0, np.cumsum(deepest)).astype(np.int32)
    return MeteorPool(
        *(
            earliest,
            *sides_of(first, words, known.keys, known.function),
            row_first,
            (row_first[words] + ordinal).astype(np.uint32),
        ),
        *inverted(first, words, len(known.keys)),
    )


def lists_of(pool: MeteorPool, tables: Tables) -> MeteorLists:
    """The lists for tables of the pool's sequences and of main questions after them."""
    new, phrases, count = len(tables.keys) + 1, len(tables.emit_first) - 1, len(pool.earliest)
    phrase_first = tables.phrase_first[: count + 1]
    sources = np.repeat(np.arange(phrases, dtype=np.int32), np.diff(tables.emit_first))
    here = slice(0, phrase_first[-1])
    sizes = np.zeros(phrases, np.int32)
    sizes[tables.phrase[here]] = tables.phrase_length[here]
    by_phrase_first, by_phrase = inverted(phrase_first, tables.phrase[here], phrases)
    return MeteorLists(
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
