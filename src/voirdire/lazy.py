"""Heavy libraries that are loaded when one of their names is first asked for, so that light verbs never load them."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["pl"]


class _Lazy(ModuleType):
    """Stands for a module until then."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import polars as pl
else:
    pl = _Lazy("polars")
