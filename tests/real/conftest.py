"""Scripts that lie above the tests can be imported by them, and the games of the exam's own tests."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "questions")]
