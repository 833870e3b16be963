"""The tests of this folder share how files are made, so that must be on the import path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
