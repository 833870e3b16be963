"""Files as a config names them: a path, or a provider with a path after the colon (`scenes:world/scenes.jsonl`).

A relative path is relative to the folder of the config. The fingerprint says when work has to be done again: a file's
content counts, its name does not.
"""

import hashlib
from functools import cache
from pathlib import Path

from voirdire.formats.files import open_bytes

OPTIONS = "?"
"""What separates a path from options in a provider's argument; further paths stand after commas."""


def placed(path: str, folder: Path) -> str:
    """The path from the working folder, where it is written from `folder`."""
    return str(folder / path)


def spec_placed(spec: str, folder: Path) -> str:
    """The same for `name:path`; a name alone, or one whose argument is no path below `folder`, stays as it is."""
    name, colon, argument = spec.partition(":")
    parts = [placed(part, folder) for part in argument.split(",")]
    if not colon or not argument or not _path(parts[0]).exists():
        return spec
    return f"{name}:{','.join(parts)}"


def paths_of(spec: str) -> list[str]:
    """The paths in `name:path,path`, without their options."""
    return [str(_path(part)) for part in spec.partition(":")[2].split(",") if part]


def fingerprint(spec: str) -> str:
    """What stands for the content of a file, a folder, or a provider with its files."""
    if Path(spec).exists():
        return _digest(Path(spec))
    name, _, argument = spec.partition(":")
    parts = [part for part in argument.split(",") if _path(part).exists() and part]
    if not parts:
        return spec
    return " ".join([name, *(_digest(_path(part)) + part.removeprefix(str(_path(part))) for part in parts)])


def _path(part: str) -> Path:
    return Path(part.partition(OPTIONS)[0])


def _digest(path: Path) -> str:
    about = path.stat()
    return _content(path, about.st_mtime_ns, about.st_size) if path.is_file() else _folder(path)


@cache
def _content(path: Path, changed: int, size: int) -> str:
    # Inside `reading_once` whoever reads the file does not open it again.
    with open_bytes(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder(path: Path) -> str:
    digest = hashlib.sha256()
    for below in sorted(path.rglob("*")):
        if below.is_file():
            digest.update(f"{below.relative_to(path).as_posix()}\0{_digest(below)}\0".encode())
    return digest.hexdigest()
