"""The tests of this folder share small runs, and use the records of the exams' own tests."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (HERE, *(HERE.parent / exam for exam in ("answers", "robustness", "questions", "scorekeeping"))):
    sys.path.insert(0, str(folder))
