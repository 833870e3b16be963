"""Features of pictures, one vector, a grid of vectors or some regions per picture, as HDF5 or npz; never read whole.

    image_ids  n whole numbers
    features   float16 or float32: [n, d] global, [n, rows, columns, d] a grid, [n, regions, d] regions
    boxes      float [n, regions, 4] of regions, where they are known
    checks     uint32 [n]: CRC-32 of each picture's features, where Voir Dire wrote them

Such a file may be larger than the memory: rows are read by memory map where the array lies in one piece, else piece by
piece. What is read is checked: its numbers are finite, and its CRC is the one that was written. Attributes of
`features` in HDF5 name the encoder that made them (`encoder`, `identity`).
"""

import hashlib
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, shorten_text
from voirdire.formats.catalogue import HDF5_MAGIC, ZIP_MAGIC
from voirdire.formats.features import find_rows
from voirdire.formats.files import check_file
from voirdire.formats.hdf5_storage import check_links, check_storage
from voirdire.formats.strict import Problems

FeatureLayout = Literal["global", "grid", "regions"]
LAYOUTS: dict[int, FeatureLayout] = {2: "global", 3: "regions", 4: "grid"}
"""By the number of axes of `features`."""
FLOATS = ("float16", "float32")
EXPECTED = "`image_ids` [n] and `features` [n, d], [n, regions, d] or [n, rows, columns, d]"
ABOUT = ("encoder", "identity")
SAMPLED = 64
"""Rows whose bytes are in the fingerprint of a file without checks."""

Int64 = npt.NDArray[np.int64]
Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PictureFeatures:
    """Features of pictures by the numbers of the images.

    array   [n, …], on disk; only taking rows reads it
    about   the encoder that made them, and its identity, where the file says so
    checks  the CRC-32 of each row, where the file has them
    """

    name: str
    ids: Int64
    array: Any
    about: Mapping[str, str] = field(default_factory=dict)
    checks: npt.NDArray[np.uint32] | None = None
    boxes: Any = None
    _checked: set[int] = field(default_factory=set, init=False, repr=False)

    @property
    def layout(self) -> FeatureLayout:
        """How the features of a picture lie."""
        return LAYOUTS[len(self.array.shape)]

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return int(self.array.shape[-1])

    @property
    def places(self) -> int:
        """Vectors of a picture."""
        return math.prod(self.array.shape[1:-1])

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over ids, shape and the rows' checks; without checks, over the bytes of some rows in their place."""
        total = hashlib.sha256(repr((self.array.dtype.str, self.array.shape)).encode())
        total.update(self.ids.tobytes())
        if self.checks is not None:
            total.update(self.checks.tobytes())
        else:
            for row in np.unique(np.linspace(0, len(self.ids) - 1, SAMPLED).astype(np.int64)).tolist():
                total.update(np.ascontiguousarray(self.array[row]).tobytes())
        return total.hexdigest()

    def rows(self, ids: Int64) -> Int64:
        """The row of each id; ids without one are an error that names them."""
        return find_rows(self.name, "image", self.ids, ids)

    def of(self, ids: Int64) -> Float32:
        """float32[n, d] of global features, else float32[n, places, d], of the images with these ids."""
        rows = self.rows(ids)
        taken = np.stack([self._row(row) for row in rows.tolist()]) if len(rows) else np.empty((0, *self._shape))
        return taken.astype(np.float32, copy=False)

    @property
    def _shape(self) -> tuple[int, ...]:
        return (self.width,) if self.layout == "global" else (self.places, self.width)

    def _row(self, row: int) -> npt.NDArray[Any]:
        """The features of a picture; they are checked when they are read for the first time."""
        features = np.ascontiguousarray(self.array[row])
        if row not in self._checked:
            where = f"image {self.ids[row]}"
            if not np.isfinite(features).all():
                raise _fault(self.name, where, "a number that is not finite", "finite numbers")
            if self.checks is not None and zlib.crc32(features.tobytes()) != self.checks[row]:
                raise _fault(
                    self.name, where, "other numbers than were written", "the checksum beside them", "Damaged."
                )
            self._checked.add(row)
        return features.reshape(self._shape)


def read_picture_features(path: str | Path) -> PictureFeatures:
    """Open features of pictures; their numbers stay on disk."""
    check_file(path)
    with Path(path).open("rb") as file:
        magic = file.read(len(HDF5_MAGIC))
    try:
        if magic == HDF5_MAGIC:
            return _open_hdf5(Path(path))
        if magic.startswith(ZIP_MAGIC):
            return _open_npz(Path(path))
    except InputError:
        raise
    except Exception as error:  # The decoders raise almost anything on damaged bytes.
        raise _fault(str(path), "", f"a file that cannot be read ({shorten_text(str(error))})", EXPECTED) from None
    raise _fault(str(path), "", "neither HDF5 nor npz", EXPECTED)


def _open_hdf5(path: Path) -> PictureFeatures:
    import h5py

    # It stays open: where an array lies in chunks, rows are read through it.
    file = h5py.File(path, "r", locking=False)
    problems = Problems(str(path))
    check_links(file, problems)
    arrays = {name: file[name] for name in file if isinstance(file[name], h5py.Dataset)}
    for name in ("image_ids", "features", "boxes", "checks"):
        if name in arrays:
            check_storage(f"array {name!r}", arrays[name], path.stat().st_size, problems)
    problems.check()
    about = {name: str(value) for name, value in arrays["features"].attrs.items() if name in ABOUT} if arrays else {}
    in_one_piece = {
        name: np.memmap(path, array.dtype, "r", array.id.get_offset(), array.shape)
        if name in ("features", "boxes") and array.id.get_offset() is not None and array.dtype.isnative
        else array
        for name, array in arrays.items()
    }
    return _made(str(path), in_one_piece, about)


def _open_npz(path: Path) -> PictureFeatures:
    arrays: dict[str, Any] = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            if name not in ("image_ids", "features", "boxes", "checks"):
                continue
            if member.compress_type != zipfile.ZIP_STORED:
                hint = "numpy.savez writes it so; numpy.savez_compressed does not."
                raise _fault(str(path), f"array {name!r}", "a compressed array", "one as it is in memory", hint)
            with archive.open(member) as inside, path.open("rb") as raw:
                version = np.lib.format.read_magic(inside)
                header = (
                    np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                )
                shape, by_column, dtype = header(inside)
                begin = inside.tell()
                # The length of a member's own head stands in it: two numbers before its name.
                raw.seek(member.header_offset + 26)
                named, more = np.frombuffer(raw.read(4), "<u2").tolist()
                start = member.header_offset + 30 + named + more + begin
            size = math.prod(shape) * dtype.itemsize
            if dtype.hasobject or by_column or size != member.file_size - begin:
                raise _fault(str(path), f"array {name!r}", f"{dtype} of shape {shape}", "numbers, row by row")
            arrays[name] = np.memmap(path, dtype, "r", start, shape) if size else np.empty(shape, dtype)
    return _made(str(path), arrays, {})


def _made(name: str, arrays: Mapping[str, Any], about: Mapping[str, str]) -> PictureFeatures:
    """The record of arrays that are opened, once their shapes and types are checked."""
    problems = Problems(name)
    for key in ("image_ids", "features"):
        if key not in arrays:
            problems.add("", key, "nothing", "this array")
    problems.check()
    ids, features, boxes, checks = arrays["image_ids"], arrays["features"], arrays.get("boxes"), arrays.get("checks")
    if len(ids.shape) != 1 or ids.dtype.kind not in "iu" or not ids.shape[0]:
        problems.add("", "image_ids", f"{ids.dtype} of shape {ids.shape}", "whole numbers in one dimension")
    count = ids.shape[0] if ids.shape else 0
    shaped = len(features.shape) in LAYOUTS and features.shape[0] == count and 0 not in features.shape
    if not shaped or features.dtype.name not in FLOATS:
        wanted = f"{' or '.join(FLOATS)} of {count:,} rows, {EXPECTED}"
        problems.add("", "features", f"{features.dtype} of shape {features.shape}", wanted)
    if boxes is not None and (len(features.shape) != 3 or boxes.shape != (*features.shape[:2], 4)):
        problems.add("", "boxes", f"the shape {boxes.shape}", "four numbers for each region of `features`")
    if checks is not None and (checks.shape != (count,) or checks.dtype.name != "uint32"):
        problems.add("", "checks", f"{checks.dtype} of shape {checks.shape}", f"uint32 of shape ({count},)")
    problems.check()
    ids = np.asarray(ids[:], np.int64)
    distinct, counts = np.unique(ids, return_counts=True)
    for id_ in distinct[counts > 1].tolist():
        problems.add(f"image {id_}", "image_ids", "this image twice", "each image once")
    problems.check()
    return PictureFeatures(name, ids, features, about, None if checks is None else np.asarray(checks[:]), boxes)


def _fault(name: str, where: str, found: str, expected: str, hint: str = "") -> InputError:
    return InputError(name, [Problem(where, "", found, expected, hint)])
