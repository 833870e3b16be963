"""Vectors of many texts on an engine are those of the encoder; what the cache holds is not made again."""

from pathlib import Path

import numpy as np
import pytest

from voirdire.engine import ENGINES
from voirdire.text.cache import VectorCache
from voirdire.text.encoders import ENCODERS, DistinctEncoder, encoder
from voirdire.text.encoders.protocol import encode_pieces

PIECES = [["is there a dog?", "yes", "yes"], ["no", "is there a dog?"], ["two cats on a mat"]]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["here", "processes:2"])
def test_the_same_vectors(engine: str) -> None:
    made = list(encode_pieces(encoder("static"), PIECES, ENGINES.make(engine)))
    expected = [encoder("static").encode(piece) for piece in PIECES]
    assert [one.tobytes() for one in made] == [one.tobytes() for one in expected]


class Costly:
    """The table as if it were worth keeping; it may not be asked in this process."""

    costly = True

    def __init__(self) -> None:
        made = ENCODERS.make("static")
        self.name, self.dimension, self.signature = made.name, made.dimension, made.signature

    def encode_distinct(self, texts: list[str]) -> np.ndarray:
        raise AssertionError(f"asked here for {texts}")


@pytest.mark.slow
def test_workers_make_what_the_cache_lacks_and_it_is_kept(tmp_path: Path) -> None:
    backend, cache = Costly(), VectorCache(tmp_path)
    asked = DistinctEncoder(backend, cache, "static")
    expected = [encoder("static").encode(piece) for piece in PIECES]
    for _ in range(2):
        made = list(encode_pieces(asked, PIECES, ENGINES.make("processes:1")))
        assert all((one == two).all() for one, two in zip(made, expected, strict=True))
        # The second time nothing is missing, so that no worker could make it.
        asked = DistinctEncoder(backend, cache, "none such")
