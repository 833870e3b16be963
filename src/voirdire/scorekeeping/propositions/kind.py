"""What sort of thing it is: what_kind, is_it."""

import re

from voirdire.scorekeeping.propositions.english import codes, is_plural, noun_phrase, with_article
from voirdire.scorekeeping.propositions.rule import Derived, Exchange, Rule, nonpolar, polar

LONGEST = 2
_KIND = re.compile(r"(?:.* )?(?:what|which)(?:'s| is)? ?(?:the )?(?:kind|type|kinds|types)(?: of)? (?P<rest>.+)")
# Things whose kinds are things of their own: a poodle, a canoe. A floor is oak.
_KINDS_OF_ONE = frozenset(
    {"animal", "dog", "bird", "cat", "vehicle", "building", "room", "boat", "plane", "car", "tree", "flower", "fruit"}
)
_CLAUSE = re.compile(r" (?:is|are|was|were|do|does|did|can|has|have|would|that|on|in|at|with)\b.*")
_IS_IT = re.compile(r"is it (?=an? )")


def what_kind(exchange: Exchange) -> Derived | None:
    match = _KIND.fullmatch(exchange.question)
    if match is None:
        return None
    if len(exchange.answer.split()) > LONGEST:
        return Derived(None, f"the answer has more than {LONGEST} words")
    if exchange.polarity is not None:
        return Derived(None, "the answer names no kind")
    what = _CLAUSE.sub("", match["rest"])
    tokens = exchange.tagger.tag(what)
    letters = codes(tokens)
    if not re.fullmatch("D?J*N+", letters):
        return Derived(None, "what follows names no thing")
    answer_letters = codes(exchange.answer_tokens)
    if not re.fullmatch("A?[JNEDGV#]+", answer_letters):
        return Derived(None, "the answer names no kind")
    words = [token.text for token in tokens]
    text = " ".join(words[1:] if letters[0] == "D" else words)
    be = "are" if is_plural(words[-1]) else "is"
    answer, answered = exchange.answer, [token.text for token in exchange.answer_tokens]
    if re.fullmatch("[JE]*N+", answer_letters) and (answered[-1] == words[-1] or words[-1] in _KINDS_OF_ONE):
        answer = with_article(answer, answered[-1])
    return nonpolar(f"the {text} {be} {answer}", f"the {text} {be} not {answer}")


def is_it(exchange: Exchange) -> Derived | None:
    match = _IS_IT.match(exchange.question)
    if match is None or re.search(r"\bor\b", exchange.question):
        return None
    found = noun_phrase(exchange.tagger.tag(exchange.question[match.end() :]))
    if found is None:
        return Derived(None, "what follows names no thing")
    return polar(exchange, f"there is {found.seen()}", f"there is not {found.seen()}")


WHAT_KIND = Rule(
    "what_kind",
    "question",
    "what kind of X, what type of X, and an answer of one or two words: the X is Y / the X is not Y",
    what_kind,
    """
    what kind of floor is it | wooden | the floor is wooden. | the floor is not wooden.
    what type of boats are they | small canoes | the boats are small canoes. | the boats are not small canoes.
    what kind of bird | a heron | the bird is a heron. | the bird is not a heron.
    what kind of bird is it | heron | the bird is a heron. | the bird is not a heron.
    what kind of gate is it | barn gate | the gate is a barn gate. | the gate is not a barn gate.
    what kind of toys | barn owls | the toys are barn owls. | the toys are not barn owls.
    what kind of boat is it | a very old one | nothing
    what kind of boat is it | no | nothing
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
    is it a barn | more of a shed | nothing
    is it a barn or a shed | a shed | no match
    is it barn | yes | no match
    is the shed a barn | no | no match
    """,
)
