"""A dictionary on disk, laid out by pieces, so that no process ever holds it.

    FOLDER/
        original.npy               float32[n, d], the different columns, as they came
        exact.npy, single.npy      float64 and float32[n, r], after a rotation
        norms.npy, leak.npy, twins.npy, group.npy, basis.npy, main.npy      see `LassoColumns` and `Dictionary`
        layout.json                lists what is laid out; it comes last

The arrays are those of `Dictionary.of`, bit by bit. Each file is sealed. What is left in memory is about 40 bytes per
column, and a table of 16-byte hashes while equal columns are looked for.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire.atomic import is_sealed, seal_of, write_atomic
from voirdire.engine.shared_files import map_array, write_array
from voirdire.robustness.lasso.columns import Float32, Int64
from voirdire.robustness.lasso.dictionary import CHUNK, basis_of_range, distinct, main_range, norms_of, rotated
from voirdire.robustness.lasso.parts import ColumnPart, HereParts, SplitColumns, bounds_of_parts

HEAD = "layout.json"
SPACE = ("norms", "group", "twins", "basis", "main")
"""What every process knows of all columns."""


class _Contents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """length  d, the length of a target; `arrays` the names of the files"""

    length: int
    arrays: tuple[str, ...]


def lay_out(folder: Path, pieces: Callable[[], Iterable[Float32]], length: int) -> "ColumnLayout":
    """Lay out the dictionary of vectors in `folder`; an earlier one is replaced.

    pieces  gives the vectors, some at a time, in order; it is called twice, and must give the same both times
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    group, first = distinct(pieces(), length)
    layout = ColumnLayout(folder)
    write_array(layout.path("original"), _picked(pieces(), first), (len(first), length), np.float32)
    kept = layout.array("original")
    small: dict[str, Any] = {
        "group": group,
        "twins": np.bincount(group[group >= 0], minlength=len(first)),
        "leak": np.zeros(len(kept)),
    }
    basis = basis_of_range(kept) if len(kept) else None
    if basis is not None:
        shape = (len(kept), basis.shape[1])
        write_array(layout.path("exact"), rotated(kept, basis), shape, np.float64)
        exact = layout.array("exact")
        single = (exact[at : at + CHUNK] for at in range(0, len(exact), CHUNK))
        write_array(layout.path("single"), single, shape, np.float32)
        small |= {"basis": basis, "norms": norms_of(exact)}
    else:
        small["norms"] = norms_of(kept)
        if len(kept) and (found := main_range(kept)) is not None:
            small["main"], small["leak"] = found
    for name, array in small.items():
        write_array(layout.path(name), [array], array.shape, array.dtype)
    names = ("original", *(("exact", "single") if basis is not None else ()), *small)
    write_atomic(folder / HEAD, msgspec.json.encode(_Contents(length, names)))
    return layout


def _picked(pieces: Iterable[Float32], places: Int64) -> Iterator[Float32]:
    """These rows of all pieces, in order."""
    before = 0
    for piece in pieces:
        first, stop = np.searchsorted(places, [before, before + len(piece)])
        yield piece[places[first:stop] - before]
        before += len(piece)


@dataclass(frozen=True)
class ColumnLayout:
    """A dictionary that is laid out in a folder."""

    folder: Path

    def path(self, name: str) -> Path:
        """The file of one array."""
        return self.folder / f"{name}.npy"

    def contents(self) -> _Contents | None:
        """What is laid out; None where it is not complete."""
        try:
            return msgspec.json.decode((self.folder / HEAD).read_bytes(), type=_Contents)
        except (OSError, msgspec.DecodeError):
            return None

    def is_whole(self) -> bool:
        """Whether all arrays exist, as they were written."""
        contents = self.contents()
        return contents is not None and all(is_sealed(self.path(name)) for name in contents.arrays)

    def seals(self) -> dict[str, bytes]:
        """The seal of each file, by which somebody who sees such a folder knows that it is this one."""
        contents = self.contents()
        return {name: seal_of(self.path(name)) for name in contents.arrays} if contents is not None else {}

    def array(self, name: str) -> Any:
        """One array, mapped to be read."""
        # A plain array that looks at the map: slices of a map are slow to make.
        return np.asarray(map_array(self.path(name)))

    def space(self) -> dict[str, Any]:
        """What every process knows of all columns, by the names of `LassoColumns`."""
        contents = self.contents()
        assert contents is not None
        arrays = {name: self.array(name) if name in contents.arrays else None for name in SPACE}
        return {"length": contents.length, **arrays}

    def bounds(self, parts: int) -> list[int]:
        """Where parts begin, and the end."""
        return bounds_of_parts(len(self.array("norms")), parts)

    def rows(self, start: int, stop: int) -> dict[str, Any]:
        """The columns `start` to `stop - 1`, mapped, by the names of `ColumnPart`; what would be one array is one."""
        contents = self.contents()
        assert contents is not None
        names = ("original", "norms", "leak", *(("exact", "single") if "exact" in contents.arrays else ()))
        return {name: self.array(name)[start:stop] for name in names}


def part_of(start: int, rows: dict[str, Any]) -> ColumnPart:
    """A part of the arrays that `ColumnLayout.rows` names."""
    original = rows["original"]
    exact, single = rows.get("exact", original), rows.get("single", original)
    return ColumnPart(start, single, exact, original, rows["norms"], rows["leak"])


@dataclass(frozen=True)
class MappedParts:
    """Parts in files that whoever calls this maps: they work in that process, one after the other."""

    folder: Path
    parts: int

    def __call__(self) -> SplitColumns:
        layout = ColumnLayout(self.folder)
        bounds = layout.bounds(self.parts)
        parts = [part_of(start, layout.rows(start, stop)) for start, stop in pairwise(bounds)]
        return SplitColumns(**layout.space(), bounds=bounds, parts=HereParts(parts))
