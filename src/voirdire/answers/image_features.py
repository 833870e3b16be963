"""Image features that were made elsewhere: an .npz with `image_ids`, n whole numbers, and `features`, n rows."""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.formats.source import open_source
from voirdire.formats.strict import Problems

__all__ = ["ImageFeatures", "read_image_features"]


@dataclass(frozen=True, eq=False)
class ImageFeatures:
    """float[n, d] features and the images that they belong to."""

    name: str
    image_ids: npt.NDArray[np.int64]
    features: npt.NDArray[np.floating]
    fingerprint: str

    def rows(self, image_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The row of each image; images without one are an error."""
        order = np.argsort(self.image_ids)
        places = np.searchsorted(self.image_ids, image_ids, sorter=order)
        rows = order[np.minimum(places, len(order) - 1)]
        missing = np.unique(image_ids[self.image_ids[rows] != image_ids])
        if len(missing):
            problems = Problems(self.name)
            for image in missing.tolist():
                problems.add(f"image {image}", "image_ids", "nothing", "a row for this image")
            problems.check()
        return rows


def read_image_features(path: str | Path) -> ImageFeatures:
    """Read image features, strictly: ids once each, features finite."""
    name, problems = str(path), Problems(str(path))
    fingerprint = open_source(path).fingerprint
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in ("image_ids", "features") if key in file}
    except (ValueError, OSError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        expected = "an .npz with `image_ids` and `features`"
        raise InputError(name, [Problem("", "", f"a file that numpy cannot read ({error})", expected)]) from None
    for key in ("image_ids", "features"):
        if key not in arrays:
            problems.add("", key, "nothing", "this array")
    problems.check()
    ids, features = arrays["image_ids"], arrays["features"]
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or not len(ids):
        problems.add("", "image_ids", f"{ids.dtype} of shape {ids.shape}", "whole numbers in one dimension")
    if features.ndim != 2 or features.dtype.kind != "f" or len(features) != len(ids):
        problems.add("", "features", f"{features.dtype} of shape {features.shape}", f"floats of shape ({ids.size}, d)")
    problems.check()
    for row in np.flatnonzero(~np.isfinite(features).all(axis=1)).tolist():
        problems.add(f"image {ids[row]}", "features", "a number that is not finite", "finite numbers")
    distinct, counts = np.unique(ids, return_counts=True)
    for image in distinct[counts > 1].tolist():
        problems.add(f"image {image}", "image_ids", "this image twice", "each image once")
    problems.check()
    return ImageFeatures(name, ids.astype(np.int64), features, fingerprint)
