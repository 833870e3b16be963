"""The phrases of the paraphrase table that occur in sentences, and which of them may stand for each other.

Compiled; import it late.
"""

import numpy as np

from voirdire.stats.compiled import compiled

__all__ = ["occurrences", "restricted"]


@compiled
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


@compiled
def occurrences(first, words, child_first, child_word):  # type: ignore[no-untyped-def]
    """Every node that a run of words of a sentence reaches: (first of each sentence, start, length, node).

    Within a sentence they stand in the order of start, then of length.
    """
    found_first = np.zeros(len(first), np.int64)
    start, length, node = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32)
    for filling in range(2):
        count = 0
        for sentence in range(len(first) - 1):
            for at in range(first[sentence], first[sentence + 1]):
                here = 0
                for end in range(at, first[sentence + 1]):
                    if words[end] < 0:
                        break
                    here = _child(here, words[end], child_first, child_word)
                    if here < 0:
                        break
                    if filling:
                        start[count] = at - first[sentence]
                        length[count] = end + 1 - at
                        node[count] = here
                    count += 1
            found_first[sentence + 1] = count
        if not filling:
            start, length, node = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.int32)
    return found_first, start, length, node


@compiled
def restricted(places, local, emit_first, emits):  # type: ignore[no-untyped-def]
    """What may stand for each local phrase, among the local phrases: (first of each, local numbers).

    places  the place of each local phrase among the emitters, −1 where nothing stands for it
    local   the local number of every node, −1 where it is not local
    """
    first = np.zeros(len(places) + 1, np.int32)
    found = np.empty(0, np.int32)
    for filling in range(2):
        count = 0
        for phrase in range(len(places)):
            place = places[phrase]
            if place >= 0:
                for at in range(emit_first[place], emit_first[place + 1]):
                    if local[emits[at]] >= 0:
                        if filling:
                            found[count] = local[emits[at]]
                        count += 1
            first[phrase + 1] = count
        if not filling:
            found = np.empty(count, np.int32)
    return first, found
