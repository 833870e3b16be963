"""A few mutated journals: no line that was changed is scored, and nothing ends in a traceback."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import journal_mutants

pytestmark = pytest.mark.slow
SEED, COUNT = 0, 80


def test_mutated_journals_are_told_and_never_scored(tmp_path: Path) -> None:
    kinds = set()
    for number, change, outcome in journal_mutants.run(range(COUNT), SEED, tmp_path):
        again = f"python tests/hostile/fuzz.py --only journals --case {number} --seed {SEED}"
        assert outcome.kind != "fault", f"{change}: {outcome.detail}\n{again}"
        kinds.add(outcome.kind)
    assert kinds == {"fine", "error"}
