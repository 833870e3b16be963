"""The pictures that a model is shown: found in folders and zips by the number of their image, scaled down, and hashed.

    COCO_val2014_000000000042.jpg, 42.png, …/val2014.zip with such names inside: image 42

A picture whose longer side has at most `longest` pixels, and which is a JPEG or PNG in colours of eight bits already,
is sent as it is. Any other is turned upright, scaled down with Lanczos' filter, and packed as JPEG of
quality 90; what is transparent becomes white, sixteen bits become eight. Its name is the SHA-256 of what is sent.

Boxes are drawn onto what would be sent: a red line with a white edge, and a number at its upper left corner where there
are several; packed as JPEG of quality 90. Such a picture's name is the SHA-256 of the plain one's name, the boxes and
the way of drawing, so that it is known before anything is drawn.
"""

import hashlib
import io
from collections import OrderedDict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from voirdire.errors import InputError, UsageError
from voirdire.formats.picture_files import QUALITY, decode_picture, find_pictures
from voirdire.live.model import Share, VisualInput

if TYPE_CHECKING:
    from PIL import Image

AS_THEY_ARE = ("JPEG", "PNG")
COLOURS = ("RGB", "L", "P", "RGBA", "LA", "1")
"""Those that every server reads alike."""
LONGEST = 768
KEPT = 64
"""Pictures that are kept in memory: dialogues ask about one picture again and again."""
DRAWING = 1
"""The way of drawing boxes; another one makes other pictures."""
RED, WHITE = (220, 20, 20), (255, 255, 255)


def marked(seen: VisualInput, boxes: Sequence[Share]) -> VisualInput:
    """The same picture with boxes drawn onto it; UsageError where there is no picture."""
    if not seen.picture:
        raise UsageError(
            f"`boxes` drawn needs pictures, and none is shown of image {seen.image}; tell coordinates instead"
        )
    name = msgspec.json.encode([seen.picture, boxes, DRAWING])
    return msgspec.structs.replace(seen, picture=hashlib.sha256(name).hexdigest(), marks=tuple(boxes))


def draw_boxes(picture: bytes, boxes: Sequence[Share]) -> bytes:
    """A picture with boxes, in shares of it; several are numbered from 1."""
    from PIL import ImageDraw, ImageFont

    canvas = decode_picture(picture)[0].convert("RGB")
    pen, longer = ImageDraw.Draw(canvas), max(canvas.size)
    line = max(2, longer // 200)
    font = ImageFont.load_default(max(10, longer // 32))
    corners = [_corners(box, canvas.size) for box in boxes]
    for left, top, right, bottom in corners:
        pen.rectangle((left - 1, top - 1, right + 1, bottom + 1), outline=WHITE, width=line + 2)
        pen.rectangle((left, top, right, bottom), outline=RED, width=line)
    # After all lines, so that none runs through a number.
    for number, (left, top, _, _) in enumerate(corners if len(boxes) > 1 else (), 1):
        pen.rectangle(pen.textbbox((left, top), str(number), font=font), fill=RED)
        pen.text((left, top), str(number), fill=WHITE, font=font)
    packed = io.BytesIO()
    # Thin lines keep their colour only where colours are not made coarser.
    canvas.save(packed, "JPEG", quality=QUALITY, subsampling=0)
    return packed.getvalue()


def _corners(box: Share, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The corners of a box in pixels, inside the picture, at least a pixel wide and high."""
    (x, y, wide, high), (width, height) = box, size
    left, top = (min(max(0, round(at * most)), most - 2) for at, most in ((x, width), (y, height)))
    right = min(max(left + 1, round((x + wide) * width)), width - 1)
    return left, top, right, min(max(top + 1, round((y + high) * height)), height - 1)


def _in_colours(picture: "Image.Image") -> "Image.Image":
    """A picture in colours of eight bits, on white."""
    from PIL import Image

    if picture.mode.startswith("I"):
        # The library cuts such values off at 255, which leaves a white picture.
        return Image.fromarray((np.asarray(picture).clip(0, 65_535) >> 8).astype(np.uint8)).convert("RGB")
    if picture.has_transparency_data:
        clear = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear).convert("RGB")
    return picture.convert("RGB")


class Pictures:
    """The pictures of some images in folders and zips."""

    def __init__(self, places: Sequence[Path], wanted: Collection[int] | None = None, longest: int = LONGEST) -> None:
        self.longest = longest
        self._files = find_pictures(places, wanted)
        self._packed: OrderedDict[int, bytes] = OrderedDict()
        self._names: dict[int, str] = {}
        self.places = tuple(places)
        if wrong := self.missing(wanted or ()):
            raise UsageError(wrong)

    def missing(self, wanted: Collection[int]) -> str:
        """Which of the images have no picture, in a line; empty where all have one."""
        missing = sorted(set(wanted) - set(self._files))
        if not missing:
            return ""
        shown = ", ".join(map(str, missing[:3])) + (", …" if len(missing) > 3 else "")
        names = ", ".join(map(str, self.places))
        return f"{names}: no picture of {len(missing):,} of {len(set(wanted)):,} images: {shown}"

    def broken(self, images: Collection[int]) -> tuple[frozenset[int], str]:
        """Those of the images whose picture cannot be read, and a line about them; empty where all can."""
        faults: dict[int, InputError] = {}
        for image in sorted(images):
            try:
                self.seen(image)
            except InputError as error:
                faults[image] = error
        line = ""
        if faults:
            first = next(iter(faults.values()))
            line = f"{len(faults):,} of {len(images):,} pictures cannot be read: {first.source}"
            line += ", …" if len(faults) > 1 else f" ({first.problems[0].found})"
        return frozenset(faults), line

    def __contains__(self, image: int) -> bool:
        return image in self._files

    def seen(self, image: int, told: str = "") -> VisualInput:
        """What a model is shown of an image."""
        if image not in self._names:
            self._names[image] = hashlib.sha256(self.data(image)).hexdigest()
        return VisualInput(image, self._names[image], told)

    def data(self, image: int) -> bytes:
        """The picture as it is sent."""
        if image not in self._packed:
            self._packed[image] = self._small(image)
            if len(self._packed) > KEPT:
                self._packed.popitem(last=False)
        self._packed.move_to_end(image)
        return self._packed[image]

    def shown(self, seen: VisualInput) -> bytes:
        """The picture as it is sent, with the boxes that are drawn onto it."""
        plain = self.data(seen.image)
        return draw_boxes(plain, seen.marks) if seen.marks else plain

    def _small(self, image: int) -> bytes:
        from PIL import Image

        file = self._files[image]
        data = file.read()
        stored, upright = file.decode(data)
        plain = stored.format in AS_THEY_ARE and stored.mode in COLOURS
        if plain and upright.size == stored.size and max(stored.size) <= self.longest:
            return data
        small = _in_colours(upright)
        small.thumbnail((self.longest, self.longest), Image.Resampling.LANCZOS)
        packed = io.BytesIO()
        small.save(packed, "JPEG", quality=QUALITY)
        return packed.getvalue()
