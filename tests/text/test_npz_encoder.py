"""Vectors that were made elsewhere."""

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
    assert "'text 7'" in str(caught.value)
    assert "'yes'" not in str(caught.value)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"vectors": np.ones((1, 2))}, "`texts`"),
        ({"texts": np.array([1, 2]), "vectors": np.ones((2, 2))}, "strings in one dimension"),
        ({"texts": np.array(["a"]), "vectors": np.ones((2, 2))}, "numbers of shape (1, dimension)"),
        ({"texts": np.array(["a"]), "vectors": np.array([[np.nan, 1]])}, "not finite"),
        ({"texts": np.array(["a", "b", "a"]), "vectors": np.ones((3, 2))}, "each text once"),
        ({"texts": np.array(["a"], dtype=object), "vectors": np.ones((1, 2))}, "numpy cannot read"),
    ],
)
def test_a_wrong_file_is_said(arrays: dict[str, np.ndarray], said: str, tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        encoder(f"npz:{path}")
    assert said in str(caught.value)


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    for data in (b"", b"not a zip", b"PK\x03\x04 broken"):
        path.write_bytes(data)
        with pytest.raises(InputError, match="numpy cannot read"):
            encoder(f"npz:{path}")
