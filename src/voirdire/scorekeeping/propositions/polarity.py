"""What an answer says of a polar question, by how it starts; positive beginnings are tried first.

yes, there is one   positive
not at all          negative
not that i can see  none of these: what is not seen may be there
i can't tell        does not know
a little            none of these
"""

import re
from typing import Literal

__all__ = ["Polarity", "is_unknown", "polarity"]

Polarity = Literal["positive", "negative"]

_START = r"^(?:(?:well|um+|uh+|oh|ok|hmm+|actually|sorry|so|and|but|honestly|again|unfortunately)[ ,.]+)*"

_UNKNOWN = re.compile(
    _START
    + r"""(?:
      (?:i|you|we|one)?\ ?(?:can't|cannot|can\ not|cant|couldn't|could\ not|can\ hardly)\b
    | (?:i|you)\ (?:really\ |just\ |honestly\ )?(?:don't|do\ not|dont|didn't)\ (?:really\ )?(?:know|understand)
    | (?:i|you)\ (?:don't|do\ not|dont)\ have\ (?:any\ idea|a\ clue)
    | (?:don't|do\ not|dont)\ (?:really\ )?know
    | (?:i'm|i\ am|im)\ (?:really\ |just\ )?(?:not\ (?:\w+\ )?(?:sure|certain|positive|able)|unsure|unable|uncertain)
    | not\ (?:\w+\ )?(?:sure|certain|clear|able\ to|enough|positive|possible)
    | no\ (?:idea|clue|way\ to\ (?:tell|know))\b
    | (?:it\ is\ |it's\ |its\ |that\ is\ |that's\ |kind\ of\ |a\ little\ |a\ bit\ |very\ |too\ |really\ )*
      (?:hard|difficult|impossible|tough|unable|unclear|unknown|unsure|uncertain|indeterminable|blurry)\b
    | (?:i\ )?have\ no\ (?:idea|clue)
    | idk\b | \?+ | who\ knows
    | (?:he|she|it|they|the\ \w+|her|his)\b.*\b(?:facing\ away|too\ (?:far|blurry|dark|small))
    | too\ (?:far|blurry|dark|small|hard)
    )""",
    re.VERBOSE,
)

_POSITIVE = re.compile(
    _START
    + r"""(?:
      (?:yes+|yea+h*|yep+|yup+|ye|yess?w?|y|sure|correct|right|absolutely|definitely|certainly|indeed|affirmative|true
        |of\ course|exactly)\b(?!\ not)
    | (?:i|they|you)\ (?:think|believe|guess|suppose|assume|would\ (?:say|think|guess))\ (?:so|yes)
    | (?:i|they|you)\ (?:think|believe|guess)\ (?:it\ is|they\ are)\b(?!\ not)
    | (?:i'd|i\ would)\ (?:say|think|guess)\ (?:so|yes)
    | (?:it\ |they\ |he\ |she\ )?(?:looks?|seems?|appears?|sounds?)\ (?:so|that\ way|to\ be|like\ it)$
    | (?:it\ |they\ |he\ |she\ )?(?:looks?|seems?)\ like\ (?:they\ are|he\ is|she\ is)$
    | (?:it|they|he|she|there|i|you|we)\ (?:is|are|does|do|can|has|have|sure\ (?:is|does|do))(?:$|[,.])
    | 100\ percent | very\ much\ so | both\ are\b
    )""",
    re.VERBOSE,
)

# What is not seen may be there.
_UNSEEN = r"(?!\ (?:visible|seen|shown|in\ (?:(?:the|this)\ )?(?:view|sight|picture|photo|image|frame|shot))\b)"
_DENIED = r"(?:is|are|does|do|was|were|has|have|did)(?:\ not|n't)"
_NEGATIVE = re.compile(
    _START
    + rf"""(?:
      (?:no+|nope+|nah|na|n|non|none|np|noe|nothing|nobody|nowhere|neither|never|negative|zero|hardly|nor)(?![\w'-])
    | 0(?!\.?\w)
    | not(?!\ that\b){_UNSEEN}\b
    | (?:i\ )?(?:don't|do\ not|dont|didn't|did\ not)\ (?:really\ )?(?:think|believe|suppose)
    | there\ (?:are|is|were|was)(?:\ not|n't|\ no|\ none|\ nothing|\ 0|\ nobody)\b
    | there's\ (?:no|not|none|nothing)\b
    | (?:it|he|she|they|this|that|the\ \w+)(?:\ {_DENIED}|'s\ not|'re\ not)\b{_UNSEEN}
    | (?:isn't|aren't|doesn't|don't|wasn't|hasn't|haven't|won't)\b
    )""",
    re.VERBOSE,
)


def is_unknown(answer: str) -> bool:
    """Whether an answer starts with an expression of not knowing."""
    return bool(_UNKNOWN.match(answer))


def polarity(answer: str) -> Polarity | None:
    """Whether the answer says yes or no, if either."""
    if _POSITIVE.match(answer):
        return "positive"
    return "negative" if _NEGATIVE.match(answer) else None
