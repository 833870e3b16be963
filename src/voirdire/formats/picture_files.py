"""Picture files in folders and zips, found by the image's number at the end of their names, and how they are decoded.

COCO_val2014_000000000042.jpg, VisualDialog_val2018_000000000042.jpg, world_000000000042.png, 42.jpg: image 42

A picture comes from anywhere. Only the decoders named here see it, whatever it is called: PostScript would start
another program. Its size is read from its head, and bounded, before any pixel is decoded.
"""

import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from voirdire.errors import InputError, Problem, UsageError, shorten_text
from voirdire.formats.visdial_text import image_number

if TYPE_CHECKING:
    from PIL.Image import Image

ENDINGS = (".jpg", ".jpeg", ".png", ".webp")
DECODERS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF")
LARGEST, MOST_PIXELS = 100_000_000, 50_000_000
"""Bytes of a picture, unpacked from its zip, and its pixels; a larger one is refused."""
ORIENTATION = 0x0112
QUALITY = 90
_DECODING = (
    OSError,
    ValueError,
    SyntaxError,
    LookupError,
    TypeError,
    ArithmeticError,
    RuntimeError,
    zlib.error,
    struct.error,
)
"""What decoders raise of damaged bytes."""


def decode_picture(data: bytes) -> "tuple[Image, Image]":
    """A picture as it is stored, and turned upright as its EXIF says; a ValueError, for a reader, where it is none."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        # Of a damaged file a library may warn and go on.
        with warnings.catch_warnings(action="ignore"):
            stored = Image.open(io.BytesIO(data), formats=DECODERS)
            width, height = stored.size
            if width * height > MOST_PIXELS:
                raise Image.DecompressionBombError(f"{width:,} × {height:,} pixels, more than {MOST_PIXELS:,}")
            stored.load()
            turned = stored.getexif().get(ORIENTATION, 1) != 1
            return stored, ImageOps.exif_transpose(stored) if turned else stored
    except UnidentifiedImageError:
        # The library's message has a memory address in it.
        raise ValueError("no picture of a kind that is known") from None
    except (*_DECODING, Image.DecompressionBombError) as error:
        raise ValueError(str(error) or type(error).__name__) from None


def bare_picture(data: bytes) -> bytes:
    """The pixels of a picture alone, upright: without EXIF, comments, a profile, or bytes after the picture's end.

    A PNG stays one; what else is packed as JPEG, an upright one with the tables that it had.
    """
    stored, upright = decode_picture(data)
    upright.info = {name: value for name, value in upright.info.items() if name == "transparency"}
    packed = io.BytesIO()
    if stored.format == "PNG":
        upright.save(packed, "PNG")
    elif stored.format == "JPEG" and upright is stored:
        upright.save(packed, "JPEG", quality="keep")
    else:
        upright.convert("RGB").save(packed, "JPEG", quality=QUALITY)
    return packed.getvalue()


@dataclass(frozen=True)
class PictureFile:
    """A picture: the folder or zip that it is in, and its name there."""

    place: Path
    inside: str

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"{self.place}/{self.inside}"

    def read(self) -> bytes:
        """Its bytes."""
        try:
            if self.place.is_dir():
                if (size := (self.place / self.inside).stat().st_size) > LARGEST:
                    raise ValueError(f"{size:,} bytes, more than {LARGEST:,}")
                return (self.place / self.inside).read_bytes()
            with zipfile.ZipFile(self.place) as archive:
                if (size := archive.getinfo(self.inside).file_size) > LARGEST:
                    raise ValueError(f"{size:,} bytes, more than {LARGEST:,}")
                return archive.read(self.inside)
        except (OSError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise self.fault(error) from None

    def decode(self, data: bytes | None = None) -> "tuple[Image, Image]":
        """The picture as it is stored and turned upright; of its bytes, where these are read already."""
        try:
            return decode_picture(self.read() if data is None else data)
        except ValueError as error:
            raise self.fault(error) from None

    def fault(self, error: BaseException) -> InputError:
        """The error that it cannot be read as a picture."""
        found = shorten_text(str(error))
        return InputError(
            self.name, [Problem("", "", found, f"a picture ({', '.join(DECODERS)})", "Mend or remove the file.")]
        )


def find_pictures(places: Sequence[str | Path], wanted: Collection[int] | None = None) -> dict[int, PictureFile]:
    """The pictures of the wanted images, or of all; of several for one image the first place's first by name."""
    pictures: dict[int, PictureFile] = {}
    for place in places:
        check_pictures(place)
        for number, inside in sorted(_numbered(Path(place)), key=lambda pair: pair[1]):
            if wanted is None or number in wanted:
                pictures.setdefault(number, PictureFile(Path(place), inside))
    return pictures


def check_pictures(place: str | Path) -> None:
    """Refuse anything but a folder or zip with a picture of an image; to be called before any long work."""
    if not str(place):
        raise UsageError("`images` must be a folder or a zip of pictures, got an empty name")
    if next(_numbered(Path(place)), None) is None:
        endings = ", ".join(ENDINGS)
        raise UsageError(f"{place}: holds no picture ({endings}) whose name ends in the number of an image")


def _numbered(place: Path) -> Iterator[tuple[int, str]]:
    """The images of a folder or a zip with the names of their files inside."""
    if place.is_dir():
        names: Iterator[str] = (str(file.relative_to(place)) for file in place.rglob("*") if file.is_file())
    elif place.is_file() and zipfile.is_zipfile(place):
        try:
            with zipfile.ZipFile(place) as archive:
                names = iter(archive.namelist())
        except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile) as error:
            raise UsageError(f"{place}: found a zip that cannot be read ({error}); make it anew") from None
    else:
        found = "a file" if place.exists() else "nothing"
        raise UsageError(f"{place}: found {found}, expected a folder or a zip of pictures")
    for name in names:
        if name.lower().endswith(ENDINGS) and (number := image_number(Path(name).name)) is not None:
            yield number, name
