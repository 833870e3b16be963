"""A few hundred mutated files of every format: read well, or refused with an error that names the file."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import format_cases

from voirdire.formats.catalogue import formats

NAMES = sorted(one.name for one in formats())
SEED, COUNT = 0, 300


def test_every_format_takes_part():
    assert sorted(format_cases.cases()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_mutated_files_are_read_or_refused(name, tmp_path):
    kinds = set()
    for number, outcome, mutant in format_cases.run(name, range(COUNT), SEED, tmp_path):
        again = f"python tests/hostile/fuzz.py --only {name} --case {number} --seed {SEED}"
        assert outcome.kind != "fault", f"{outcome.detail}\n{mutant[:2000]!r}\n{again}"
        kinds.add(outcome.kind)
    assert kinds == {"fine", "error"}
