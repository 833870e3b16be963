"""The types of a question: every one whose keyword it holds, and `other` where it holds none.

    kinds(q) = ∪ { types of w : w a token of q }

"Is it the white one on the left?" is of `color` and of `location`. Location is said by words of place and by numbers. A
question that holds an ordinal ("the third from the left") is of `order` beside `location`. (effective-questions, §4.3.)
"""

from voirdire.questions.lexicon import Lexicon, own_lexicon, tokens

__all__ = ["ATTRIBUTES", "KINDS", "ORDER", "kinds_of"]

ATTRIBUTES = ("color", "shape", "size", "texture", "location", "action")
KINDS = ("object", *ATTRIBUTES, "other")
"""The eight types of Table 2; `order` is beside them."""

ORDER = "order"

_ORDINALS = frozenset(
    (
        *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last"),
        *("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"),
    )
)


def kinds_of(question: str, lexicon: Lexicon | None = None, exclusive_object: bool = False) -> frozenset[str]:
    """The types of a question, and `order` where an ordinal makes it one of location.

    lexicon           ours, unless another one is given
    exclusive_object  `object` only where no attribute's keyword is there
    """
    lexicon = lexicon or own_lexicon()
    found: set[str] = set()
    for token in tokens(question):
        kinds = lexicon.kinds.get(token)
        if kinds is not None:
            found |= kinds
            if token in _ORDINALS and "location" in kinds:
                found.add(ORDER)
    if exclusive_object and not found.isdisjoint(ATTRIBUTES):
        found.discard("object")
    return frozenset(found or {"other"})
