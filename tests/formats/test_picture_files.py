"""Pictures come from anywhere: few decoders, a bounded size, and nothing of them but their pixels in a study."""

import ast
import contextlib
import io
import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image
from PIL.PngImagePlugin import PngInfo

import voirdire
from voirdire.errors import InputError
from voirdire.formats.picture_files import DECODERS, LARGEST, PictureFile, bare_picture, decode_picture

POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 40 30\n%%EndComments\nshowpage\n%%EOF\n"
SECRET = b"GPS 48.8584 N 2.2945 E"


def noise(size=(40, 30)):
    rng = np.random.default_rng(1)
    return Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), np.uint8))


def smooth(size=(40, 30)):
    across, down = np.meshgrid(np.linspace(0, 255, size[0]), np.linspace(0, 255, size[1]))
    return Image.fromarray(np.stack([across, down, 255 - across], axis=-1).astype(np.uint8))


def packed(picture, form, **more):
    buffer = io.BytesIO()
    picture.save(buffer, form, **more)
    return buffer.getvalue()


def of_size(jpeg, width, height):
    """The JPEG with another size in its head."""
    at = jpeg.index(b"\xff\xc0") + 5
    return jpeg[:at] + height.to_bytes(2, "big") + width.to_bytes(2, "big") + jpeg[at + 4 :]


@pytest.mark.parametrize("form", DECODERS)
def test_allowed_kinds_are_decoded_whatever_their_names(tmp_path, form):
    (tmp_path / "20.png").write_bytes(packed(noise(), form))
    stored, upright = PictureFile(tmp_path, "20.png").decode()
    assert (stored.format, upright.size) == (form, (40, 30))


@pytest.mark.skipif(os.name == "nt", reason="the program in place of Ghostscript is a script")
def test_a_postscript_file_starts_no_program(tmp_path, monkeypatch):
    started = tmp_path / "started"
    gs = tmp_path / "bin" / "gs"
    gs.parent.mkdir()
    gs.write_text(f"#!/bin/sh\ntouch {started}\n")
    gs.chmod(gs.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{gs.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(EpsImagePlugin, "gs_binary", None)
    with pytest.raises((OSError, ValueError)), Image.open(io.BytesIO(POSTSCRIPT)) as opened:
        opened.load()
    assert started.exists(), "the library itself would start it"
    started.unlink()
    (tmp_path / "20.png").write_bytes(POSTSCRIPT)
    with pytest.raises(
        InputError, match=r"20\.png: found no picture of a kind that is known, expected a picture \(JPEG, PNG, WEBP"
    ):
        PictureFile(tmp_path, "20.png").decode()
    assert not started.exists()


def test_144_megapixels_are_refused_in_a_line_before_they_are_decoded(tmp_path):
    (tmp_path / "7.jpg").write_bytes(of_size(packed(noise(), "JPEG"), 12_000, 12_000))
    with pytest.raises(InputError) as refused:
        PictureFile(tmp_path, "7.jpg").decode()
    line = str(refused.value)
    assert re.search(r"7\.jpg: found 12,000 × 12,000 pixels, more than 50,000,000, expected a picture", line)
    assert "\n" not in line


def test_a_file_too_large_is_not_read(tmp_path):
    with (tmp_path / "7.jpg").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(InputError, match="found 100,000,001 bytes, more than 100,000,000"):
        PictureFile(tmp_path, "7.jpg").read()


@pytest.mark.parametrize("form", DECODERS)
def test_damaged_bytes_are_a_line_whatever_the_decoder_raises(tmp_path, form):
    whole, rng = packed(noise(), form), np.random.default_rng(2)
    for _ in range(200):
        data = bytearray(whole[: rng.integers(len(whole) // 2, len(whole) + 1)])
        for at in rng.integers(0, len(data), rng.integers(1, 8)):
            data[at] = rng.integers(256)
        with contextlib.suppress(ValueError):
            decode_picture(bytes(data))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_a_bare_picture_has_the_pixels_alone(form):
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    more = {"comment": SECRET} if form == "JPEG" else {}
    if form == "PNG":
        more["pnginfo"] = PngInfo()
        more["pnginfo"].add_text("place", SECRET.decode())
    whole = packed(smooth(), form, exif=exif, icc_profile=SECRET * 8, **more) + SECRET
    bare = bare_picture(whole)
    assert SECRET in whole
    assert SECRET not in bare
    stored, _ = decode_picture(bare)
    assert stored.format == ("PNG" if form == "PNG" else "JPEG")
    apart = np.abs(np.asarray(stored, int) - np.asarray(decode_picture(whole)[0].convert("RGB"), int))
    assert apart.mean() < {"PNG": 1e-9, "JPEG": 1, "WEBP": 3}[form]
    assert bare_picture(whole) == bare


def test_a_bare_picture_is_upright():
    exif = Image.Exif()
    exif[0x0112] = 6
    assert decode_picture(bare_picture(packed(noise(), "JPEG", exif=exif)))[0].size == (30, 40)


def test_pictures_are_opened_in_one_place():
    places = []
    for path in Path(voirdire.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr == "open" and ast.unparse(node.value).endswith("Image"):
                places.append(path.name)
    assert places == ["picture_files.py"]
