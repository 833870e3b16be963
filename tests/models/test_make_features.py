"""Making features of pictures: resumed after a kill, checked, and the same whatever else is encoded."""

import io
import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from voirdire.errors import UsageError
from voirdire.formats.picture_features import read_picture_features
from voirdire.models import make_features as making
from voirdire.models.make_features import FeatureOptions, make_features
from voirdire.models.picture_encoders import ENCODERS, pixels_of

SIZE = (2, 3, 5)


class MeanColours:
    """Features of known values: the mean of the red channel, times the place."""

    name, identity, grid = "colours", "colours-1", SIZE

    def __init__(self) -> None:
        self.asked = 0
        self.fails_after = 10**9

    def encode(self, pictures: Sequence[bytes]) -> np.ndarray:
        features = np.empty((len(pictures), *SIZE), np.float32)
        for row, data in enumerate(pictures):
            self.asked += 1
            if self.asked > self.fails_after:
                raise KeyboardInterrupt
            features[row] = pixels_of(data, 8)[0].mean() + np.arange(30).reshape(SIZE)
        return features


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> MeanColours:
    made = MeanColours()
    monkeypatch.setitem(ENCODERS._factories, "colours", lambda argument: made)
    return made


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in (3, 7, 20, 100):
        packed = io.BytesIO()
        Image.new("RGB", (9, 6), (number, 0, 0)).save(packed, "PNG")
        (folder / f"world_{number:012d}.png").write_bytes(packed.getvalue())
    return folder


def test_features_of_each_picture_stand_under_its_number(pictures: Path, encoder: MeanColours, tmp_path: Path) -> None:
    made = make_features(pictures, tmp_path / "f.h5", FeatureOptions("colours"))
    record = read_picture_features(tmp_path / "f.h5")
    assert (made.pictures, made.made, made.unread) == (4, 4, ())
    assert (record.layout, record.about) == ("grid", {"encoder": "colours", "identity": "colours-1"})
    np.testing.assert_array_equal(record.of(np.array([20]))[0], 20 + np.arange(30, dtype=np.float32).reshape(6, 5))
    assert not (tmp_path / "f.h5.unfinished").exists()


def test_the_mean_over_places_in_half_precision(pictures: Path, encoder: MeanColours, tmp_path: Path) -> None:
    make_features(pictures, tmp_path / "f.h5", FeatureOptions("colours", "global", True))
    record = read_picture_features(tmp_path / "f.h5")
    assert (record.layout, record.array.dtype) == ("global", np.float16)
    np.testing.assert_array_equal(record.of(np.array([7]))[0], 7 + 12.5 + np.arange(5))


def test_a_stopped_run_goes_on_and_ends_with_the_same_bytes(
    pictures: Path, encoder: MeanColours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "AT_ONCE", 1)
    make_features(pictures, tmp_path / "whole.h5", FeatureOptions("colours"))
    time.sleep(1.1)  # The bytes do not depend on the second.
    encoder.asked, encoder.fails_after = 0, 2
    with pytest.raises(KeyboardInterrupt):
        make_features(pictures, tmp_path / "f.h5", FeatureOptions("colours"))
    assert not (tmp_path / "f.h5").exists()
    unfinished = tmp_path / "f.h5.unfinished"
    encoder.asked, encoder.fails_after = 0, 10**9
    made = make_features(pictures, tmp_path / "f.h5", FeatureOptions("colours"))
    assert (made.made, encoder.asked) == (2, 2)
    assert (tmp_path / "f.h5").read_bytes() == (tmp_path / "whole.h5").read_bytes()
    assert not unfinished.exists()


def test_what_was_done_is_checked_when_it_is_taken_up(
    pictures: Path, encoder: MeanColours, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "AT_ONCE", 1)
    encoder.fails_after = 3
    with pytest.raises(KeyboardInterrupt):
        make_features(pictures, tmp_path / "f.h5", FeatureOptions("colours"))
    unfinished = tmp_path / "f.h5.unfinished"
    import h5py

    with h5py.File(unfinished) as file:
        offset = file["features"].id.get_offset()
    handle = os.open(unfinished, os.O_RDWR)
    os.pwrite(handle, b"\x01\x02\x03", offset)
    os.close(handle)
    Image.new("RGB", (9, 6), (9, 9, 9)).save(pictures / "world_000000000007.png")
    encoder.asked, encoder.fails_after = 0, 10**9
    assert make_features(pictures, tmp_path / "f.h5", FeatureOptions("colours")).made == 3
    assert read_picture_features(tmp_path / "f.h5").of(np.array([3, 7]))[:, 0, 0].tolist() == [3, 9]


def test_what_is_no_picture_is_left_out_and_named(pictures: Path, encoder: MeanColours, tmp_path: Path) -> None:
    (pictures / "world_000000000050.png").write_bytes(b"no picture")
    made = make_features(pictures, tmp_path / "f.h5", FeatureOptions("colours"))
    assert (made.pictures, len(made.unread)) == (4, 1)
    assert "world_000000000050.png" in str(made.unread[0])
    assert 50 not in read_picture_features(tmp_path / "f.h5").ids


def test_other_endings_are_refused(pictures: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.h5"):
        make_features(pictures, tmp_path / "f.npz", FeatureOptions("world"))
    with pytest.raises(UsageError, match="encoder"):
        make_features(pictures, tmp_path / "f.h5", FeatureOptions("resnet"))
