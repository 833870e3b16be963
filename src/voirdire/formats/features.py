"""Features of images or objects from other programs: an .npz with `image_ids` or `object_ids`, n whole numbers, and
`features`, n rows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from voirdire.figures import counted
from voirdire.formats.catalogue import Format
from voirdire.formats.csv_and_npz import load_npz
from voirdire.formats.files import Source, once, open_source
from voirdire.formats.strict import Problems

Kind = Literal["image", "object"]
Int64 = npt.NDArray[np.int64]
_IDS: dict[Kind, str] = {"image": "image_ids", "object": "object_ids"}


@dataclass(frozen=True, eq=False)
class Features:
    """float[n, d] features, and the images or objects (`kind`) that they belong to."""

    name: str
    kind: Kind
    ids: Int64
    features: npt.NDArray[np.floating]
    fingerprint: str

    @property
    def width(self) -> int:
        """The number of features of one image or object."""
        return int(self.features.shape[1])

    def rows(self, ids: Int64) -> Int64:
        """The row of each id; ids without one are an error that names them."""
        return find_rows(self.name, self.kind, self.ids, ids)

    def of(self, ids: Int64) -> npt.NDArray[np.float32]:
        """The features of each id, in single precision."""
        return np.asarray(self.features[self.rows(ids)], np.float32)


def find_rows(name: str, kind: Kind, have: Int64, wanted: Int64) -> Int64:
    """The place in `have` of each wanted id; ids that are not there are an error that names file and ids."""
    order = np.argsort(have)
    places = np.searchsorted(have, wanted, sorter=order)
    rows = order[np.minimum(places, len(order) - 1)]
    problems = Problems(name)
    for id_ in np.unique(wanted[have[rows] != wanted]).tolist():
        problems.add(f"{kind} {id_}", f"{kind}_ids", "nothing", f"a row for this {kind}")
    problems.check()
    return rows


@once
def read_features(path: str | Path, kind: Kind) -> Features:
    """Read features, strictly: ids once each, features finite."""
    return parse_features(open_source(path), kind)


def parse_features(source: Source, kind: Kind | None = None) -> Features:
    """Features from a file's bytes; where `kind` is not given, the file's ids say which."""
    expected = f"an .npz with `{_IDS[kind or 'image']}` and `features`"
    arrays = load_npz(source, expected, wanted=(*_IDS.values(), "features"))
    if kind is None:
        kind = "object" if _IDS["object"] in arrays and _IDS["image"] not in arrays else "image"
    name, problems, field = source.name, Problems(source.name), _IDS[kind]
    for key in (field, "features"):
        if key not in arrays:
            problems.add("", key, "nothing", "this array")
    problems.check()
    ids, features = arrays[field], arrays["features"]
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or not ids.size:
        problems.add("", field, f"{ids.dtype} of shape {ids.shape}", "whole numbers in one dimension")
    if features.ndim != 2 or features.dtype.kind != "f" or len(features) != ids.size or not features.size:
        problems.add("", "features", f"{features.dtype} of shape {features.shape}", f"floats of shape ({ids.size}, d)")
    problems.check()
    for row in np.flatnonzero(~np.isfinite(features).all(axis=1)).tolist():
        problems.add(f"{kind} {ids[row]}", "features", "a number that is not finite", "finite numbers")
    distinct, counts = np.unique(ids, return_counts=True)
    for id_ in distinct[counts > 1].tolist():
        problems.add(f"{kind} {id_}", field, f"this {kind} twice", f"each {kind} once")
    problems.check()
    return Features(name, kind, ids.astype(np.int64), features, source.fingerprint)


FORMAT = Format(
    name="features",
    title="features of images or objects",
    matches=lambda sample: sample.has("npz", "features") and bool(sample.keys & set(_IDS.values())),
    parse=parse_features,
    describe=lambda record: (
        f"features of {counted(len(record.ids), record.kind)}, {counted(record.width, 'number')} each"
    ),
    keys=lambda record: {record.kind: record.ids},
    notes=lambda record: (),
)
