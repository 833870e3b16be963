"""The data of METEOR 1.5: the files of the package pycocoevalcap, and an index that is made of them once and kept.

The package has METEOR's jar (a zip) and its paraphrase table. Nothing of the jar is run. Its list of relations
between synsets takes no part in matching.

    function/english.words        one function word per line
    nonbreaking/english.prefixes  one abbreviation per line, with a remark where it is one only before numbers
    synonym/english.exceptions    a base form, then a line of its irregular forms
    synonym/english.synsets       a word, then a line of the numbers of its synsets
    paraphrase-en.gz              a probability, a phrase, a phrase that may stand for it; three lines each

The index is a file in the cache folder, mapped into memory: a line of JSON that names the arrays, then the arrays. Its
name is the SHA-256 of the files that it was made from, so that other data make another index; its own SHA-256 lies
beside it and is looked at when it is opened. Where it is damaged, that is said and it is made anew; where it cannot be
kept, that is said and it serves this process only. Of several processes that need it one makes it while the others
wait; where that one dies, the next one begins anew.
"""

import contextlib
import hashlib
import json
import math
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
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

# Raised whenever the arrays change their meaning.
VERSION = 4
# What a report counts: steps that take about the same time each, nearly all of them the paraphrase table's.
STEPS = 100

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
        found = {}
        for line in self._lines("nonbreaking/english.prefixes"):
            word, *remark = line.split() or [""]
            if word and not word.startswith("#"):
                found[word] = BEFORE_NUMBER if remark[:1] == ["#NUMERIC_ONLY#"] else ALWAYS
        return found

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
    """The arrays of the index; `report` is told (done, total) on the way.

    words          the words as UTF-8, a line each: those of the paraphrase table by number, then others with synsets;
                   without compounds, whose `_` no word of a text holds
    phrase_words   int32[1], how many of them are in the paraphrase table
    synset_first   int32, with `synsets` the synsets of word n: synsets[synset_first[n]:synset_first[n + 1]]
    child_first …  the trie of the paraphrase table, as module `trie` says
    """
    from voirdire.metrics.meteor.trie import paraphrase_trie

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


def index_path(files: MeteorFiles) -> Path:
    """Where the index of these files is kept."""
    return cache_folder() / "meteor" / f"{files.digest[:24]}-{VERSION}.index"


def open_index(files: MeteorFiles, report: Progress = silent) -> Arrays:
    """The kept index, mapped; where there is none, a new one, which is then kept. Only its making is reported."""
    path = index_path(files)
    with contextlib.suppress(*DAMAGED):
        return _mapped(path)
    with contextlib.ExitStack() as stack:
        # Where no lock can be had, nobody is waited for.
        with contextlib.suppress(OSError):
            stack.enter_context(lock_folder(path.parent, wait=True))
        return _found_or_made(path, files, report)


def _found_or_made(path: Path, files: MeteorFiles, report: Progress) -> Arrays:
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
    write_sealed(path, chain([line], rest), len(line) + place)


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
