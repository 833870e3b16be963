"""The tests of a section share checks with those of the report, and games with those of the exam: all on the path."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / folder) for folder in ("report", "questions")]
