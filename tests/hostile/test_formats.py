"""A few hundred mutated files of every format: read well, or refused with an error that names the file."""

import copy
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import format_cases

from voirdire.errors import InputError
from voirdire.formats.catalogue import formats
from voirdire.formats.files import Source

pytestmark = pytest.mark.slow

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


COLON = "@colon@"


def documents(seed):
    """The JSON values of a file, each on a line of its own where there are several; none where it is no JSON."""
    try:
        try:
            return [json.loads(seed)]
        except json.JSONDecodeError:
            return [json.loads(line) for line in seed.splitlines() if line.strip()]
    except ValueError:
        return []


def leaves(value):
    """Where texts stand: the list or object around each, and its place in it."""
    places = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for place, inner in places:
        if isinstance(inner, str):
            yield value, place
        else:
            yield from leaves(inner)


def with_colon(found, number):
    """The same values with a colon after the text of this number, written as an escape."""
    found = copy.deepcopy(found)
    inside, place = list(leaves(found))[number]
    inside[place] += COLON
    return "\n".join(map(json.dumps, found)).replace(COLON, "\\u003a")


def with_key_twice(text):
    """The first object of a text with its first key twice, once spelt in escapes."""
    head, _, tail = text.partition("{")
    key = json.JSONDecoder().raw_decode(tail)[0]
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in key)
    value = json.JSONDecoder().raw_decode(tail[tail.index(":") + 1 :].lstrip())[0]
    return f'{head}{{"{escaped}": {json.dumps(value)}, {tail}'


@pytest.mark.parametrize("name", NAMES)
def test_a_key_that_occurs_twice_does_not_hide_behind_escapes(name):
    format_ = format_cases.known(name)
    for seed in format_cases.seeds(format_cases.cases()[name]):
        found = documents(seed)
        texts = ["\n".join(map(json.dumps, found))]
        for number in range(min(30, len(list(leaves(found))))):
            texts.append(with_colon(found, number))
        for text in texts:
            if "{" not in text or not readable(format_, text):
                continue
            with pytest.raises(InputError, match="this key twice in one object"):
                format_.parse(Source("seed", with_key_twice(text).encode()))


def readable(format_, text):
    try:
        format_.parse(Source("seed", text.encode()))
    except InputError:
        return False
    return True
