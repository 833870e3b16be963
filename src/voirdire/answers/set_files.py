"""Reference sets from files of any size, as `answers densify` writes them: Parquet, JSON lines, JSON, and their gzip.

A file is read in blocks, and a text that occurs often is held once: a set takes about 150 bytes, and eight for each of
its answers. JSON that cannot be cut into blocks or that has a fault is left to the strict reader of the format, which
reads it whole and knows what to say of it.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.answers.set_json import json_blocks
from voirdire.answers.set_parquet import is_parquet, parquet_blocks
from voirdire.errors import InputError
from voirdire.formats.files import Source
from voirdire.formats.references import FORMAT, References
from voirdire.formats.rounds import parse_with_base, read_with_base, resolve_base
from voirdire.formats.strict import Problems

__all__ = ["read_sets"]

Int64 = npt.NDArray[np.int64]


def read_sets(path: str | Path, base: int | None = None) -> References:
    """Reference sets of any layout; `base` is taken where the file leaves open from where it counts its rounds."""
    path = Path(path)
    # Standard input and pipes can be read only once.
    if str(path) != "-" and path.is_file():
        if is_parquet(path):
            return _gathered(str(path), parquet_blocks(path), base, lambda: _digest(path))
        data = hashlib.sha256()
        try:
            return _gathered(str(path), json_blocks(path, data.update), base, data.hexdigest)
        except (InputError, EOFError, OSError, zlib.error):
            pass
    sets: References = read_with_base(path, FORMAT, base)
    return sets


def _gathered(name: str, blocks: Iterator[References], base: int | None, fingerprint: Callable[[], str]) -> References:
    """The blocks of one file as one record."""
    known: dict[str, str] = {}
    texts, questions, truths = list[str](), list[str](), list[str]()
    arrays = list[tuple[npt.NDArray[np.generic], ...]]()
    for block in blocks:
        arrays.append((block.image_ids, block.rounds + block.base, block.in_set, np.diff(block.first)))
        for all_, new in ((texts, block.texts), (questions, block.questions), (truths, block.gt_answers)):
            all_.extend(map(known.setdefault, new, new))
    problems = Problems(name)
    if not arrays:
        problems.add("", "", "no record", "at least one")
        problems.check()
    images, ids, in_set, sizes = (np.concatenate(parts) for parts in zip(*arrays, strict=True))
    _refuse_repeated(images, ids, problems)
    counted_from = parse_with_base(lambda source, base=None: resolve_base(ids, base, source), Source(name, b""), base)
    first = np.append(0, np.cumsum(sizes))
    return References(images, ids - counted_from, in_set, texts, first, questions, truths, counted_from, fingerprint())


def _refuse_repeated(images: Int64, ids: Int64, problems: Problems) -> None:
    order = np.lexsort((ids, images))
    again = (np.diff(images[order]) == 0) & (np.diff(ids[order]) == 0)
    for row in np.sort(order[1:][again]).tolist():
        problems.add(
            f"row {row + 1}, image {images[row]}, round_id {ids[row]}", "", "this round twice", "each round once"
        )
    problems.check()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
