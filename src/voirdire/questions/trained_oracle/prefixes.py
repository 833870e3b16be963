"""Questions as a tree of their beginnings, so that an LSTM reads each beginning once.

"is it a dog", "is it a cat" and "is it red" share "is it", two of them "is it a". What an LSTM has read after a
beginning depends on that alone, so a batch needs one step a node of the tree in place of one a word, and no padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Levels", "PrefixTree"]

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Levels:
    """The tree of some questions, level by level.

    words    of each level the word of each node, as a place in `vocabulary`
    stems    of each level but the first the nodes of the level above that go on, as places there
    parents  of each level but the first the parent of each node, as a place in its `stems`
    ends     of each question the node at which it ends, counted over all levels
    vocabulary  the distinct words of all nodes
    """

    words: tuple[Int64, ...]
    stems: tuple[Int64, ...]
    parents: tuple[Int64, ...]
    ends: Int64
    vocabulary: Int64


class PrefixTree:
    """The beginnings of many questions, each given as numbers of words."""

    def __init__(self, questions: Sequence[Sequence[int]]) -> None:
        self.first = np.zeros(len(questions) + 1, np.int64)
        np.cumsum([len(question) for question in questions], out=self.first[1:])
        if len(questions) and np.diff(self.first).min() < 1:
            raise ValueError("questions: one of them has no word")
        words: list[int] = []
        parents: list[int] = []
        path = np.empty(int(self.first[-1]), np.int64)
        nodes: dict[tuple[int, int], int] = {}
        place = 0
        for question in questions:
            node = -1
            for word in question:
                key = (node, word)
                found = nodes.get(key)
                if found is None:
                    found = nodes[key] = len(words)
                    words.append(word)
                    parents.append(node)
                node = path[place] = found
                place += 1
        self.path, self.word, self.parent = path, np.array(words, np.int64), np.array(parents, np.int64)

    def levels(self, questions: npt.NDArray[np.integer]) -> Levels:
        """The tree of some of the questions, given by their places."""
        first, lengths = self.first[questions], self.first[questions + 1] - self.first[questions]
        ends = np.empty(len(questions), np.int64)
        words, stems, parents = [], [], []
        above = np.empty(0, np.int64)
        before = 0
        for depth in range(int(lengths.max(initial=0))):
            going = np.flatnonzero(lengths > depth)
            level, places = np.unique(self.path[first[going] + depth], return_inverse=True)
            last = lengths[going] == depth + 1
            ends[going[last]] = before + places[last]
            words.append(self.word[level])
            if depth:
                stem, parent = np.unique(self.parent[level], return_inverse=True)
                stems.append(np.searchsorted(above, stem))
                parents.append(parent)
            above = level
            before += len(level)
        vocabulary, rows = np.unique(np.concatenate(words) if words else np.empty(0, np.int64), return_inverse=True)
        cuts = np.cumsum([len(level) for level in words])[:-1]
        return Levels(tuple(np.split(rows, cuts)), tuple(stems), tuple(parents), ends, vocabulary)
