"""What a thing is, how and where: is_noun_adj, noun_prep_noun, noun_noun, is_np_np and others, also of pronouns.

The rules read the question's parts of speech, one tag per word.
"""

from voirdire.scorekeeping.propositions.english import with_article
from voirdire.scorekeeping.propositions.rule import (
    OTHER_WORDS,
    Apply,
    Derived,
    Exchange,
    Rule,
    nonpolar,
    stated,
    tagged,
)

UNDECIDED = Derived(None, "the answer names neither of the two")


def of_noun(exchange: Exchange, words: list[str]) -> Derived:
    """Is the noun so: the noun is so."""
    be, determiner, noun, *rest = words
    return stated(exchange, f"{determiner} {noun}", be, " ".join(rest))


def of_pronoun(exchange: Exchange, words: list[str]) -> Derived:
    """The same of what stands in a pronoun's place after coreference."""
    be, _, *rest = words
    return stated(exchange, exchange.subject(be, " ".join(rest)), be, " ".join(rest))


def where_resolved(apply: Apply) -> Apply:
    """A rule for questions in which coreference replaced a pronoun."""

    def applied(exchange: Exchange) -> Derived | None:
        resolved = "PRON" in exchange.tags and exchange.resolved != exchange.question
        return apply(exchange) if resolved else None

    return applied


def is_noun_adj(exchange: Exchange, words: list[str]) -> Derived:
    be, *rest = words
    if len(words) == 3:
        rest = ["the", *rest]
    elif rest[0] == "any":
        rest = ["some", *rest[1:]]
    return of_noun(exchange, [be, *rest])


def adj_or_adj(exchange: Exchange, words: list[str]) -> Derived:
    be, determiner, noun, first, conjunction, second = words
    named = [word for word in (first, second) if word in exchange.answer.split()]
    if not named or conjunction != "or":
        return UNDECIDED
    return nonpolar(f"{determiner} {noun} {be} {named[0]}", f"{determiner} {noun} {be} not {named[0]}")


def is_np_np(exchange: Exchange) -> Derived | None:
    if not exchange.tags.startswith("AUX DET NOUN DET"):
        return None
    words = exchange.question.split()
    if len(words) < 3:
        return OTHER_WORDS
    if "or" not in exchange.question:
        return of_noun(exchange, words)
    if len(exchange.answer.split()) != 1:
        return UNDECIDED
    be, determiner, noun, *_ = words
    answer = with_article(exchange.answer)
    return nonpolar(f"{determiner} {noun} {be} {answer}", f"{determiner} {noun} {be} not {answer}")


IS_NOUN_ADJ = Rule(
    "is_noun_adj",
    "question",
    "is/are + noun + adjective or adverb: the X is Y / the X is not Y",
    tagged(is_noun_adj, "AUX NOUN ADJ", "AUX DET NOUN ADJ", "AUX DET NOUN ADV ADJ", "AUX DET NOUN ADV"),
    """
    are the goats big | yes | the goats are big. | the goats are not big.
    is the gate very old | no it's not | the gate is not very old. | the gate is very old.
    are radishes large | no, small | the radishes are not large. | the radishes are large.
    are any boats visible | no | some boats are not visible. | some boats are visible.
    is the goat outside | yes | the goat is outside. | the goat is not outside.
    is the gate open | no gate in the picture | the gate is not open. | the gate is open.
    is the gate open | halfway | nothing
    is the old gate open | yes | no match
    is the clown's wig big | yes | no match
    is the goat big or small | big | no match
    is it big | yes | no match
    """,
)
NOUN_PREP_NOUN = Rule(
    "noun_prep_noun",
    "question",
    "is/are + noun + preposition + noun: the X is on the Y / the X is not on the Y",
    tagged(of_noun, "AUX DET NOUN ADP DET NOUN", "AUX DET NOUN ADP NOUN"),
    """
    is the goat on the roof | yes | the goat is on the roof. | the goat is not on the roof.
    are the boats in water | no | the boats are not in water. | the boats are in water.
    is the clown on a ladder | yes he is | the clown is on a ladder. | the clown is not on a ladder.
    is the goat on the roof | in the barn | nothing
    is the goat near the old barn | yes | no match
    is he on the roof | yes | no match
    """,
)
NOUN_NOUN = Rule(
    "noun_noun",
    "question",
    "is/are + noun + noun: the X are Y / the X are not Y",
    tagged(of_noun, "AUX DET NOUN NOUN"),
    """
    are the riders clowns | no | the riders are not clowns. | the riders are clowns.
    are the owls statues | yes | the owls are statues. | the owls are not statues.
    are the riders clowns | farmers | nothing
    are the riders farm workers | yes | no match
    is the rider a clown | yes | no match
    """,
)
ADJ_OR_ADJ = Rule(
    "adj_or_adj",
    "question",
    "is/are + noun + adjective or adjective, one of which the answer names: the X is Y / the X is not Y",
    tagged(adj_or_adj, "AUX DET NOUN ADJ CCONJ ADJ"),
    """
    is the barn old or new | it looks new | the barn is new. | the barn is not new.
    are the goats large or small | small | the goats are small. | the goats are not small.
    is the barn old or new | neither | nothing
    is the barn old and large | old | nothing
    is it old or new | new | no match
    is the barn old | yes | no match
    """,
)
IS_NP_NP = Rule(
    "is_np_np",
    "question",
    "is/are + noun + a noun phrase: the X is a Y / the X is not a Y; of `a Y or a Z` the answer, if it is one word",
    is_np_np,
    """
    is the rider a clown | no | the rider is not a clown. | the rider is a clown.
    is the boat an old canoe | yes | the boat is an old canoe. | the boat is not an old canoe.
    is the rider a clown or a farmer | farmer | the rider is a farmer. | the rider is not a farmer.
    is the rider a clown or a farmer | a farmer | nothing
    is the rider a clown | a farmer | nothing
    is he a clown | yes | no match
    is the rider old | yes | no match
    """,
)
VERB_PRON_ADJ = Rule(
    "verb_pron_adj",
    "question after coreference",
    "is/are + pronoun + adjective: the X is old / is not old",
    where_resolved(tagged(of_pronoun, "AUX PRON ADJ")),
    """
    is he old -> is the clown on the pier old | yes | the clown on the pier is old. | the clown on the pier is not old.
    are they big -> are the goats big | no | the goats are not big. | the goats are big.
    is he old -> is the clown old | a bit | nothing
    is he old | yes | no match
    is he old or young -> is the clown old or young | old | no match
    is the clown old | yes | no match
    """,
)
PRON_PREP = Rule(
    "pron_prep",
    "question after coreference",
    "is/are + pronoun + preposition + noun: the X is on the Y / is not on the Y",
    where_resolved(tagged(of_pronoun, "AUX PRON ADP DET NOUN")),
    """
    is he on the pier -> is the clown on the pier | yes | the clown is on the pier. | the clown is not on the pier.
    are they in a barn -> are the goats in a barn | no | the goats are not in a barn. | the goats are in a barn.
    is he on the pier -> is the clown on the pier | in a boat | nothing
    is he on the pier | yes | no match
    is the clown on the pier | yes | no match
    """,
)
