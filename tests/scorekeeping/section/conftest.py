"""Tests of a section share checks with the report's, and small records with the exam's own tests: all on the path."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / folder) for folder in ("report", "scorekeeping")]
