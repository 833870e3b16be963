"""A few mutated stores of judgements: read well, or told in a line, with what is safe collected."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import store_mutants

pytestmark = pytest.mark.slow
SEED, COUNT = 0, 60


def test_mutated_stores_are_read_or_told(tmp_path):
    kinds = set()
    for number, change, outcome in store_mutants.run(range(COUNT), SEED, tmp_path):
        again = f"python tests/hostile/fuzz.py --only studies --case {number} --seed {SEED}"
        assert outcome.kind != "fault", f"{change}: {outcome.detail}\n{again}"
        kinds.add(outcome.kind)
    assert kinds == {"fine", "error"}
