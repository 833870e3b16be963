"""Dialogue states of a model: one vector per dialogue and turn, as HDF5 or npz.

    float[dialogues, turns, d], at most 11 turns: after the caption, and after each of ten rounds

The file has one array of three dimensions, whatever its name; dialogues are in the order of their split. Its numbers
must all be in the file itself and finite: an HDF5 file can also point at other files, or leave parts unwritten, which
the library reads as zeros. Where Voir Dire made the states with a language model, attributes of the array say which
layer they are from and how they were made.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.atomic import atomic_path
from voirdire.errors import InputError, UsageError, shorten_text
from voirdire.figures import counted
from voirdire.formats import features
from voirdire.formats.catalogue import HDF5_MAGIC, OTHER_ARRAYS, ZIP_MAGIC, Format, Sample
from voirdire.formats.csv_and_npz import check_npz
from voirdire.formats.files import Source
from voirdire.formats.hdf5_storage import check_links, check_storage
from voirdire.formats.record import Record
from voirdire.formats.strict import Problems

TURNS = 11
FLOATS = ("float16", "float32", "float64")
BLOCK = 1024  # dialogues that are examined at once
ABOUT = ("model", "sha256", "layer", "layers", "pool", "role", "form", "passes")
"""The attributes that are read; their values are texts or whole numbers."""


@dataclass(frozen=True, eq=False)
class States(Record):
    """states: float32[dialogues, turns, d]; `notes` say what was converted or left unread.

    file   the name of the file that they were read from, as it was given; empty where there is none
    about  the file's attributes on how they were made, see `ABOUT`
    """

    states: np.ndarray
    file: str = field(default="", compare=False)
    about: Mapping[str, str | int] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.states)


def parse_states(source: Source) -> States:
    """Dialogue states from a file's bytes."""
    if source.data.startswith(HDF5_MAGIC):
        opened = _open_hdf5(source)
    elif source.data.startswith(ZIP_MAGIC):
        opened = _open_npz(source)
    else:
        found = "neither HDF5 nor npz" if source.data else "an empty file"
        raise source.fail("", "", found, "dialogue states as HDF5 or npz")
    with opened as arrays:
        name, array = _choose(source, arrays)
        notes = [f"array {other!r} was not read" for other in arrays if other != name]
        if array.dtype != np.float32:
            notes.append(f"{array.dtype} was converted to float32")
        with np.errstate(over="ignore"):  # What float32 cannot represent becomes infinite, which is refused below.
            states = np.asarray(array[:], dtype=np.float32)
        about = _about(array)
    _check_finite(states, source.name)
    return States(states, source.name, about, fingerprint=source.fingerprint, notes=tuple(notes))


def _about(array: Any) -> dict[str, str | int]:
    """The attributes of an array that are among `ABOUT`."""
    about: dict[str, str | int] = {}
    attributes = getattr(array, "attrs", {})
    for name in ABOUT:
        value = attributes.get(name)
        if isinstance(value, str | np.integer):
            about[name] = shorten_text(value) if isinstance(value, str) else int(value)
    return about


def _choose(source: Source, arrays: dict[str, Any]) -> tuple[str, Any]:
    """The one array of three dimensions; its shape and type are checked."""
    shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items()) or "nothing"
    cubes = [name for name, array in arrays.items() if array.ndim == 3]
    if len(cubes) != 1:
        raise source.fail("", "", f"arrays: {shapes}", "one array of the shape (dialogues, turns, d)")
    (name,) = cubes
    array = arrays[name]
    problems = Problems(source.name)
    if array.dtype.name not in FLOATS:
        problems.add(f"array {name!r}", "", f"values of the type {array.dtype}", "float32")
    dialogues, turns, width = array.shape
    if not 1 <= turns <= TURNS:
        hint = "The axes are dialogues, turns, d." if TURNS in (dialogues, width) else ""
        problems.add(
            f"array {name!r}", "", f"{counted(turns, 'turn')} in the shape {array.shape}", f"1 to {TURNS}", hint
        )
    if not dialogues or not width:
        problems.add(f"array {name!r}", "", f"the shape {array.shape}", "at least one dialogue and one dimension")
    problems.check()
    return name, array


def _check_finite(states: np.ndarray, name: str, first: int = 0) -> None:
    """Refuse numbers that are not finite; `first` is the place of the first dialogue."""
    problems = Problems(name)
    for start in range(0, len(states), BLOCK):
        block = states[start : start + BLOCK]
        bad = ~np.isfinite(block)
        for dialogue, turn in np.argwhere(bad.any(axis=2)).tolist():
            values = block[dialogue, turn][bad[dialogue, turn]]
            found = f"{len(values)} of {block.shape[2]} values not finite ({values[0]})"
            problems.add(f"dialogue {first + start + dialogue}, turn {turn} (both from 0)", "", found, "finite numbers")
    problems.check()


@contextmanager
def _open_hdf5(source: Source) -> Iterator[dict[str, Any]]:
    import h5py

    with _decoding(source, "HDF5"), h5py.File(io.BytesIO(source.data), "r") as file:
        problems = Problems(source.name)
        arrays: dict[str, Any] = {}
        check_links(file, problems)
        file.visititems(lambda name, item: arrays.update({name: item}) if isinstance(item, h5py.Dataset) else None)
        for name, array in arrays.items():
            if array.shape and len(array.shape) == 3 and array.dtype.name in FLOATS:
                check_storage(f"array {name!r}", array, len(source.data), problems)
        problems.check()
        yield arrays


@contextmanager
def _open_npz(source: Source) -> Iterator[dict[str, Any]]:
    with _decoding(source, "npz"):
        check_npz(source)
        with np.load(io.BytesIO(source.data), allow_pickle=False) as file:
            # Members that are no arrays come as bytes.
            yield {name: array for name in file.files if isinstance(array := file[name], np.ndarray)}


@contextmanager
def _decoding(source: Source, kind: str) -> Iterator[None]:
    """The decoders of binary files raise almost anything on damaged bytes."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise source.fail("", "", f"damaged or unreadable {kind} ({error})", f"a complete {kind} file") from None


def write_states(record: States, path: str | Path) -> None:
    """Write float32 under the name `states`: npz where the path ends in `.npz`, HDF5 where in `.h5` or `.hdf5`.

    Numbers that are not finite are refused, as they are when states are read.
    """
    target = Path(path)
    if target.suffix not in (".npz", ".h5", ".hdf5"):
        raise UsageError(f"{target}: states are written to .npz, .h5 or .hdf5, not to {target.suffix or 'no ending'!r}")
    _check_finite(record.states, str(path))
    with atomic_path(target) as partial:
        if target.suffix == ".npz":
            # Given a name, numpy would add an ending to that of a link's target which has none.
            with partial.open("wb") as file:
                np.savez(file, states=record.states)
        else:
            import h5py

            # HDF5's own lock of the file would clash with that of `atomic_path`.
            with h5py.File(partial, "w", locking=False) as file:
                file.create_dataset("states", data=record.states)


@contextmanager
def filling_states(
    path: str | Path, shape: tuple[int, int, int], about: Callable[[], Mapping[str, str | int]]
) -> Iterator[Callable[[int, np.ndarray], None]]:
    """Write HDF5 some dialogues at a time, whole or not at all; what is not written stays 0.

    about  its attributes, asked for when all is written
    yields a function that takes the place of the first dialogue, and states as [dialogues, turns, d]
    """
    import h5py

    target = Path(path)
    with atomic_path(target) as partial, h5py.File(partial, "w", locking=False) as file:
        array = file.create_dataset("states", shape, np.float32)

        def put(first: int, states: np.ndarray) -> None:
            _check_finite(states, str(path), first)
            array[first : first + len(states)] = states

        yield put
        array.attrs.update(about())


def _matches(sample: Sample) -> bool:
    """Any array may be states, whatever its name, except in other npz files of ours."""
    other = any(names <= sample.keys for names in OTHER_ARRAYS) or features.FORMAT.matches(sample)
    return sample.kind == "hdf5" or (sample.kind == "npz" and not other)


def _describe(record: States) -> str:
    dialogues, turns, width = record.states.shape
    text = f"{counted(dialogues, 'dialogue')}, {counted(turns, 'turn')}, {counted(width, 'dimension')}"
    about = record.about
    if {"model", "layer", "layers"} <= about.keys():
        text += f": layer {about['layer']} of {about['layers']} of {about['model']}"
    return text


FORMAT = Format(
    name="states",
    title="dialogue states of a model",
    matches=_matches,
    parse=parse_states,
    describe=_describe,
    keys=lambda record: {"dialogue": np.arange(len(record), dtype=np.int64)},
    write=write_states,
)

read_states = FORMAT.read
"""Read a model's dialogue states."""
