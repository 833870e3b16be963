"""The mutator: the same seed gives the same file, another another, and every kind of file is changed in its own way."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import format_cases
from mutation import mutate

from voirdire.formats.catalogue import look
from voirdire.formats.files import Source

pytestmark = pytest.mark.slow

NAMES = sorted(format_cases.cases())


@pytest.mark.parametrize("name", NAMES)
def test_a_mutant_is_drawn_by_its_seed(name):
    seed = format_cases.cases()[name].seeds()[0]
    first, again, others = (
        [mutate(seed, random.Random(f"{number} {draw}")) for number in range(20)] for draw in ("a", "a", "b")
    )
    assert first == again != others
    assert sum(mutant != seed for mutant in first) > 10


@pytest.mark.parametrize("name", ["states", "features", "question_ranking", "visdial", "selections"])
def test_some_mutants_are_still_of_their_kind(name):
    seed = format_cases.cases()[name].seeds()[0]
    kind = look(Source("", seed)).kind
    mutants = [mutate(seed, random.Random(number)) for number in range(60)]
    assert 10 < sum(mutant != seed and look(Source("", mutant)).kind == kind for mutant in mutants) < 60


def test_a_key_can_be_there_twice_under_an_escape():
    seed = b'{"image_id": 5, "round_id": 3}'
    mutants = [mutate(seed, random.Random(number)) for number in range(3000)]
    assert any(b'"\\u0069mage_id"' in mutant and b'"image_id"' in mutant for mutant in mutants)
