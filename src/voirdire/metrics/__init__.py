"""Metrics, one a file, all in the frame of `measure`."""

from voirdire.metrics.accuracy import ACCURACY
from voirdire.metrics.measure import Measure

__all__ = ["ACCURACY", "Measure"]
