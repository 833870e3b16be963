"""A protocol with several providers, looked up by a short name with an optional argument: `minilm`, `fasttext:PATH`.

Ours register by decorator; other packages add theirs through an entry point in the registry's group.
"""

import contextlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from voirdire.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
Factory = Callable[[str | None], T]
METADATA = (".dist-info", ".egg-info", "egg-info")
"""Endings of the folders with the metadata of installed packages."""


def entry_points(group: str, name: str | None = None) -> "Iterable[EntryPoint]":
    """The entry points of a group that installed packages have, or those of one name.

    `importlib.metadata` takes long to load, so it is asked only where a package names the group.
    """
    if not any(_names_group(Path(folder), f"[{group}]".encode()) for folder in sys.path):
        return ()
    import importlib.metadata

    points = importlib.metadata.entry_points(group=group)
    return [point for point in points if name in (None, point.name)]


def _names_group(folder: Path, header: bytes) -> bool:
    """Whether a package that is installed in a folder may have entry points under this header."""
    try:
        packages = [entry for entry in folder.iterdir() if entry.name.lower().endswith(METADATA)]
    except NotADirectoryError:  # An archive, which the library has to look into.
        return True
    except OSError:
        return False
    for package in packages:
        with contextlib.suppress(OSError):  # Most packages have no entry points.
            if header in (package / "entry_points.txt").read_bytes():
                return True
    return False


class Registry(Generic[T]):
    """The providers of one protocol.

    kind   what a provider is, in messages: "encoder"
    group  the entry-point group in which other packages add providers: "voirdire.encoders"
    """

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self.group = group
        self._factories: dict[str, Factory[T]] = {}

    def register(self, name: str) -> Callable[[Factory[T]], Factory[T]]:
        """Decorate a function that makes a provider from the text after the colon (None where there is none)."""

        def add(factory: Factory[T]) -> Factory[T]:
            if name in self._factories:
                raise ValueError(f"name: {self.kind} {name!r} is registered already")
            self._factories[name] = factory
            return factory

        return add

    def names(self) -> list[str]:
        """The names that can be asked for, in alphabetical order."""
        return sorted({*self._factories, *(point.name for point in entry_points(self.group))})

    def make(self, spec: str) -> T:
        """The provider that `spec` names, as `name` or `name:argument`."""
        self.check(spec)
        name, colon, argument = spec.partition(":")
        factory = self._factories.get(name)
        if factory is None:
            factory = next(iter(entry_points(self.group, name))).load()
        return factory(argument if colon else None)

    def check(self, spec: str) -> None:
        """Refuse a name that no provider has, without making any."""
        name = spec.partition(":")[0]
        if name not in self._factories and name not in self.names():
            raise UsageError(f"there is no {self.kind} {name!r}; there are: {', '.join(self.names())}")
