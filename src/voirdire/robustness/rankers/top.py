"""The best sequences of a question, and the places of the pool where they stand. Import late: it brings numba.

A list is kept in two arrays, sequences and keys, best first; of equal keys the sequence that the pool has earlier.
"""

from voirdire.stats.compiled import compiled

__all__ = ["enter", "spread"]


@compiled
def enter(sequence, key, earliest, sequences, keys, filled, wanted):  # type: ignore[no-untyped-def]
    """Put a sequence in its place among the `wanted` best, unless it is there already; gives how many there are."""
    place = filled
    while place > 0:
        other = sequences[place - 1]
        if keys[place - 1] > key or (keys[place - 1] == key and earliest[other] < earliest[sequence]):
            break
        if other == sequence:
            return filled
        place -= 1
    if place >= wanted:
        return filled
    filled = min(filled + 1, wanted)
    for move in range(filled - 1, place, -1):
        sequences[move] = sequences[move - 1]
        keys[move] = keys[move - 1]
    sequences[place] = sequence
    keys[place] = key
    return filled


@compiled
def spread(sequences, keys, filled, group_first, members, out_first, out, places, scores):  # type: ignore[no-untyped-def]
    """Turn lists of sequences into lists of places of the pool.

    out_first, out  the places that question i may not have, ascending: out[out_first[i] : out_first[i + 1]]
    places, scores  one row a question, filled with −1 and 0: what is found goes there

    A list of n sequences, each in the order of its first place, holds the first n places of the ranking: so where x
    places may not be had, top + x sequences are enough.
    """
    top = places.shape[1]
    for i in range(len(filled)):
        count = 0
        for s in range(filled[i]):
            key = keys[i, s]
            if count == top and scores[i, top - 1] > key:
                break
            for m in range(group_first[sequences[i, s]], group_first[sequences[i, s] + 1]):
                member = members[m]
                low, high = out_first[i], out_first[i + 1]
                while low < high:
                    middle = (low + high) // 2
                    if out[middle] < member:
                        low = middle + 1
                    else:
                        high = middle
                if low < out_first[i + 1] and out[low] == member:
                    continue
                at = count
                while at > 0 and scores[i, at - 1] == key and places[i, at - 1] > member:
                    at -= 1
                if at == top:
                    continue
                count = min(count + 1, top)
                for move in range(count - 1, at, -1):
                    places[i, move] = places[i, move - 1]
                    scores[i, move] = scores[i, move - 1]
                places[i, at] = member
                scores[i, at] = key
