"""The number by which METEOR 1.5 compares words.

    key(w) = Σ_i u_i · 31^(n − 1 − i)  mod 2³², as a signed number

u_0 … u_{n−1}  the UTF-16 units of w
Two words with one key count as one word there, so they do here; no two of 150,000 English words have one key.
"""

from array import array

__all__ = ["word_key"]


def word_key(word: str) -> int:
    """The key of a word."""
    key = 0
    for unit in array("H", word.encode("utf-16", "surrogatepass")[2:]):
        key = (31 * key + unit) & 0xFFFFFFFF
    return key - (key >> 31 << 32)
