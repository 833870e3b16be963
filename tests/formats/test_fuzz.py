"""A few hundred mutated files of every format: read well, or refused with an error that names the file."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import fuzzing

from voirdire.formats.catalogue import formats
from voirdire.formats.files import Source

CASES = fuzzing.cases()
COUNT = 300


def test_every_format_takes_part():
    assert sorted(CASES) == sorted(one.name for one in formats())


@pytest.mark.parametrize("name", sorted(one.name for one in formats()))
def test_mutated_files_are_read_or_refused(name, tmp_path):
    case, format_ = CASES[name], fuzzing.known(name)
    seeds = fuzzing.seeds(case)
    kinds = set()
    for number, seed in enumerate(seeds):
        original = format_.parse(Source("seed", seed))
        for mutant in fuzzing.mutants(seed, random.Random(f"{name} {number}"), COUNT // len(seeds)):
            outcome = fuzzing.examine(case, format_, seed, original, mutant, tmp_path)
            assert outcome.kind != "fault", f"{outcome.detail}\n{mutant[:2000]!r}"
            kinds.add(outcome.kind)
    assert kinds == {"fine", "error"}
