"""Pictures from folders and zips: found, made small once, named by what is sent; missing and broken ones are told."""

import hashlib
import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from voirdire.errors import InputError, UsageError
from voirdire.live.model import VisualInput
from voirdire.live.pictures import Pictures, draw_boxes, marked


def packed(size, form="PNG", **more):
    buffer = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(buffer, form, **more)
    return buffer.getvalue()


@pytest.fixture
def places(tmp_path):
    folder = tmp_path / "val2014"
    (folder / "deep").mkdir(parents=True)
    (folder / "COCO_val2014_000000000007.png").write_bytes(packed((40, 30)))
    (folder / "deep" / "8.jpg").write_bytes(packed((2000, 1000), "JPEG"))
    (folder / "notes.txt").write_text("nothing")
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("val/000000000009.webp", packed((50, 50), "WEBP"))
        archive.writestr("val/000000000010.jpg", b"no picture")
    return folder, tmp_path / "more.zip"


def test_a_small_one_is_sent_as_it_is_and_a_large_one_is_made_small(places):
    found = Pictures(places, {7, 8, 9})
    assert found.data(7) == packed((40, 30))
    assert found.seen(7).picture == hashlib.sha256(found.data(7)).hexdigest()
    with Image.open(io.BytesIO(found.data(8))) as small:
        assert (small.format, small.size) == ("JPEG", (768, 384))
    with Image.open(io.BytesIO(found.data(9))) as other:
        assert (other.format, other.size) == ("JPEG", (50, 50))
    assert Pictures(places, {8}, longest=100).seen(8) != found.seen(8)


def test_a_picture_that_its_camera_held_sideways_is_turned(tmp_path):
    turned = Image.Exif()
    turned[0x0112] = 6
    (tmp_path / "1.jpg").write_bytes(packed((40, 20), "JPEG", exif=turned.tobytes()))
    with Image.open(io.BytesIO(Pictures([tmp_path], {1}).data(1))) as shown:
        assert shown.size == (20, 40)


def test_missing_and_broken_ones_are_named(places, tmp_path):
    with pytest.raises(UsageError, match=r"no picture of 2 of 3 images: 11, 12"):
        Pictures(places, {7, 11, 12})
    with pytest.raises(InputError, match=r"more\.zip/val/000000000010\.jpg: found no picture of a kind"):
        Pictures(places, {10}).data(10)
    with pytest.raises(UsageError, match="found nothing, expected a folder or a zip"):
        Pictures([tmp_path / "nowhere"], {1})


def test_few_are_kept_in_memory(tmp_path):
    for number in range(1, 101):
        (tmp_path / f"{number}.png").write_bytes(packed((number, 1)))
    found = Pictures([tmp_path], set(range(1, 101)))
    names = [found.seen(number).picture for number in range(1, 101)]
    assert len(found._packed) == 64
    assert len(set(names)) == 100
    assert found.data(1) == packed((1, 1))


def is_red(pixel):
    return pixel[0] > 170 and pixel[1] < 90 and pixel[2] < 90


def test_boxes_are_drawn_onto_what_is_sent(tmp_path):
    buffer = io.BytesIO()
    Image.new("RGB", (400, 300), (20, 90, 200)).save(buffer, "PNG")
    (tmp_path / "5.png").write_bytes(buffer.getvalue())
    found = Pictures([tmp_path], {5})
    plain = found.seen(5)
    one, two = ((0.25, 0.5, 0.5, 0.25),), ((0.25, 0.5, 0.5, 0.25), (0.0, 0.0, 0.1, 0.1))
    assert found.shown(plain) == buffer.getvalue()
    with Image.open(io.BytesIO(found.shown(marked(plain, one)))) as drawn:
        assert (drawn.format, drawn.size) == ("JPEG", (400, 300))
        assert all(is_red(drawn.getpixel(at)) for at in ((100, 180), (300, 180), (200, 150), (200, 225)))
        # Neither what is inside nor what is outside is touched.
        assert not any(is_red(drawn.getpixel(at)) for at in ((200, 190), (50, 50), (115, 163)))
    with Image.open(io.BytesIO(found.shown(marked(plain, two)))) as numbered:
        assert is_red(numbered.getpixel((101, 157)))
        corner = [numbered.getpixel((x, y)) for x in range(100, 112) for y in range(150, 166)]
        assert any(min(pixel) > 180 for pixel in corner)  # The number itself, in white.
    assert found.shown(marked(plain, one)) == found.shown(marked(plain, one))


def test_its_name_tells_what_is_drawn():
    plain, box, other = VisualInput(5, "ab"), (0.0, 0.0, 0.5, 0.5), (0.0, 0.0, 0.5, 0.6)
    names = {one.picture for one in (plain, marked(plain, [box]), marked(plain, [other]), marked(plain, [box, other]))}
    assert len(names) == 4
    assert marked(plain, [box]) == marked(plain, [box])
    with pytest.raises(UsageError, match="none is shown of image 5"):
        marked(VisualInput(5), [box])


@pytest.mark.parametrize(
    "box", [(0.0, 0.0, 0.0, 0.0), (0.9, 0.9, 0.5, 0.5), (1.0, 1.0, 0.0, 0.0), (-0.1, 0.0, 2.0, 2.0)]
)
def test_boxes_without_extent_or_beyond_the_picture(box):
    with Image.open(io.BytesIO(draw_boxes(packed((40, 30)), [box, box]))) as drawn:
        assert drawn.size == (40, 30)


@pytest.mark.parametrize("side", [100, 1000])
def test_colours_that_servers_read_each_in_its_own_way_become_plain(tmp_path, side):
    grey = np.tile(np.linspace(0, 65_535, side).astype(np.uint16), (side, 1))
    Image.fromarray(grey).save(tmp_path / "1.png")
    Image.new("CMYK", (side, side), (0, 255, 255, 0)).save(tmp_path / "2.jpg")
    Image.new("RGBA", (1000, side), (255, 0, 0, 0)).save(tmp_path / "3.png")
    found, means = Pictures([tmp_path]), {}
    for image in (1, 2, 3):
        with Image.open(io.BytesIO(found.data(image))) as sent:
            assert (sent.format, sent.mode) == ("JPEG", "RGB")
            means[image] = np.asarray(sent).mean((0, 1))
    assert means[1] == pytest.approx([127] * 3, abs=2)
    assert means[2] == pytest.approx([255, 0, 0], abs=4)
    assert means[3] == pytest.approx([255] * 3, abs=1)


def test_an_empty_file_is_told_without_the_insides_of_this_process(tmp_path):
    (tmp_path / "1.jpg").write_bytes(b"")
    with pytest.raises(InputError, match="found no picture of a kind that is known"):
        Pictures([tmp_path]).data(1)
