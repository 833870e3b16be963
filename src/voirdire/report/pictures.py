"""Thumbnails for a report: small pictures of images."""

import base64
import io
import warnings
import zlib

from voirdire.formats.picture_files import PictureFile

LARGEST = 6000
"""Bytes of a thumbnail at most."""
TRIES = ((256, 75), (256, 60), (224, 55), (192, 50), (160, 45), (128, 40), (96, 30), (64, 20))
"""The longer side in pixels, and the quality; the first that is small enough is taken."""


def thumbnail(file: PictureFile) -> str:
    """The picture in small as a data URL, its bytes at most `LARGEST`."""
    from PIL import Image, ImageOps

    data = file.read()
    try:
        # Of a damaged file a library may warn and go on; what it cannot read it raises.
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as opened:
            whole = ImageOps.exif_transpose(opened).convert("RGB")
    except (OSError, ValueError, SyntaxError, zlib.error, Image.DecompressionBombError) as error:
        raise file.fault(error) from None
    for side, quality in TRIES:
        small = whole.copy()
        small.thumbnail((side, side))
        buffer = io.BytesIO()
        small.save(buffer, "WEBP", quality=quality, method=4)
        if buffer.tell() <= LARGEST:
            break
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"
