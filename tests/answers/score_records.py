"""Small records for the tests of scores: reference sets and generations from plain lists."""

import numpy as np

from voirdire.formats.generations import Generations
from voirdire.formats.references import References


def references(sets, truths=None, rounds=None, images=None):
    count = len(sets)
    in_set = np.zeros((count, 100), bool)
    for row, texts in enumerate(sets):
        in_set[row, : len(texts)] = True
    return References(
        np.arange(count) if images is None else np.array(images),
        np.zeros(count, np.int64) if rounds is None else np.array(rounds),
        in_set,
        [text for texts in sets for text in texts],
        np.cumsum([0, *map(len, sets)], dtype=np.int64),
        ["what is it"] * count,
        [texts[0] for texts in sets] if truths is None else truths,
        fingerprint="r",
    )


def generations(texts, rounds=None, images=None):
    count = len(texts)
    return Generations(
        np.arange(count) if images is None else np.array(images),
        np.zeros(count, np.int64) if rounds is None else np.array(rounds),
        [text for row in texts for text in row],
        np.cumsum([0, *map(len, texts)], dtype=np.int64),
        fingerprint="g",
    )


class Letters:
    """An encoder whose vector counts letters a to d."""

    name, dimension, signature = "letters", 4, "letters-1"

    def encode(self, texts):
        return np.array([[text.count(letter) for letter in "abcd"] for text in texts], np.float32)
