"""`skipthoughts:FOLDER`: combine-skip vectors of the published Skip-thoughts model (vqa-robustness, eq. (1) to (4)).

    r_t = σ(x_t W_r + h_{t−1} U_r + b_r)
    u_t = σ(x_t W_u + h_{t−1} U_u + b_u)
    c_t = tanh(x_t W + r_t ⊙ (h_{t−1} U) + b)
    h_t = u_t ⊙ h_{t−1} + (1 − u_t) ⊙ c_t,    h_0 = 0
    vector = [ uni/‖uni‖ ; bi/‖bi‖ ]

x_t   the row of the t-th word in a table: one table for uni, one for both halves of bi
uni   h_N of the uni-skip encoder (2400 numbers as published)
bi    h_N of the two bi-skip encoders, one of which reads the words backwards (1200 numbers each)

The vector has length √2. The paper prints U(r_t ⊙ h_{t−1}) in c_t, no b, and z_t = 1 − u_t; the published weights were
trained as above. The folder holds the published files. The sizes are those of the arrays; the options beside them
(`*.npz.pkl`), which are pickles, are neither needed nor read:

dictionary.txt             a word per line, the row of each in both tables
utable.npy, btable.npy     the tables, one row per word: arrays of numbers, or as published of objects (`object_rows`)
uni_skip.npz, bi_skip.npz  weights: encoder_W, _b, _U (r, then u), _Wx, _bx, _Ux (c); of the one that reads backwards
                           encoder_r_W, …

Words are read as the published program does: sentences, each cut into Penn-Treebank tokens, in the case in which they
are written; one that is not in the dictionary is the word `UNK`; no end of a sentence is added. Sentences are told
apart by NLTK's Punkt with a short list of abbreviations in place of its trained ones, which would have to be fetched:
that matters only for a point inside the text. A text without a word is a vector of zeros. Weights are read into
memory (140 MB as published); of the tables only the rows that are needed are.
"""

import hashlib
import math
import mmap
import zipfile
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.bundled import digest_file
from voirdire.errors import InputError, Problem, shorten_text
from voirdire.formats.files import check_file, most_unpacked
from voirdire.formats.strict import Problems
from voirdire.text.encoders.neural import encode_fixed
from voirdire.text.encoders.object_rows import PickleFault, find_rows
from voirdire.text.encoders.protocol import ENCODERS, split_argument
from voirdire.text.tokens import treebank

DICTIONARY = "dictionary.txt"
TABLES = {"uni_skip.npz": "utable.npy", "bi_skip.npz": "btable.npy"}
ENCODER, BACKWARDS = "encoder", "encoder_r"
UNKNOWN = "UNK"
FETCH = "Fetch the files of the published model, or copy them again."
WHERE = "The page on robustness says what each file is."
WAY = "Punkt with our abbreviations, Penn Treebank, case kept, no end of sentence"
"""What besides the files decides about a vector."""
ABBREVIATIONS = frozenset(
    "mr mrs ms dr st vs jr sr etc no ave e.g i.e u.s u.k a.m p.m".split()  # noqa: SIM905
)
MOST_COLUMNS = 1 << 30

Float32 = npt.NDArray[np.float32]


@cache
def _splitter() -> Any:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    known = PunktParameters()
    known.abbrev_types = set(ABBREVIATIONS)
    return PunktSentenceTokenizer(known)


def sentence_words(text: str) -> list[str]:
    """The words of a text, sentence by sentence, as the published program takes them."""
    return [token for sentence in _splitter().tokenize(text) for token in treebank(sentence)]


class WordRows:
    """A table of word vectors in a .npy: numbers of shape (words, dimension), or objects, one row of numbers each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            try:
                first = np.lib.format.read_magic(file) == (1, 0)
                read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
                shape, columns_first, dtype = read(file)
            except ValueError as error:
                raise self._fail(f"no array ({shorten_text(str(error))})", "numpy's .npy", FETCH) from None
            self._start = file.tell()
        self._objects = bool(dtype.hasobject)
        if len(shape) != (1 if self._objects else 2) or not (self._objects or dtype.str in ("<f4", "<f8")):
            wanted = "numbers of shape (words, dimension), or objects of shape (words,)"
            raise self._fail(f"{dtype} of shape {shape}", wanted)
        if columns_first and not self._objects:
            raise self._fail("an array in Fortran's order", "one row after the other", "Save it in the order C.")
        self._type, self._shape = dtype, shape
        size = path.stat().st_size - self._start
        if not self._objects and size < (needed := math.prod(shape) * dtype.itemsize):
            raise self._fail(f"{size:,} bytes of numbers", f"{needed:,} for shape {shape}", FETCH)

    def _fail(self, found: str, expected: str, hint: str = "") -> InputError:
        return InputError(str(self.path), [Problem("", "", found, expected, hint)])

    def __len__(self) -> int:
        return int(self._shape[0])

    @cached_property
    def _data(self) -> mmap.mmap:
        with self.path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @cached_property
    def _index(self) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Numbers per row, where each row begins, and whether it is in double precision."""
        count = len(self)
        if not self._objects:
            size = self._type.itemsize
            at = self._start + np.arange(count, dtype=np.int64) * (self._shape[1] * size)
            return int(self._shape[1]), at, np.full(count, size == 8)
        try:
            return find_rows(self._data, self._start, count)
        except PickleFault as fault:
            hint = "It is not unpickled: that could run code. Save it as an array of numbers, if you trust it."
            raise self._fail(str(fault), "a row of numbers per word", hint) from None

    def rows(self, numbers: Sequence[int], dimension: int) -> Float32:
        """float32[len(numbers), dimension]."""
        width, places, double = self._index
        if width != dimension:
            raise self._fail(f"rows of {width} numbers", f"{dimension}, as the weights have", FETCH)
        out = np.empty((len(numbers), dimension), np.float32)
        with np.errstate(over="ignore"):
            for row, number in zip(out, numbers, strict=True):
                row[:] = np.frombuffer(self._data, "<f8" if double[number] else "<f4", dimension, int(places[number]))
        if not (finite := np.isfinite(out).all(axis=1)).all():
            bad = numbers[int(np.argmin(finite))]
            problem = Problem(f"row {bad} (from 0)", "", "a number that is not finite", "finite numbers", FETCH)
            raise InputError(str(self.path), [problem])
        return out


class SkipThoughts:
    """The published model; its tables are mapped, and torch is loaded when the first vector is computed."""

    name = "skipthoughts"
    costly = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        problems = Problems(str(folder))
        for name in self._files:
            if not (folder / name).is_file():
                problems.add("", name, "no such file", "this file of the published model", WHERE)
        problems.check()
        for name in self._files:
            check_file(folder / name)
        self._uni = [_read_gru(folder / "uni_skip.npz", ENCODER)]
        self._bi = [_read_gru(folder / "bi_skip.npz", prefix) for prefix in (ENCODER, BACKWARDS)]
        if self._bi[0]["W"].shape != self._bi[1]["W"].shape:
            found = f"encoder_r_W of shape {self._bi[1]['W'].shape}"
            raise _fault(folder / "bi_skip.npz", "", found, f"{self._bi[0]['W'].shape}, as encoder_W has", FETCH)
        self.dimension = sum(len(weights["Ux"]) for weights in self._uni + self._bi)
        self._tables = [WordRows(folder / name) for name in TABLES.values()]
        self._words = self._read_dictionary(folder / DICTIONARY)

    @property
    def _files(self) -> tuple[str, ...]:
        return (DICTIONARY, *TABLES, *TABLES.values())

    @cached_property
    def signature(self) -> str:
        """Of the contents of all five files, and of how words are taken."""
        digests = (f"{name}\0{digest_file(self.folder / name)}\n" for name in sorted(self._files))
        return hashlib.sha256("".join((*digests, WAY)).encode()).hexdigest()

    def _read_dictionary(self, path: Path) -> dict[str, int]:
        try:
            lines = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
        except UnicodeDecodeError as error:
            raise _fault(path, "", f"what is no UTF-8 ({error.reason} at byte {error.start:,})", "UTF-8") from None
        for table in self._tables:
            if len(table) != len(lines):
                expected = f"{len(table):,}, as {table.path.name} has rows"
                raise _fault(path, "", f"{len(lines):,} words", expected, FETCH)
        # Of a word that stands twice the last row holds, as in the published program.
        words = {line.strip(): row for row, line in enumerate(lines)}
        if UNKNOWN not in words:
            raise _fault(path, "", f"no word {UNKNOWN}", "it, which stands for all unknown words", FETCH)
        return words

    @cached_property
    def _cells(self) -> list[Any]:
        """One cell for each encoder: uni-skip's, bi-skip's, and bi-skip's that reads backwards."""
        import torch

        cells = []
        for gru in self._uni + self._bi:
            cell = torch.nn.GRUCell(len(gru["W"]), len(gru["Ux"]))
            # torch has its gates in the same order: r, u (its z), c (its n).
            values = {
                "weight_ih": np.concatenate([gru["W"], gru["Wx"]], axis=1).T,
                "weight_hh": np.concatenate([gru["U"], gru["Ux"]], axis=1).T,
                "bias_ih": np.concatenate([gru["b"], gru["bx"]]),
                "bias_hh": np.zeros(3 * len(gru["Ux"]), np.float32),
            }
            cell.load_state_dict({key: torch.from_numpy(np.ascontiguousarray(value)) for key, value in values.items()})
            cells.append(cell.eval())
        return cells

    def encode_distinct(self, texts: Sequence[str]) -> np.ndarray:
        """float32[len(texts), dimension]."""
        import torch

        unknown, local = self._words[UNKNOWN], dict[int, int]()
        ids = [
            [local.setdefault(self._words.get(word, unknown), len(local)) for word in sentence_words(text)]
            for text in texts
        ]
        with_words = [place for place, row in enumerate(ids) if row]
        out = np.zeros((len(texts), self.dimension), np.float32)
        if not with_words:
            return out
        widths = (len(self._uni[0]["W"]), len(self._bi[0]["W"]))
        uni, bi = (
            torch.from_numpy(table.rows(list(local), width)) for table, width in zip(self._tables, widths, strict=True)
        )
        forwards, both, backwards = self._cells

        def forward(rows: Any, mask: Any) -> Any:
            # A row the other way round: its last word first, what fills it up still behind.
            place = (mask.sum(1, keepdim=True) - 1 - torch.arange(rows.shape[1])).clamp(min=0)
            turned = torch.gather(rows, 1, place)
            halves = (
                _last_state(forwards, uni, rows, mask),
                torch.cat([_last_state(both, bi, rows, mask), _last_state(backwards, bi, turned, mask)], dim=1),
            )
            return torch.cat([torch.nn.functional.normalize(half.double(), dim=1) for half in halves], dim=1)

        out[with_words] = encode_fixed([ids[place] for place in with_words], forward, 0, MOST_COLUMNS)
        return out


def _last_state(cell: Any, table: Any, rows: Any, mask: Any) -> Any:
    """h_N of each row, read word by word; what fills a row up changes nothing."""
    import torch

    state = torch.zeros(len(rows), cell.hidden_size)
    for column in range(rows.shape[1]):
        state = torch.where(mask[:, column, None].bool(), cell(table[rows[:, column]], state), state)
    return state


def _read_gru(path: Path, prefix: str) -> dict[str, Float32]:
    """The weights of one encoder, by their names without the prefix."""
    try:
        with zipfile.ZipFile(path) as archive:
            weights = {
                name: _read_array(archive, path, f"{prefix}_{name}") for name in ("Ux", "U", "W", "Wx", "b", "bx")
            }
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError) as error:
        raise _fault(path, "", f"no archive of arrays ({shorten_text(str(error))})", "numpy's .npz", FETCH) from None
    dimension, width = len(weights["Ux"]), len(weights["W"])
    wanted = {
        "Ux": (dimension, dimension),
        "U": (dimension, 2 * dimension),
        "W": (width, 2 * dimension),
        "Wx": (width, dimension),
        "b": (2 * dimension,),
        "bx": (dimension,),
    }
    problems = Problems(str(path))
    for name, shape in wanted.items():
        if weights[name].shape != shape:
            problems.add("", f"{prefix}_{name}", f"shape {weights[name].shape}", f"{shape}, as the others have", FETCH)
        elif not np.isfinite(weights[name]).all():
            problems.add("", f"{prefix}_{name}", "a number that is not finite", "finite numbers", FETCH)
    problems.check()
    return weights


def _read_array(archive: zipfile.ZipFile, path: Path, name: str) -> Float32:
    try:
        member = archive.getinfo(f"{name}.npy")
    except KeyError:
        raise _fault(path, name, "no such array", "this array of the published weights", FETCH) from None
    with archive.open(member) as file:
        first = np.lib.format.read_magic(file) == (1, 0)
        read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        # Before there is any room made for it, since a header may say anything, and a packed file hold anything.
        room = min(member.file_size, most_unpacked(path.stat().st_size))
        if dtype.kind != "f" or not shape or math.prod(shape) * dtype.itemsize > room:
            raise _fault(path, name, f"{dtype} of shape {shape}", f"numbers in {room:,} bytes", FETCH)
    with archive.open(member) as file, np.errstate(over="ignore"):
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False), np.float32)


def _fault(path: Path, field: str, found: str, expected: str, hint: str = "") -> InputError:
    return InputError(str(path), [Problem("", field, found, expected, hint)])


@ENCODERS.register("skipthoughts")
def skipthoughts(argument: str | None) -> SkipThoughts:
    """The model of a folder that holds the published files."""
    folder, _ = split_argument("skipthoughts", argument)
    if not folder.is_dir():
        raise _fault(folder, "", "a file", f"a folder with {DICTIONARY}, {', '.join(TABLES)} and their tables")
    return SkipThoughts(folder)
