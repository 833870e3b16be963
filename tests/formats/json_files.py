"""Files of one format for tests, and the faults that reading them finds."""

import json

import pytest

from voirdire.errors import InputError
from voirdire.formats.files import Source

__all__ = ["faults", "source"]


def source(value):
    return Source("file.json", value if isinstance(value, bytes) else json.dumps(value).encode())


def faults(parse, value):
    with pytest.raises(InputError) as caught:
        parse(source(value))
    assert str(caught.value).startswith("file.json: ")
    return [str(problem) for problem in caught.value.problems]
