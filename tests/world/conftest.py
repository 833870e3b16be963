"""The tests of this folder share a reader of the world's language, which must be on the import path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
