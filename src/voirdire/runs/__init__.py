"""Runs: figures with intervals, their signatures, and their files."""

from voirdire.runs.estimate import Estimate, estimate
from voirdire.runs.run import Difference, Run, Signature, differences, versions
from voirdire.runs.store import read_run, write_run

__all__ = [
    "Difference",
    "Estimate",
    "Run",
    "Signature",
    "differences",
    "estimate",
    "read_run",
    "versions",
    "write_run",
]
