"""Thumbnails: found by the numbers in files' names, never larger than they may be."""

import base64
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from voirdire.errors import InputError, UsageError
from voirdire.formats.picture_files import PictureFile, check_pictures, find_pictures
from voirdire.report.page import THUMBNAIL, thumbnail


def noise(path: Path, side: int) -> Path:
    """The picture that compresses worst."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.random.default_rng(3).integers(0, 256, (side, side, 3), np.uint8)).save(path)
    return path


def of(path: Path) -> PictureFile:
    return PictureFile(path.parent, path.name)


NAMES = {
    "COCO_val2014_000000000042.jpg": 42,
    "VisualDialog_val2018_000000000007.jpg": 7,
    "deep/er/world_000000000123.png": 123,
    "9.webp": 9,
}


def test_files_are_found_by_the_numbers_in_their_names(tmp_path: Path) -> None:
    for name in NAMES:
        noise(tmp_path / name, 8)
    noise(tmp_path / "logo.png", 8)
    (tmp_path / "notes_000000000042.txt").write_text("no picture")
    every = {number: PictureFile(tmp_path, name) for name, number in NAMES.items()}
    assert find_pictures([tmp_path], {42, 7, 123, 9, 5}) == every
    assert find_pictures([tmp_path]) == every
    assert find_pictures([tmp_path], {7}) == {7: every[7]}


def test_a_zip_is_as_good_as_a_folder(tmp_path: Path) -> None:
    noise(tmp_path / "in" / "COCO_val2014_000000000042.jpg", 8)
    with zipfile.ZipFile(tmp_path / "val2014.zip", "w") as archive:
        archive.write(tmp_path / "in" / "COCO_val2014_000000000042.jpg", "val2014/COCO_val2014_000000000042.jpg")
    (found,) = find_pictures([tmp_path / "val2014.zip"], {42, 43}).values()
    assert thumbnail(found) == thumbnail(PictureFile(tmp_path / "in", "COCO_val2014_000000000042.jpg"))


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    noise(tmp_path / "logo.png", 8)
    with pytest.raises(UsageError, match="holds no picture"):
        find_pictures([tmp_path], {1})
    with pytest.raises(UsageError, match="found nothing, expected a folder or a zip of pictures"):
        find_pictures([tmp_path / "gone"], {1})
    with pytest.raises(UsageError, match="got an empty name"):
        find_pictures([""], {1})
    with pytest.raises(UsageError, match="found a file, expected a folder or a zip of pictures"):
        check_pictures(tmp_path / "logo.png")


@pytest.mark.slow
@pytest.mark.parametrize("side", [4, 300, 2000])
def test_a_thumbnail_is_small_and_a_picture(tmp_path: Path, side: int) -> None:
    url = thumbnail(of(noise(tmp_path / "1.png", side)))
    assert url.startswith("data:image/webp;base64,")
    data = base64.b64decode(url.partition(",")[2])
    assert len(data) <= THUMBNAIL
    with Image.open(io.BytesIO(data)) as small:
        assert max(small.size) <= min(side, 256)


def test_a_grey_picture_and_one_with_transparency(tmp_path: Path) -> None:
    Image.new("L", (20, 10), 7).save(tmp_path / "1.png")
    Image.new("RGBA", (20, 10), (1, 2, 3, 0)).save(tmp_path / "2.png")
    for name in ("1.png", "2.png"):
        assert thumbnail(of(tmp_path / name)).startswith("data:image/webp")


def test_a_broken_picture_is_named(tmp_path: Path) -> None:
    path = tmp_path / "3.png"
    path.write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"3\.png.*expected a picture"):
        thumbnail(of(path))


def test_of_a_damaged_picture_nothing_is_said_but_the_error(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Pillow warns of a TIFF whose tag claims more bytes than there are."""
    path = noise(tmp_path / "1.png", 8)
    with Image.open(path) as opened:
        opened.save(path, "TIFF")
    data = bytearray(path.read_bytes())
    at = int.from_bytes(data[4:8], "little") + 2
    data[at + 4 : at + 8] = b"\xff\xff\xff\x0f"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"1\.png"):
        thumbnail(of(path))
    assert not recwarn.list
