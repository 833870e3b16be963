"""Features of the objects' pictures that were made elsewhere: an .npz with `object_ids`, n whole numbers, and
`features`, n rows."""

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.formats.source import open_source
from voirdire.formats.strict import Problems

__all__ = ["Crops", "read_crops"]

EXPECTED = "an .npz with `object_ids` and `features`"


@dataclass(frozen=True, eq=False)
class Crops:
    """float32[n, d] features, sorted by the objects that they belong to."""

    name: str
    object_ids: npt.NDArray[np.int64]
    features: npt.NDArray[np.float32]
    fingerprint: str

    @property
    def width(self) -> int:
        """How many features an object has."""
        return int(self.features.shape[1])

    def of(self, object_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The features of these objects; objects without any are an error that names them."""
        places = np.minimum(np.searchsorted(self.object_ids, object_ids), len(self.object_ids) - 1)
        missing = np.unique(object_ids[self.object_ids[places] != object_ids])
        problems = Problems(self.name)
        for one in missing.tolist():
            problems.add(f"object {one}", "object_ids", "nothing", "a row for this object")
        problems.check()
        return self.features[places]


def read_crops(path: str | Path) -> Crops:
    """Read features of crops, strictly: ids once each, features finite."""
    name, problems = str(path), Problems(str(path))
    fingerprint = open_source(path).fingerprint
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in ("object_ids", "features") if key in file}
    except (ValueError, OSError, EOFError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(name, [Problem("", "", f"a file that numpy cannot read ({error})", EXPECTED)]) from None
    for key in ("object_ids", "features"):
        if key not in arrays:
            problems.add("", key, "nothing", "this array")
    problems.check()
    ids, features = arrays["object_ids"], arrays["features"]
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or not len(ids):
        problems.add("", "object_ids", f"{ids.dtype} of shape {ids.shape}", "whole numbers in one dimension")
    if features.ndim != 2 or features.dtype.kind != "f" or len(features) != len(ids) or not features.size:
        problems.add("", "features", f"{features.dtype} of shape {features.shape}", f"floats of shape ({ids.size}, d)")
    problems.check()
    for row in np.flatnonzero(~np.isfinite(features).all(axis=1)).tolist():
        problems.add(f"object {ids[row]}", "features", "a number that is not finite", "finite numbers")
    distinct, counts = np.unique(ids, return_counts=True)
    for one in distinct[counts > 1].tolist():
        problems.add(f"object {one}", "object_ids", "this object twice", "each object once")
    problems.check()
    order = np.argsort(ids, kind="stable")
    return Crops(name, ids[order].astype(np.int64), np.ascontiguousarray(features[order], np.float32), fingerprint)
