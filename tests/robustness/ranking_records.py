"""Rankings made by hand, for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voirdire.formats.question_ranking import Ranking

__all__ = ["ranking_of"]


def ranking_of(
    lists: Mapping[str, Sequence[tuple[str, float]]], signature: Mapping[str, Any] | None = None, first_id: int = 1
) -> Ranking:
    """A ranking from {main question: [(basic question, score)]}; ids count from `first_id`, two questions an image."""
    basic = list(dict.fromkeys(text for pairs in lists.values() for text, _ in pairs))
    places = np.array([basic.index(text) for pairs in lists.values() for text, _ in pairs], np.int64)
    ids = np.arange(first_id, first_id + len(lists), dtype=np.int64)
    return Ranking(
        ids // 2,
        ids,
        list(lists),
        np.concatenate([[0], np.cumsum([len(pairs) for pairs in lists.values()])]).astype(np.int64),
        places,
        places,
        np.array([score for pairs in lists.values() for _, score in pairs], np.float64),
        basic,
        len(lists),
        signature or {},
    )
