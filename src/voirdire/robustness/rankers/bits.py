"""Comparing a sequence with one question by the bits of a word, compiled. Import late: it brings numba.

    E₁(i)  = the places of the question where its token is that of the sequence at i       `where[token]`
    E_n(i) = (E_{n−1}(i − 1) << 1) & E₁(i), the places where the n-gram that ends there ends in the question

The places of one n-gram are the same bits wherever it comes, and different n-grams share none. So a place that is
crossed off for each occurrence counts an n-gram as often as both texts have it. A question has at most 64 tokens.
"""

from numba import uint64

from voirdire.stats.compiled import compiled

ONE = uint64(1)


@compiled
def ones(word):  # type: ignore[no-untyped-def]
    """How many bits are set."""
    word = word - ((word >> uint64(1)) & uint64(0x5555555555555555))
    word = (word & uint64(0x3333333333333333)) + ((word >> uint64(2)) & uint64(0x3333333333333333))
    word = (word + (word >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return (word * uint64(0x0101010101010101)) >> uint64(56)


@compiled
def lowest(word):  # type: ignore[no-untyped-def]
    """The place of the lowest bit that is set; 64 where none is."""
    return ones((word & (~word + ONE)) - ONE)


@compiled
def mark(where, tokens, start, stop):  # type: ignore[no-untyped-def]
    """Set where[token] for a question."""
    for i in range(start, stop):
        where[tokens[i]] |= ONE << uint64(i - start)


@compiled
def unmark(where, tokens, start, stop):  # type: ignore[no-untyped-def]
    """Clear what `mark` set."""
    for i in range(start, stop):
        where[tokens[i]] = uint64(0)


@compiled
def shared_counts(where, tokens, start, stop, order):  # type: ignore[no-untyped-def]
    """How many n-grams of orders 1 to 4 sequence and question share; orders 3 and 4 only where `order` is over 2."""
    used_1 = used_2 = used_3 = used_4 = uint64(0)
    ending_1 = ending_2 = ending_3 = uint64(0)
    for i in range(start, stop):
        here = where[tokens[i]]
        ending_4 = (ending_3 << ONE) & here
        ending_3 = (ending_2 << ONE) & here
        ending_2 = (ending_1 << ONE) & here
        ending_1 = here
        free = ending_1 & ~used_1
        used_1 |= free & (~free + ONE)
        free = ending_2 & ~used_2
        used_2 |= free & (~free + ONE)
        if order > 2:
            free = ending_3 & ~used_3
            used_3 |= free & (~free + ONE)
            free = ending_4 & ~used_4
            used_4 |= free & (~free + ONE)
    return ones(used_1), ones(used_2), ones(used_3), ones(used_4)


@compiled
def matched(where, tokens, start, stop, order):  # type: ignore[no-untyped-def]
    """The product over orders 1 to `order` of the n-grams that sequence and question share."""
    counts = shared_counts(where, tokens, start, stop, order)
    product = counts[0]
    for i in range(1, order):
        product *= counts[i]
    return product


@compiled
def common_subsequence(where, tokens, start, stop):  # type: ignore[no-untyped-def]
    """The length of the longest common subsequence: its steps along the question are the bits that fall to 0."""
    row = ~uint64(0)
    for i in range(start, stop):
        here = where[tokens[i]]
        step = row & here
        row = (row + step) | (row - step)
    return ones(~row)
