"""Worker processes inherit the import path, so the tests' tasks must be on it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
