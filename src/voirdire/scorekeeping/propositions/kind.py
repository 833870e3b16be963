"""What sort of thing it is: what_kind, is_it."""

from voirdire.scorekeeping.propositions.english import is_plural
from voirdire.scorekeeping.propositions.rule import NO_THING, Derived, Exchange, Rule, nonpolar, polar

LONGEST = 2
_ENDS = frozenset({"are there", "is there", "is it", "is this", "is that", "is he", "is she", "are they"})


def what_kind(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith(("what kind of", "what type of")) or len(exchange.answer.split()) > LONGEST:
        return None
    _, _, _, *words = exchange.question.split()
    if len(words) > 1:
        if " ".join(words[-2:]) not in _ENDS:
            return Derived(None, "more follows than a thing and: is it, are there")
        words = words[:-2]
    thing = " ".join(words)
    if not thing:
        return NO_THING
    be = "are" if is_plural(thing) else "is"
    return nonpolar(f"the {thing} {be} {exchange.answer}", f"the {thing} {be} not {exchange.answer}")


def is_it(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith("is it a"):
        return None
    thing = exchange.question.removeprefix("is it ")
    return polar(exchange, f"there is {thing}", f"there is not {thing}")


WHAT_KIND = Rule(
    "what_kind",
    "question",
    "what kind of X, what type of X, and an answer of one or two words: the X is Y / the X is not Y",
    what_kind,
    """
    what kind of floor is it | wooden | the floor is wooden. | the floor is not wooden.
    what type of boats are they | small canoes | the boats are small canoes. | the boats are not small canoes.
    what kind of bird | a heron | the bird is a heron. | the bird is not a heron.
    what kind of bird is it | heron | the bird is heron. | the bird is not heron.
    what kind of fishing boat is it | no | the fishing boat is no. | the fishing boat is not no.
    what kind of boat is on the pier | canoe | nothing
    what kind of boat is it | a very old one | no match
    what boat is it | a canoe | no match
    is it a kind of boat | yes | no match
    """,
)
IS_IT = Rule(
    "is_it",
    "question",
    "is it a X: there is a X / there is not a X",
    is_it,
    """
    is it a fishing boat | yes | there is a fishing boat. | there is not a fishing boat.
    is it an old barn | no | there is not an old barn. | there is an old barn.
    is it a barn or a shed | no | there is not a barn or a shed. | there is a barn or a shed.
    is it a barn | more of a shed | nothing
    is it barn | yes | no match
    is the shed a barn | no | no match
    """,
)
