"""Tests of this folder share checks with each other, and small records with the exams' own tests: all on the path."""

import sys
from pathlib import Path

SHARED = ("report", "answers", "questions", "robustness", "scorekeeping", "verdict")
sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in SHARED]
