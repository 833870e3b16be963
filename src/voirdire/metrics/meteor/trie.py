"""The paraphrase table as a trie of its phrases: every prefix of a phrase is a node, node 0 the empty one.

    children of node p          the nodes child_first[p] … child_first[p + 1] − 1
    last word of node n ≥ 1     child_word[n − 1], rising among the children of one node
    what may stand for phrase   emits[emit_first[k]] … emits[emit_first[k + 1] − 1], for the node emitters[k]

Nodes are numbered level by level, so that a node needs no pointer to itself. The order of `emits` is that of the file:
it decides between alignments that are otherwise equal. `paraphrase_trie` makes it; `occurrences` finds the phrases that
occur in sentences, and `restricted` which of them may stand for each other. These two are compiled; import this late.
"""

import gzip
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.stats.compiled import compiled, inner

IntArray = npt.NDArray[np.int32]

BLOCK = 1 << 24
# Parts phrases in a block; a word of no phrase.
END = b"\x00"
# The shares of the time that reading takes, and that reading and making nodes take together.
READ, LINKED = 0.5, 0.85

Tell = Callable[[float], None]


def paraphrase_trie(path: Path, tell: Tell = lambda share: None) -> tuple[list[str], dict[str, IntArray]]:
    """The words of the table by their numbers, and the arrays of its trie; `tell` hears what share of it is done."""
    number: defaultdict[bytes, int] = defaultdict(itertools.count().__next__)
    number[END]
    phrases: list[IntArray] = []
    replacements: list[IntArray] = []
    groups: list[npt.NDArray[np.intp]] = []
    last, count = b"", 0
    for lines in _records(path, lambda share: tell(READ * share)):
        keys = lines[1::3]
        # Entries of one phrase follow each other: it is numbered once per run.
        new = [key != before for key, before in zip(keys, itertools.chain([last], keys), strict=False)]
        last = keys[-1]
        phrases.append(_numbered(list(itertools.compress(keys, new)), number))
        replacements.append(_numbered(lines[2::3], number))
        groups.append(np.cumsum(new) + count - 1)
        count += sum(new)
    width = max(array.shape[1] for array in (*phrases, *replacements))
    table = np.concatenate([_widened(array, width) for array in (*phrases, *replacements)])
    nodes, child_first, child_word = _trie(table, len(number), lambda share: tell(READ + (LINKED - READ) * share))
    sources, targets = nodes[:count][np.concatenate(groups)], nodes[count:]
    order = np.argsort(sources, kind="stable")
    emitters, emit_first = np.unique(sources[order], return_index=True)
    arrays = {
        "child_first": child_first,
        "child_word": child_word,
        "emitters": emitters,
        "emit_first": np.append(emit_first, len(order)),
        "emits": targets[order],
    }
    words = [word.decode("utf-8", "replace") for word in number]
    return words, {name: array.astype(np.int32) for name, array in arrays.items()}


def _records(path: Path, tell: Tell) -> Iterator[list[bytes]]:
    """The lines of the file in blocks of whole entries."""
    rest, size = b"", path.stat().st_size
    with path.open("rb") as packed, gzip.open(packed, "rb") as file:
        while block := file.read(BLOCK):
            lines = (rest + block).split(b"\n")
            whole = (len(lines) - 1) // 3 * 3
            rest = b"\n".join(lines[whole:])
            yield lines[:whole]
            tell(packed.tell() / size)
    if rest.strip():
        raise ValueError(f"`path` must be a table with three lines per entry, but {path} ends within an entry")


def _numbered(phrases: list[bytes], number: defaultdict[bytes, int]) -> IntArray:
    """The numbers of the words, one row per phrase, −1 after its end."""
    tokens = (b" " + END + b" ").join(phrases).split()
    numbers = np.fromiter(map(number.__getitem__, tokens), np.int32, len(tokens))
    ends = np.append(np.flatnonzero(numbers == number[END]), len(numbers))
    starts = np.append(0, ends[:-1] + 1)
    rows = np.full((len(phrases), int((ends - starts).max())), -1, np.int32)
    row = np.repeat(np.arange(len(phrases)), ends - starts)
    place = np.delete(np.arange(len(numbers)), ends[:-1])
    rows[row, place - starts[row]] = numbers[place]
    return rows


def _widened(rows: IntArray, width: int) -> IntArray:
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=-1)


def _trie(
    table: IntArray, words: int, tell: Tell
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """The node of each phrase, and the children of each node."""
    node = np.zeros(len(table), np.int64)
    rows = np.arange(len(table))
    parents, last_words, count = [], [], 1
    for level, column in enumerate(table.T, start=1):
        rows = rows[column[rows] >= 0]
        distinct, inverse = np.unique(node[rows] * words + column[rows], return_inverse=True)
        node[rows] = count + inverse
        parents.append(distinct // words)
        last_words.append(distinct % words)
        count += len(distinct)
        tell(level / table.shape[1])
    child_first = 1 + np.searchsorted(np.concatenate(parents), np.arange(count + 1))
    return node, child_first, np.concatenate(last_words)


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
    found_first, found = np.zeros(len(first), np.int64), np.empty((3, 0), np.int32)
    _walk(first, words, child_first, child_word, found_first, found)
    if found_first[-1]:
        found = np.empty((3, found_first[-1]), np.int32)
        _walk(first, words, child_first, child_word, found_first, found)
    return found_first, found[0], found[1], found[2]


@compiled
def _walk(first, words, child_first, child_word, found_first, found):  # type: ignore[no-untyped-def]
    """Count what is found, and fill it in where it has room."""
    filling, count = found.shape[1] > 0, 0
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
                    found[0, count], found[1, count], found[2, count] = at - first[sentence], end + 1 - at, here
                count += 1
        found_first[sentence + 1] = count


def restricted(
    places: npt.NDArray[np.int64], local: IntArray, emit_first: IntArray, emits: IntArray
) -> tuple[IntArray, IntArray]:
    """What may stand for each local phrase, among the local phrases: (first of each, local numbers).

    places  the place of each local phrase among the emitters, −1 where nothing stands for it
    local   the local number of every node, −1 where it is not local
    """
    first, found = np.zeros(len(places) + 1, np.int32), np.empty(0, np.int32)
    _restrict(places, local, emit_first, emits, first, found)
    if first[-1]:
        found = np.empty(first[-1], np.int32)
        _restrict(places, local, emit_first, emits, first, found)
    return first, found


@compiled
def _restrict(places, local, emit_first, emits, first, found):  # type: ignore[no-untyped-def]
    """Count what is found, and fill it in where it has room."""
    filling, count = len(found) > 0, 0
    for phrase in range(len(places)):
        place = places[phrase]
        if place >= 0:
            for at in range(emit_first[place], emit_first[place + 1]):
                if local[emits[at]] >= 0:
                    if filling:
                        found[count] = local[emits[at]]
                    count += 1
        first[phrase + 1] = count
