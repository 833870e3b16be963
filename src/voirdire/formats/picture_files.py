"""Picture files in folders and zips, found by the image's number at the end of their names.

COCO_val2014_000000000042.jpg, VisualDialog_val2018_000000000042.jpg, world_000000000042.png, 42.jpg: image 42
"""

import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.visdial_text import image_number

ENDINGS = (".jpg", ".jpeg", ".png", ".webp")
LARGEST = 100_000_000
"""Bytes of a picture in a zip, unpacked; a larger one is refused."""


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
                return (self.place / self.inside).read_bytes()
            with zipfile.ZipFile(self.place) as archive:
                if archive.getinfo(self.inside).file_size > LARGEST:
                    raise ValueError(f"more than {LARGEST:,} bytes")
                return archive.read(self.inside)
        except (OSError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise self.fault(error) from None

    def fault(self, error: BaseException) -> InputError:
        """The error that it cannot be read as a picture."""
        from PIL import UnidentifiedImageError

        # The library's message for this has a memory address in it.
        unknown = isinstance(error, UnidentifiedImageError)
        found = "no picture of a kind that is known" if unknown else f"{error}"
        return InputError(self.name, [Problem("", "", found, "a picture", "Mend or remove the file.")])


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
