"""Which files to examine: those that were named, and the data files below folders."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

__all__ = ["ENDINGS", "Found", "find_files"]

ENDINGS = frozenset({".json", ".jsonl", ".jsonlines", ".csv", ".tsv", ".txt", ".h5", ".hdf5", ".npz"})

RUN = "run.json"
RUN_PARTS = frozenset({".parquet", ".shard"})


class Found(NamedTuple):
    """What paths stand for.

    files    the files to examine, each once
    skipped  what lies below a folder and is no data file
    below    those of `files` that nobody named: they were found in a folder
    empty    the folders without a data file
    """

    files: tuple[str, ...]
    skipped: tuple[str, ...]
    below: frozenset[str]
    empty: tuple[str, ...]


def find_files(paths: str | Path | Iterable[str | Path]) -> Found:
    """One path or several; a link in a folder that leads nowhere counts as a file, so that it is not passed over."""
    files: list[str] = []
    skipped: list[str] = []
    empty: list[str] = []
    named: set[str] = set()
    for path in [paths] if isinstance(paths, str | Path) else paths:
        if str(path) == "-" or not Path(path).is_dir():
            files.append(str(path))
            named.add(str(path))
            continue
        before = len(files)
        for below in sorted(Path(path).rglob("*")):
            if below.is_file() or below.is_symlink():
                (files if _is_data(below) else skipped).append(str(below))
        if len(files) == before:
            empty.append(str(path))
    return Found(
        tuple(dict.fromkeys(files)),
        tuple(dict.fromkeys(skipped)),
        frozenset(files) - named,
        tuple(dict.fromkeys(empty)),
    )


def _is_data(path: Path) -> bool:
    if path.name.startswith(".") or Path(path.name.removesuffix(".gz")).suffix.lower() not in ENDINGS:
        return False
    # The head of a run of ours is no data, but a file of the same name that stands alone may be.
    return path.name != RUN or not any(other.suffix in RUN_PARTS for other in path.parent.iterdir())
