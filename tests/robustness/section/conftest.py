"""The tests of this folder share checks with those of all sections, so these must be on the import path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "report"))
