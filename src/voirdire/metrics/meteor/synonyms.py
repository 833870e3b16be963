"""Words that share a synset. Compiled; import it late."""

import numpy as np

from voirdire.metrics.meteor.compiled import compiled

__all__ = ["sharing"]


@compiled
def sharing(words, group_first, count):  # type: ignore[no-untyped-def]
    """one · count + other, for every two words of a group.

    words  those of group g are words[group_first[g]:group_first[g + 1]]
    """
    size = 0
    for group in range(len(group_first) - 1):
        members = group_first[group + 1] - group_first[group]
        size += members * (members - 1)
    codes, at = np.empty(size, np.int64), 0
    for group in range(len(group_first) - 1):
        for i in range(group_first[group], group_first[group + 1]):
            for j in range(group_first[group], group_first[group + 1]):
                if i != j:
                    codes[at] = words[i] * count + words[j]
                    at += 1
    return codes
