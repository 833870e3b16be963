"""Which words a matcher of single words joins: equal keys, equal stems, a common synset.

EXACT    equal keys, so every word with itself
STEM     other keys, equal stem keys
SYNONYM  other keys, a common synset
"""

import numpy as np
import numpy.typing as npt

from voirdire.metrics.meteor.lexicon import Words

__all__ = ["EXACT", "PARAPHRASE", "STEM", "SYNONYM", "find_relatives"]

IntArray = npt.NDArray[np.int32]

# The matchers in their order; the last joins phrases.
EXACT, STEM, SYNONYM, PARAPHRASE = 0, 1, 2, 3


def find_relatives(words: Words) -> tuple[IntArray, IntArray, IntArray]:
    """(first of each word, the words that a matcher joins with it, the matcher of each), by matcher within a word."""
    count = len(words.keys)
    every = np.arange(count)
    exact, stem = _sharing(every, words.keys), _sharing(every, words.stem_keys)
    synonym = _sharing(np.repeat(every, np.diff(words.synset_first)), words.synsets)
    found = []
    for matcher, (one, other) in ((EXACT, exact), (STEM, stem), (SYNONYM, synonym)):
        kept = (words.keys[one] == words.keys[other]) == (matcher == EXACT)
        found.append((one[kept] * PARAPHRASE + matcher) * count + other[kept])
    codes = np.unique(np.concatenate(found))
    rest, other = np.divmod(codes, max(count, 1))
    one, matcher_of = np.divmod(rest, PARAPHRASE)
    first = np.searchsorted(one, np.arange(count + 1))
    return first.astype(np.int32), other.astype(np.int32), matcher_of.astype(np.int32)


def _sharing(
    words: npt.NDArray[np.intp], groups: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Every two words of one group, each with itself too."""
    order = np.argsort(groups, kind="stable")
    words, groups = words[order], groups[order]
    first, sizes = np.unique(groups, return_index=True, return_counts=True)[1:]
    size_of_each, first_of_each = np.repeat(sizes, sizes), np.repeat(first, sizes)
    # A member stands beside each member of its group: as often as the group is large.
    one = np.repeat(np.arange(len(words)), size_of_each)
    within = np.arange(len(one)) - np.repeat(np.cumsum(size_of_each) - size_of_each, size_of_each)
    return words[one], words[first_of_each[one] + within]
