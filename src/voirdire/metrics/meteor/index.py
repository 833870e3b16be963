"""The data of METEOR 1.5: the files of the package pycocoevalcap, and an index that is made from them once and kept.

The package has METEOR's jar (a zip) and its paraphrase table. Nothing of the jar is run. Its list of relations
between synsets takes no part in matching.

    function/english.words        one function word per line
    nonbreaking/english.prefixes  one abbreviation per line, with a remark where it is one only before numbers
    synonym/english.exceptions    a base form, then a line of its irregular forms
    synonym/english.synsets       a word, then a line of the numbers of its synsets
    paraphrase-en.gz              a probability, a phrase, a phrase that may stand for it; three lines each

The index holds the paraphrase table as a trie of its phrases: every prefix of a phrase is a node, node 0 the empty one.

    children of node p          the nodes child_first[p] … child_first[p + 1] − 1
    last word of node n ≥ 1     child_word[n − 1], rising among the children of one node
    what may stand for phrase   emits[emit_first[k]] … emits[emit_first[k + 1] − 1], for the node emitters[k]

Nodes are numbered level by level, so that a node needs no pointer to itself. The order of `emits` is that of the file:
it decides between alignments that are otherwise equal.

The index is a file in the cache folder, mapped into memory: a line of JSON that names the arrays, then the arrays. Its
name is the SHA-256 of the files that it was made from, so that other data make another index; its own SHA-256 lies
beside it and is checked when it is opened. A damaged index is made again, with a warning; one that cannot be kept
serves this process only, with a warning. Of several processes that need it one makes it while the others wait; where
that one dies, the next one begins anew.
"""

import contextlib
import gzip
import hashlib
import itertools
import json
import math
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.atomic import is_sealed, lock_folder, write_sealed
from voirdire.bundled import METEOR, digest_file
from voirdire.errors import CacheWarning, OutputError
from voirdire.metrics.meteor.words import ALWAYS, BEFORE_NUMBER
from voirdire.progress import Progress, silent
from voirdire.text.cache import cache_folder

Arrays = dict[str, npt.NDArray[Any]]
IntArray = npt.NDArray[np.int32]
Tell = Callable[[float], None]

# Raised whenever the arrays change their meaning.
VERSION = 4
# What a report counts: steps that take about the same time each, nearly all of them the paraphrase table's.
STEPS = 100

BLOCK = 1 << 24
# Parts phrases in a block; a word of no phrase.
END = b"\x00"
# The shares of the time that reading takes, and that reading and making nodes take together.
READ, LINKED = 0.5, 0.85

DAMAGED = (ValueError, KeyError, TypeError, OSError)
"""What reading a file raises that is not there or not whole."""

_opened: dict[Path, Arrays] = {}


@dataclass(frozen=True)
class MeteorFiles:
    """The two files, and what the lists in the jar say.

    digests  the SHA-256 of both, where they are known already
    """

    jar: Path
    paraphrases: Path
    digests: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """One SHA-256 over those of both files."""
        both = self.digests or map(digest_file, (self.jar, self.paraphrases))
        return hashlib.sha256(b"".join(map(bytes.fromhex, both))).hexdigest()

    def function_words(self) -> frozenset[str]:
        """Words that carry little meaning, and marks."""
        return frozenset(self._lines("function/english.words"))

    def abbreviations(self) -> dict[str, int]:
        """ALWAYS or BEFORE_NUMBER by abbreviation, without its point."""
        points = {}
        for line in self._lines("nonbreaking/english.prefixes"):
            word, *remark = line.split() or [""]
            if word and not word.startswith("#"):
                points[word] = BEFORE_NUMBER if remark[:1] == ["#NUMERIC_ONLY#"] else ALWAYS
        return points

    def irregular(self) -> dict[str, list[str]]:
        """The base forms by irregular form."""
        bases: dict[str, list[str]] = {}
        for base, forms in self._pairs("synonym/english.exceptions"):
            for form in forms.split():
                bases.setdefault(form, []).append(base)
        return bases

    def synsets(self) -> dict[str, list[int]]:
        """The numbers of its synsets by word, in rising order."""
        return {
            word: sorted(set(map(int, numbers.split()))) for word, numbers in self._pairs("synonym/english.synsets")
        }

    def _lines(self, name: str) -> list[str]:
        with zipfile.ZipFile(self.jar) as archive:
            return archive.read(name).decode("utf-8").removesuffix("\n").split("\n")

    def _pairs(self, name: str) -> Iterator[tuple[str, str]]:
        lines = self._lines(name)
        return zip(lines[::2], lines[1::2], strict=True)


def installed_files() -> MeteorFiles:
    """The files of the pycocoevalcap that is installed, after they have been checked."""
    jar, paraphrases = METEOR.paths()
    return MeteorFiles(jar, paraphrases, tuple(digest for _, digest in METEOR.files))


def build(files: MeteorFiles, report: Progress = silent) -> Arrays:
    """The arrays of the index; `report` is called with (done, total) on the way.

    words          the words as UTF-8, a line each: those of the paraphrase table by number, then others with synsets;
                   without compounds, whose `_` no word of a text holds
    phrase_words   int32[1], how many of them are in the paraphrase table
    synset_first   int32, with `synsets` the synsets of word n: synsets[synset_first[n]:synset_first[n + 1]]
    child_first …  the trie of the paraphrase table
    """
    report(0, STEPS)
    words, arrays = paraphrase_trie(files.paraphrases, lambda share: report(int(STEPS * share), STEPS))
    synsets = files.synsets()
    listed = dict.fromkeys(words)
    every = [*words, *(word for word in synsets if word not in listed and "_" not in word)]
    report(STEPS, STEPS)
    of_each = [synsets.get(word, ()) for word in every]
    return {
        "words": np.frombuffer("\n".join(every).encode(), np.uint8),
        "phrase_words": np.array([len(words)], np.int32),
        "synset_first": np.append(0, np.cumsum([len(numbers) for numbers in of_each])).astype(np.int32),
        "synsets": np.concatenate([np.asarray(numbers, np.int32) for numbers in of_each]),
        **arrays,
    }


def paraphrase_trie(path: Path, tell: Tell = lambda share: None) -> tuple[list[str], dict[str, IntArray]]:
    """The words of the table by their numbers, and the arrays of its trie; `tell` is called with the share done."""
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
    widened = (
        np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=-1) for rows in (*phrases, *replacements)
    )
    table = np.concatenate(list(widened))
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


def index_path(files: MeteorFiles) -> Path:
    """Where the index of these files is kept."""
    return cache_folder() / "meteor" / f"{files.digest[:24]}-{VERSION}.index"


def open_index(files: MeteorFiles, report: Progress = silent) -> Arrays:
    """The kept index, mapped; where there is none, a new one, which is then kept. Only making one is reported."""
    path = index_path(files)
    with contextlib.suppress(*DAMAGED):
        return _mapped(path)
    with contextlib.ExitStack() as stack:
        # Where no lock can be had, nobody is waited for.
        with contextlib.suppress(OSError):
            stack.enter_context(lock_folder(path.parent, wait=True))
        return _kept_or_made(path, files, report)


def _kept_or_made(path: Path, files: MeteorFiles, report: Progress) -> Arrays:
    if path.exists():
        try:
            return _mapped(path)
        except DAMAGED as error:
            warnings.warn(f"{path} is damaged ({error}); it is made again", CacheWarning, stacklevel=3)
    arrays = build(files, report)
    try:
        _write(path, arrays)
        return _mapped(path)
    except (OutputError, OSError) as error:
        warnings.warn(f"{path} cannot be kept ({error})", CacheWarning, stacklevel=3)
        return arrays


def installed_index(report: Progress = silent) -> Arrays:
    """The index of the files that are installed, opened once per process."""
    files = installed_files()
    path = index_path(files)
    if path not in _opened:
        _opened[path] = open_index(files, report)
    return _opened[path]


def _write(path: Path, arrays: Arrays) -> None:
    layout, place = {}, 0
    for name, array in arrays.items():
        layout[name] = (array.dtype.str, array.shape, place)
        place += -(-array.nbytes // 64) * 64
    # The header's own line is padded, so that every array begins at a multiple of 64.
    header = json.dumps({"size": place, "arrays": layout}).encode()
    line = header.ljust(-(-(len(header) + 1) // 64) * 64 - 1) + b"\n"
    rest = (array.tobytes().ljust(-(-array.nbytes // 64) * 64, b"\x00") for array in arrays.values())
    write_sealed(path, itertools.chain([line], rest), len(line) + place)


def _mapped(path: Path) -> Arrays:
    if not is_sealed(path):
        raise ValueError("it is not what was written")
    with path.open("rb") as file:
        line = file.readline()
    header = json.loads(line)
    data = np.memmap(path, np.uint8, "r", offset=len(line), shape=(header["size"],))
    arrays: Arrays = {}
    for name, (dtype, shape, place) in header["arrays"].items():
        size = np.dtype(dtype).itemsize * math.prod(shape)
        # A plain array over the map: compiled code then takes it as any other.
        arrays[name] = np.asarray(data[place : place + size]).view(dtype).reshape(shape)
    return arrays
