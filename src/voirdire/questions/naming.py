"""Whether a question of 20 questions names a candidate: "is it a fox?", "are they foxes?".

named   the words of the candidate, as words of their own, in the singular or the plural, in any case
alone   named, and no other candidate is; "lion" within "sea lion" does not count where both are candidates
"""

import re
from collections.abc import Iterable


def names(question: str, candidate: str) -> bool:
    """Whether a question names a candidate, as words of its own, in the singular or the plural."""
    stem = candidate[:-1] if len(candidate) > 1 and candidate.endswith("s") else candidate
    return re.search(rf"(?<!\w){re.escape(stem)}(?:e?s)?(?!\w)", question, re.IGNORECASE) is not None


def names_alone(question: str, target: str, candidates: Iterable[str]) -> bool:
    """Whether it names this one and no other; a name within a longer one that is named, too, does not count."""
    named = [one for one in candidates if names(question, one)]
    whole = [one for one in named if not any(one != other and names(other, one) for other in named)]
    return whole == [target]
