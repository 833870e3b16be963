"""Thumbnails for a report: small pictures of images, found by the number at the end of their files' names.

COCO_val2014_000000000042.jpg, VisualDialog_val2018_000000000042.jpg, world_000000000042.png, 42.jpg: image 42
"""

import base64
import io
import warnings
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.visdial_text import image_number

__all__ = ["LARGEST", "check_pictures", "find_pictures", "thumbnail"]

ENDINGS = (".jpg", ".jpeg", ".png", ".webp")
LARGEST = 6000
"""Bytes of a thumbnail at most."""
TRIES = ((256, 75), (256, 60), (224, 55), (192, 50), (160, 45), (128, 40), (96, 30), (64, 20))
"""The longer side in pixels, and the quality; the first that is small enough is taken."""


def find_pictures(folder: str | Path, wanted: Collection[int]) -> dict[int, Path]:
    """The files of the wanted images in a folder and all below it; of two files of one image the first by name."""
    check_pictures(folder)
    found: dict[int, Path] = {}
    for number, file in sorted(_numbered(Path(folder)), key=lambda pair: pair[1]):
        if number in wanted:
            found.setdefault(number, file)
    return found


def check_pictures(folder: str | Path) -> None:
    """Refuse a folder that is not there or holds no picture of an image: to be called before any long work."""
    path = Path(folder)
    if not str(folder):
        raise UsageError("`images` must be a folder of pictures, got an empty name")
    if not path.is_dir():
        found = "a file" if path.exists() else "nothing"
        raise UsageError(f"{path}: found {found}, expected a folder of pictures")
    if next(_numbered(path), None) is None:
        endings = ", ".join(ENDINGS)
        raise UsageError(f"{path}: holds no picture ({endings}) whose name ends in the number of an image")


def _numbered(folder: Path) -> Iterator[tuple[int, Path]]:
    for file in folder.rglob("*"):
        if file.suffix.lower() in ENDINGS and file.is_file() and (number := image_number(file.name)) is not None:
            yield number, file


def thumbnail(path: Path) -> str:
    """The picture in small as a data URL, its bytes at most `LARGEST`."""
    from PIL import Image, ImageOps

    try:
        # Of a damaged file a library may warn and go on; what it cannot read it raises.
        with warnings.catch_warnings(action="ignore"), Image.open(path) as opened:
            whole = ImageOps.exif_transpose(opened).convert("RGB")
    except (OSError, ValueError, SyntaxError, zlib.error, Image.DecompressionBombError) as error:
        hint = "Mend or remove the file."
        raise InputError(str(path), [Problem("", "", f"{error}", "a picture", hint)]) from None
    for side, quality in TRIES:
        small = whole.copy()
        small.thumbnail((side, side))
        buffer = io.BytesIO()
        small.save(buffer, "WEBP", quality=quality, method=4)
        if buffer.tell() <= LARGEST:
            break
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"
