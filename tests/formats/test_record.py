"""What a record shows of itself."""

import numpy as np

from voirdire.formats.generations import Generations


def test_a_record_is_shown_on_one_short_line():
    texts = [f"text {number}" for number in range(10_000)]
    ids = np.arange(10_000)
    actual = Generations(ids, ids, texts, np.arange(10_001))
    assert repr(actual).startswith("Generations(image_ids=int64[10000], rounds=int64[10000], texts=<10,000 texts>, ")
    assert len(repr(actual)) < 200
