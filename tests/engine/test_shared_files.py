"""Arrays that workers share: as numpy writes them, with a seal; a disk that is too full is told of."""

import pickle
import resource
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from voirdire.atomic import SEAL, is_sealed, seal_of
from voirdire.engine.shared_files import SharedFile, handing_over, map_array, write_array
from voirdire.errors import OutputError


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12, dtype=np.float32).reshape(4, 3),
        np.arange(5, dtype=np.int64),
        np.zeros((0, 3)),
        np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
    ],
)
def test_the_file_is_that_of_numpy_and_a_seal(tmp_path: Path, array: np.ndarray) -> None:
    path = tmp_path / "a.npy"
    write_array(path, [array[:1], array[1:]], array.shape, array.dtype)
    np.save(tmp_path / "b.npy", np.ascontiguousarray(array))
    assert path.read_bytes()[:-SEAL] == (tmp_path / "b.npy").read_bytes()
    assert is_sealed(path)
    found = map_array(path)
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


def test_too_little_room_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(OutputError, match=r"a\.npy: cannot be written: File too large\. Raise the limit"):
            write_array(tmp_path / "a.npy", (np.zeros((1, 1 << 10)) for _ in range(1 << 10)), (1 << 10, 1 << 10), "f8")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def fetched(path: Path) -> np.ndarray | None:
    """The bytes of a file whose name says that it is not seen."""
    return np.fromfile(path, np.uint8) if path.stem == "unseen" else None


@pytest.mark.parametrize("name", ["seen", "unseen"])
def test_a_shared_file_is_mapped_where_it_is_seen(tmp_path: Path, name: str) -> None:
    file = SharedFile(tmp_path / f"{name}.npy")
    write_array(file.path, [np.arange(6.0).reshape(2, 3)], (2, 3), np.float64)
    with handing_over(lambda path: partial(fetched, path)):
        data = pickle.dumps(file)
    found = pickle.loads(data).array()
    assert isinstance(found, np.memmap) == (name == "seen")
    assert np.array_equal(found, np.arange(6.0).reshape(2, 3))


def test_seals_tell_files_apart(tmp_path: Path) -> None:
    for name, first in (("a", 0.0), ("same", 0.0), ("other", 1.0)):
        write_array(tmp_path / name, [np.array([first])], (1,), np.float64)
    seals = [seal_of(tmp_path / name) for name in ("a", "same", "other")]
    assert seals[0] == seals[1] != seals[2]
    (tmp_path / "short").write_bytes(b"x")
    assert seal_of(tmp_path / "short") == seal_of(tmp_path / "none") == b""
