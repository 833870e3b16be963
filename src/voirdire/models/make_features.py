"""Features of a folder of pictures by an encoder, written some at a time, so that a killed run goes on.

While it is made the file has another name, OUT.unfinished: an HDF5 file of its final size, in which a picture is done
once the checksum of its features stands beside them. A run that was killed takes it up: what is done is checked against
its checksum and against the picture's bytes, and not made again. The finished file takes the name OUT.
"""

import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from voirdire.atomic import check_output, lock_folder, unwritten
from voirdire.errors import InputError, UsageError
from voirdire.formats.picture_features import FLOATS, FeatureLayout
from voirdire.formats.picture_files import PictureFile, find_pictures
from voirdire.models.picture_encoders import ENCODERS, PictureEncoder
from voirdire.options import Options, option
from voirdire.progress import Progress, silent

AT_ONCE = 16
"""Pictures between two looks at what is done."""


@dataclass(frozen=True)
class FeatureOptions(Options):
    """How features of pictures are made."""

    encoder: str = option("world", "world, efficientnet-lite0, or hf:FOLDER.")
    layout: Literal["grid", "global"] = option("grid", "A vector per place, or the mean over all places.")
    half: bool = option(False, "Keep float16: half the size on disk.")


@dataclass(frozen=True)
class MadeFeatures:
    """What was made: how many pictures, of which so many now, and those that are no pictures, with the reason."""

    pictures: int
    made: int
    unread: tuple[InputError, ...]
    shape: tuple[int, ...]


def make_features(
    pictures: str | Path, output: str | Path, options: FeatureOptions | None = None, progress: Progress = silent
) -> MadeFeatures:
    """Write the features of all pictures of a folder or a zip; those that cannot be read are left out and named."""
    options, target = options or FeatureOptions(), Path(output)
    if target.suffix not in (".h5", ".hdf5"):
        raise UsageError(f"{target}: features are written to .h5 or .hdf5, not to {target.suffix or 'no ending'!r}")
    check_output(target)
    encoder = ENCODERS.make(options.encoder)
    found = dict(sorted(find_pictures([pictures]).items()))
    try:
        with lock_folder(target.parent, f".{target.name}.lock"):
            return _make(found, target, encoder, options, progress)
    except OSError as error:
        raise unwritten(target, error) from error


def _make(
    pictures: Mapping[int, PictureFile],
    target: Path,
    encoder: PictureEncoder,
    options: FeatureOptions,
    progress: Progress,
) -> MadeFeatures:
    unread: list[InputError] = []
    readable = {id_: file for id_, file in pictures.items() if _is_picture(file, unread)}
    if not readable:
        raise UsageError(f"no picture could be read; the first: {unread[0]}")
    ids = np.array(list(readable), np.int64)
    file = _Unfinished(target, ids, encoder, options)
    made = done = 0
    try:
        for batch in _in_batches(list(enumerate(readable.values()))):
            bytes_ = {row: picture.read() for row, picture in batch}
            missing = [row for row in bytes_ if not file.has(row, bytes_[row])]
            for row, features in zip(missing, encoder.encode([bytes_[row] for row in missing]), strict=True):
                file.put(row, bytes_[row], features)
            made, done = made + len(missing), done + len(batch)
            progress(done, len(readable))
        file.finish()
    finally:
        file.close()
    return MadeFeatures(len(readable), made, tuple(unread), file.shape)


def _is_picture(file: PictureFile, unread: list[InputError]) -> bool:
    """Whether a picture can be decoded; a fault is kept."""
    try:
        file.decode()
    except InputError as error:
        unread.append(error)
        return False
    return True


def _in_batches(pictures: list[tuple[int, PictureFile]]) -> Iterator[list[tuple[int, PictureFile]]]:
    for start in range(0, len(pictures), AT_ONCE):
        yield pictures[start : start + AT_ONCE]


class _Unfinished:
    """The file while it is made. All its arrays lie in one piece, and are written in place."""

    def __init__(self, target: Path, ids: npt.NDArray[np.int64], encoder: PictureEncoder, options: FeatureOptions):
        self.target, self.path = target, Path(f"{target}.unfinished")
        self.layout: FeatureLayout = options.layout
        rows, columns, width = encoder.grid
        self.shape = (len(ids), width) if self.layout == "global" else (len(ids), rows, columns, width)
        self.type = np.dtype(FLOATS[0] if options.half else FLOATS[1])
        about = {"encoder": encoder.name, "identity": encoder.identity}
        if not self._fits(ids, about):
            self._create(ids, about)
        self.offsets = self._offsets()
        self.handle = os.open(self.path, os.O_RDWR)
        self.bytes_per_row = int(np.prod(self.shape[1:])) * self.type.itemsize

    def _fits(self, ids: npt.NDArray[np.int64], about: Mapping[str, str]) -> bool:
        """Whether a file that a killed run left is of these pictures, this encoder and this form."""
        import h5py

        try:
            with h5py.File(self.path, "r", locking=False) as file:
                features = file["features"]
                return (
                    features.shape == self.shape
                    and features.dtype == self.type
                    and dict(features.attrs) == about
                    and np.array_equal(file["image_ids"][:], ids)
                )
        except (OSError, KeyError, ValueError, RuntimeError):
            return False

    def _create(self, ids: npt.NDArray[np.int64], about: Mapping[str, str]) -> None:
        import h5py

        with h5py.File(self.path, "w", locking=False) as file:
            file.create_dataset("image_ids", data=ids)
            for name, shape, type_ in (
                ("features", self.shape, self.type),
                ("checks", (len(ids),), np.dtype(np.uint32)),
                ("pictures", (len(ids),), np.dtype(np.uint32)),
            ):
                settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                settings.set_layout(h5py.h5d.CONTIGUOUS)
                settings.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
                settings.set_fill_time(h5py.h5d.FILL_TIME_ALLOC)
                settings.set_obj_track_times(False)  # Else the bytes would depend on the second.
                space = h5py.h5s.create_simple(shape)
                h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(type_), space, settings)
            file["features"].attrs.update(about)

    def _offsets(self) -> dict[str, int]:
        import h5py

        with h5py.File(self.path, "r", locking=False) as file:
            return {name: int(file[name].id.get_offset()) for name in ("features", "checks", "pictures")}

    def has(self, row: int, picture: bytes) -> bool:
        """Whether the features of a picture with these bytes are there, as they were written."""
        check, of = (int.from_bytes(self._read(name, row, 4), "little") for name in ("checks", "pictures"))
        return bool(check) and of == zlib.crc32(picture) and zlib.crc32(self._read("features", row)) == check

    def put(self, row: int, picture: bytes, features: npt.NDArray[np.float32]) -> None:
        """Write the features of a picture, and then that they are there."""
        kept = features.mean((0, 1)) if self.layout == "global" else features
        with np.errstate(over="ignore"):
            data = np.ascontiguousarray(kept, self.type).tobytes()
        self._write("features", row, data)
        self._write("pictures", row, zlib.crc32(picture).to_bytes(4, "little"))
        self._write("checks", row, zlib.crc32(data).to_bytes(4, "little"))

    def _read(self, name: str, row: int, size: int = 0) -> bytes:
        size = size or self.bytes_per_row
        return os.pread(self.handle, size, self.offsets[name] + row * size)

    def _write(self, name: str, row: int, data: bytes) -> None:
        start, written = self.offsets[name] + row * len(data), 0
        while written < len(data):
            written += os.pwrite(self.handle, data[written:], start + written)

    def finish(self) -> None:
        """Bring it to disk, and give it its name."""
        os.fsync(self.handle)
        self.path.replace(self.target.resolve())

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.handle)
