"""Checks that hold of any exam's section lie with the report's tests: they must be on the import path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "report"))
