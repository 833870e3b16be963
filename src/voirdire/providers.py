"""A protocol with several providers, looked up by a short name with an optional argument: `minilm`, `fasttext:PATH`.

Ours register by decorator; other packages add theirs through an entry point in the registry's group.
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from voirdire.errors import UsageError

__all__ = ["Registry"]

T = TypeVar("T")
Factory = Callable[[str | None], T]


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
        return sorted({*self._factories, *(point.name for point in entry_points(group=self.group))})

    def make(self, spec: str) -> T:
        """The provider that `spec` names, as `name` or `name:argument`."""
        self.check(spec)
        name, colon, argument = spec.partition(":")
        factory = self._factories.get(name)
        if factory is None:
            factory = next(iter(entry_points(group=self.group, name=name))).load()
        return factory(argument if colon else None)

    def check(self, spec: str) -> None:
        """Refuse a name that no provider has, without making any."""
        name = spec.partition(":")[0]
        if name not in self._factories and name not in self.names():
            raise UsageError(f"there is no {self.kind} {name!r}; there are: {', '.join(self.names())}")
