"""Features of pictures larger than the memory: layouts, what is checked, and what is refused."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.formats.picture_features import PictureFeatures, read_picture_features

IDS = np.array([7, 3, 42])
RNG = np.random.default_rng(1)
GLOBAL, REGIONS, GRID = RNG.random((3, 4)), RNG.random((3, 5, 4)), RNG.random((3, 2, 5, 4))


def written(path: Path, features: np.ndarray, **more: np.ndarray) -> Path:
    arrays = {"image_ids": IDS, "features": features.astype(np.float32), **more}
    if path.suffix == ".npz":
        np.savez(path, **arrays)  # type: ignore[arg-type]
    else:
        with h5py.File(path, "w") as file:
            for name, array in arrays.items():
                file[name] = array
    return path


@pytest.mark.parametrize("ending", [".npz", ".h5"])
@pytest.mark.parametrize(
    ("features", "layout", "places"), [(GLOBAL, "global", 1), (REGIONS, "regions", 5), (GRID, "grid", 10)]
)
def test_rows_are_those_of_the_ids(tmp_path: Path, ending: str, features: np.ndarray, layout: str, places: int) -> None:
    record = read_picture_features(written(tmp_path / f"f{ending}", features))
    assert (record.layout, record.places, record.width) == (layout, places, 4)
    assert isinstance(record.array, np.memmap)
    wanted = features[[2, 0, 0]].astype(np.float32).reshape((3, 4) if layout == "global" else (3, places, 4))
    np.testing.assert_array_equal(record.of(np.array([42, 7, 7])), wanted)


def test_chunks_and_half_precision_are_read_piece_by_piece(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["image_ids"] = IDS
        file.create_dataset("features", data=GRID.astype(np.float16), chunks=(1, 2, 5, 4), compression="gzip")
    record = read_picture_features(tmp_path / "f.h5")
    assert not isinstance(record.array, np.memmap)
    np.testing.assert_array_equal(record.of(np.array([3]))[0], GRID[1].astype(np.float16).reshape(10, 4))


def test_a_changed_number_is_found_by_its_checksum(tmp_path: Path) -> None:
    from zlib import crc32

    features = REGIONS.astype(np.float32)
    checks = np.array([crc32(row.tobytes()) for row in features], np.uint32)
    path = written(tmp_path / "f.h5", features, checks=checks)
    before = read_picture_features(path)
    np.testing.assert_array_equal(before.of(IDS), features)
    with h5py.File(path, "r+") as file:
        file["features"][1, 2, 3] += 1
    with pytest.raises(InputError, match=r"image 3.*other numbers than were written"):
        read_picture_features(path).of(np.array([3]))
    np.testing.assert_array_equal(read_picture_features(path).of(np.array([7])), features[:1])


def test_the_fingerprint_is_of_the_numbers(tmp_path: Path) -> None:
    def fingerprint(name: str, features: np.ndarray) -> str:
        return read_picture_features(written(tmp_path / name, features)).fingerprint

    other = REGIONS.copy()
    other[2, 4, 3] += 1
    assert fingerprint("a.npz", REGIONS) == fingerprint("b.h5", REGIONS) != fingerprint("c.npz", other)


def faults() -> dict[str, tuple[dict[str, np.ndarray], str]]:
    return {
        "no ids": ({"image_ids": None}, "nothing"),
        "twice": ({"image_ids": np.array([1, 1, 2])}, "this image twice"),
        "no floats": ({"features": np.ones((3, 4), np.int64)}, "int64 of shape"),
        "other rows": ({"features": np.ones((2, 4), np.float32)}, "float32 of shape"),
        "five axes": ({"features": np.ones((3, 1, 1, 1, 1), np.float32)}, "float32 of shape"),
        "boxes of a grid": ({"features": GRID.astype("f4"), "boxes": np.ones((3, 10, 4))}, "four numbers"),
        "checks": ({"checks": np.ones(2, np.uint32)}, "uint32 of shape"),
    }


@pytest.mark.parametrize("ending", [".npz", ".h5"])
@pytest.mark.parametrize("name", faults())
def test_what_is_no_such_file_is_named(tmp_path: Path, name: str, ending: str) -> None:
    changed, message = faults()[name]
    arrays = {"image_ids": IDS, "features": GLOBAL.astype(np.float32), **changed}
    path = tmp_path / f"f{ending}"
    present = {key: array for key, array in arrays.items() if array is not None}
    if ending == ".npz":
        np.savez(path, **present)  # type: ignore[arg-type]
    else:
        with h5py.File(path, "w") as file:
            for key, array in present.items():
                file[key] = array
    with pytest.raises(InputError) as caught:
        read_picture_features(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert list(changed)[-1] in str(caught.value)


def test_numbers_that_are_not_finite_are_named_with_their_image(tmp_path: Path) -> None:
    features = GLOBAL.copy()
    features[1, 2] = np.nan
    record = read_picture_features(written(tmp_path / "f.npz", features))
    with pytest.raises(InputError, match="image 3"):
        record.of(np.array([3]))


@pytest.mark.parametrize("data", [b"", b"text", b"PK\x03\x04 no zip", b"\x89HDF\r\n\x1a\n no HDF5"])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f.h5").write_bytes(data)
    with pytest.raises(InputError, match=r"f\.h5"):
        read_picture_features(tmp_path / "f.h5")


def test_compressed_objects_and_links_are_refused(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "c.npz", image_ids=IDS, features=GLOBAL.astype(np.float32))
    with pytest.raises(InputError, match="compressed"):
        read_picture_features(tmp_path / "c.npz")
    np.savez(tmp_path / "o.npz", image_ids=IDS, features=np.array([{}, {}, {}]))
    with pytest.raises(InputError):
        read_picture_features(tmp_path / "o.npz")
    written(tmp_path / "f.h5", GLOBAL)
    with h5py.File(tmp_path / "l.h5", "w") as file:
        file["image_ids"] = IDS
        file["features"] = h5py.ExternalLink("f.h5", "features")
    with pytest.raises(InputError, match="all numbers in the file itself"):
        read_picture_features(tmp_path / "l.h5")


def test_an_image_without_features_is_named(tmp_path: Path) -> None:
    record: PictureFeatures = read_picture_features(written(tmp_path / "f.npz", GLOBAL))
    with pytest.raises(InputError, match="image 5"):
        record.of(np.array([5]))
