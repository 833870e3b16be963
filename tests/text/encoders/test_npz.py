"""Vectors that were made elsewhere."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import InputError
from voirdire.text.encoders import encoder


def test_vectors_come_back_by_text(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, texts=np.array(["yes", "no"]), vectors=np.array([[1.0, 2.0], [3.0, 4.0]]))
    made = encoder(f"npz:{path}")
    vectors = made.encode(["no", "yes", "no"])
    assert vectors.dtype == np.float32
    assert made.dimension == 2
    assert vectors.tolist() == [[3, 4], [1, 2], [3, 4]]


def test_texts_that_are_not_there_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, texts=np.array(["yes"]), vectors=np.ones((1, 2)))
    with pytest.raises(InputError) as caught:
        encoder(f"npz:{path}").encode(["yes", *(f"text {n}" for n in range(30))])
    assert "30 problems" in str(caught.value)
    assert "'text 2'" in str(caught.value)
    assert "'yes'" not in str(caught.value)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"vectors": np.ones((1, 2))}, "`texts`"),
        ({"texts": np.array([1, 2]), "vectors": np.ones((2, 2))}, "strings in one dimension"),
        ({"texts": np.array(["a"]), "vectors": np.ones((2, 2))}, "numbers of shape (1, dimension)"),
        ({"texts": np.array(["a"]), "vectors": np.array([[np.nan, 1]])}, "not finite"),
        ({"texts": np.array(["a", "b", "a"]), "vectors": np.ones((3, 2))}, "each text once"),
        ({"texts": np.array([], "U1"), "vectors": np.ones((0, 2))}, "<U1 of shape (0,), expected strings in one"),
        ({"texts": np.array(["a"]), "vectors": np.ones((1, 0))}, "float64 of shape (1, 0), expected numbers of"),
        (
            {"texts": np.array(["a"], dtype=object), "vectors": np.ones((1, 2))},
            "field `texts`: found Python objects, which are not read, expected numbers or text",
        ),
    ],
)
def test_a_wrong_file_is_said(arrays: dict[str, np.ndarray], message: str, tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        encoder(f"npz:{path}")
    assert message in str(caught.value)


def test_what_is_no_npz_is_said(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    expected = "expected an .npz with the arrays texts and vectors. Write it with numpy"
    for data, found in (
        (b"", "an empty file"),
        (b"not a zip", "text that starts with 'not a zip'"),
        (b"PK\x03\x04 broken", "a file that cannot be read"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            encoder(f"npz:{path}")
        assert str(caught.value).startswith(f"{path}: found {found}")
        assert expected in str(caught.value)


def test_files_in_a_zip_that_are_no_arrays_are_said(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("texts", "yes")
        archive.writestr("vectors.npy", "1 2")
    with pytest.raises(InputError, match="field `texts`: found no such array, expected this array"):
        encoder(f"npz:{path}")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found a folder"):
        encoder(f"npz:{tmp_path}")
