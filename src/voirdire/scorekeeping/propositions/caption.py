"""What a caption says is there: its nouns, and its nouns with their adjectives, in their order.

    a black cat sleeps on a park bench   ->   one can see a black cat, there is a cat, there is a bench

A noun counts where no noun governs it: not `park` in `park bench`, not `bowls` in `plates and bowls`, and not what the
caption is all about, as `cat` in `a cat on a bench`, which governs itself. An adjective counts where a noun governs it.
"""

from collections.abc import Sequence

from voirdire.scorekeeping.propositions.english import is_plural, with_article
from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.text.tagging import Token

NAME = "caption"


def caption_pairs(tokens: Sequence[Token]) -> list[Pair]:
    """The pairs of a caption."""
    pairs = []
    for place, token in enumerate(tokens):
        if token.pos not in ("NOUN", "ADJ"):
            continue
        head = tokens[_head(tokens, place) if token.head is None else token.head]
        if token.pos == "NOUN" and head.pos != "NOUN":
            plural = is_plural(token.text)
            seen = f"are {token.text}" if plural else f"is {with_article(token.text)}"
            pairs.append(Pair(f"there {seen}.", f"there {'are' if plural else 'is'} no {token.text}."))
        elif token.pos == "ADJ" and head.pos == "NOUN":
            phrase = f"{token.text if is_plural(head.text) else with_article(token.text)} {head.text}"
            pairs.append(Pair(f"one can see {phrase}.", f"one cannot see {phrase}."))
    return pairs


def _head(tokens: Sequence[Token], place: int) -> int:
    """The place of what governs a noun or an adjective, where the tagger does not know; its own where nothing does."""
    follows = next((at for at in range(place + 1, len(tokens)) if tokens[at].pos not in ("NOUN", "ADJ")), len(tokens))
    if follows - 1 > place and tokens[follows - 1].pos == "NOUN":
        return follows - 1
    before = next((at for at in reversed(range(place)) if tokens[at].pos not in ("NOUN", "ADJ", "DET", "NUM")), -1)
    if before >= 0:
        joined = tokens[before].pos == "CCONJ" or tokens[before].text == ","
        return before - 1 if joined and before else before
    return next((at for at, token in enumerate(tokens) if token.pos in ("VERB", "AUX") and _finite(token)), place)


def _finite(token: Token) -> bool:
    return not token.text.endswith(("ing", "ed"))
