"""Metrics in the frame of `measure`; text metrics, by family, in the table of `text_metric`. Loaded when used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voirdire.metrics.accuracy import ACCURACY as ACCURACY
    from voirdire.metrics.measure import Measure as Measure

_HOME = {"ACCURACY": "accuracy", "Measure": "measure"}

__all__ = ["ACCURACY", "Measure"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'voirdire.metrics' has no attribute {name!r}")
    return getattr(import_module(f"voirdire.metrics.{_HOME[name]}"), name)
