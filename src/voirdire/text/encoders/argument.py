"""The text after a provider's colon: a path, then options as in a web address: `PATH?pool=mean&max_tokens=16`."""

import hashlib
from collections.abc import Collection
from pathlib import Path
from urllib.parse import parse_qsl

from voirdire.errors import InputError, Problem, UsageError

__all__ = ["digest_file", "digest_folder", "no_argument", "split_argument", "whole_number"]


def split_argument(provider: str, argument: str | None, options: Collection[str] = ()) -> tuple[Path, dict[str, str]]:
    """The path and the options, of which only those named in `options` are known."""
    if not argument:
        raise UsageError(f"{provider} needs a path: {provider}:PATH")
    path, _, query = argument.partition("?") if options else (argument, "", "")
    given = dict(parse_qsl(query, keep_blank_values=True))
    for name in given:
        if name not in options:
            raise UsageError(f"{provider} has no option {name!r}; there are: {', '.join(sorted(options))}")
    where = Path(path).expanduser()
    if not where.exists():
        raise InputError(path, [Problem("", "", "nothing", "a file or a folder", "Check the path.")])
    return where, given


def no_argument(provider: str, argument: str | None) -> None:
    """Refuse an argument for a provider that has none."""
    if argument is not None:
        raise UsageError(f"{provider} takes no argument; got {argument!r}")


def whole_number(provider: str, name: str, value: str, least: int) -> int:
    """An option's value as a whole number that is at least `least`."""
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise UsageError(f"{provider}: option {name} is {value!r}, expected a whole number from {least} up")
    return number


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_folder(path: Path) -> str:
    """SHA-256 over the names and contents of all files of a folder but hidden ones and its readme."""
    total = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        parts = file.relative_to(path).parts
        if file.is_file() and file.suffix != ".md" and not any(part.startswith(".") for part in parts):
            total.update(f"{'/'.join(parts)}\0{digest_file(file)}\n".encode())
    return total.hexdigest()
