"""Small records of an exam's own tests are on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "robustness"))
