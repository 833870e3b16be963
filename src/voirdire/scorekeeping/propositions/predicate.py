"""What a thing is, how and where: is_noun_adj, noun_prep_noun, noun_noun, is_np_np and others, also of pronouns."""

from collections.abc import Sequence
from dataclasses import replace

from voirdire.scorekeeping.propositions.english import NP, PatternMatch, agreeing, codes, definite, find, head_of, join
from voirdire.scorekeeping.propositions.rule import Derived, Exchange, Rule, nonpolar, polar
from voirdire.text.tagging import Token

_ADJECTIVE = rf"A*[JE](?:CA*[JE])?(?:(?:P|t){NP})?"
_PLACE = rf"A?P+t?(?:{NP}|N)(?:[PC]{NP})?"
_SEEN = frozenset({"visible", "present", "shown"})
_PRONOUN = frozenset({"he", "she", "it", "they", "these", "those", "this", "that"})


def resolved_subject(exchange: Exchange) -> tuple[list[Token], list[Token]] | None:
    """The question as it was asked but for its subject, and what the pronoun that this is stands for.

    None where the subject is no pronoun, or coreference left the question as it was. `is he on it` after coreference,
    `is the clown on the ladder`, gives the tokens of `is he on the ladder` and of `the clown`; the verb agrees with the
    clown.
    """
    if not exchange.changed:
        return None
    asked, after = exchange.question_tokens, exchange.resolved_tokens
    if len(asked) < 3 or asked[1].text not in _PRONOUN or asked[1].pos == "DET":
        return None
    rest = next((place for place in range(2, len(after)) if after[place].text == asked[2].text), None)
    if rest is None or not after[1:rest]:
        return None
    subject = after[1:rest]
    verb = asked[0]
    if len(subject) > 1:
        verb = replace(verb, text=agreeing(verb.text, [token.text for token in subject], codes(subject)))
    return [verb, asked[1], *after[rest:]], subject


def statement(exchange: Exchange, found: PatternMatch, subject: Sequence[Token] = ()) -> Derived:
    """Subject, verb and predicate in the order of a statement, and with `not`.

    subject  what the pronoun that the subject is stands for
    """
    words, letters = [token.text for token in subject] or found.words("s"), codes(subject) or found.codes["s"]
    text, be, rest = join(words) if subject else definite(words, letters), found["b"], found["p"]
    # What is not there is not visible either.
    of = "" if rest in _SEEN else head_of(words, letters)
    if words[0] == "any":
        text = text.removeprefix("any ")
        return polar(exchange, f"some {text} {be} {rest}", f"no {text} {be} {rest}", there=True)
    return polar(exchange, f"{text} {be} {rest}", f"{text} {be} not {rest}", of=of)


_UNDECIDED = Derived(None, "the answer names neither of the two, or both, or what it is not")


def _one_of_two(exchange: Exchange, found: PatternMatch, first: str, second: str) -> str | None:
    """Which of two parts of a question the answer names by its last word, if it is one and is not denied."""
    words = exchange.answer.split()
    named = [name for name in (first, second) if found.words(name)[-1] in words]
    return named[0] if len(named) == 1 and "not" not in words else None


def is_noun_adj(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<b>B)(?P<s>{NP})(?P<p>{_ADJECTIVE})", exchange.question_tokens)
    return None if found is None or "or" in found.words("p") else statement(exchange, found)


def noun_prep_noun(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<b>B)(?P<s>(?=D){NP})(?P<p>{_PLACE})", exchange.question_tokens)
    return None if found is None else statement(exchange, found)


def noun_noun(exchange: Exchange) -> Derived | None:
    found = find(r"(?P<b>B)(?P<s>D(?:J|#)*N)(?P<p>(?:A?J)*N+)", exchange.question_tokens)
    return None if found is None else statement(exchange, found)


def is_np_np(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<b>B)(?P<s>{NP})(?P<p>(?=D){NP})(?:(?P<c>C)(?P<q>{NP}))?", exchange.question_tokens)
    if found is None:
        return None
    if not found.words("c"):
        return statement(exchange, found)
    named = _one_of_two(exchange, found, "p", "q")
    if named is None or found["c"] != "or":
        return _UNDECIDED
    subject, choice = definite(found.words("s"), found.codes["s"]), found[named]
    if not found.codes[named].startswith("D"):
        choice = f"{found.words('p')[0]} {choice}"
    return nonpolar(f"{subject} {found['b']} {choice}", f"{subject} {found['b']} not {choice}")


def adj_or_adj(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<b>B)(?P<s>{NP}|R)(?P<x>A*[JE])(?P<c>C)(?P<y>A*[JE])", exchange.question_tokens)
    if found is None or found["c"] != "or":
        return None
    named = _one_of_two(exchange, found, "x", "y")
    if named is None:
        return _UNDECIDED
    subject, be = definite(found.words("s"), found.codes["s"]), found["b"]
    return nonpolar(f"{subject} {be} {found[named]}", f"{subject} {be} not {found[named]}")


def _of_pronoun(exchange: Exchange, predicate: str) -> Derived | None:
    parted = resolved_subject(exchange)
    if parted is None:
        return None
    tokens, subject = parted
    found = find(rf"(?P<b>B)(?P<s>R)(?P<p>{predicate})", tokens)
    if found is None or "or" in found.words("p"):
        return None
    return statement(exchange, found, subject)


def verb_pron_adj(exchange: Exchange) -> Derived | None:
    return _of_pronoun(exchange, _ADJECTIVE)


def pron_prep(exchange: Exchange) -> Derived | None:
    return _of_pronoun(exchange, _PLACE)


IS_NOUN_ADJ = Rule(
    "is_noun_adj",
    "question",
    "is/are + noun phrase + adjective: the X is Y / the X is not Y",
    is_noun_adj,
    """
    are the goats big | yes | the goats are big. | the goats are not big.
    is the old gate painted | no it's not | the old gate is not painted. | the old gate is painted.
    are radishes large | no, small | the radishes are not large. | the radishes are large.
    are any boats visible | no | no boats are visible. | some boats are visible.
    is the clown's wig orange | no | the clown's wig is not orange. | the clown's wig is orange.
    is the goat's tail long | yes | the goat's tail is long. | the goat's tail is not long.
    is the gate open | it is partly open | the gate is open. | the gate is not open.
    are the goats woolly | yes | the goats are woolly. | the goats are not woolly.
    is the gate open | halfway | nothing
    is the gate open | it is hardly ever open now | nothing
    is the gate open | no gate in the picture | nothing
    is the gate open | no the gate is not open | the gate is not open. | the gate is open.
    is the gate visible | no gate | the gate is not visible. | the gate is visible.
    is the gate open | it is a closed gate | nothing
    is the gate open | not visible | nothing
    is the goat big or small | big | no match
    is the goat in the barn | yes | no match
    is it big | yes | no match
    """,
)
NOUN_PREP_NOUN = Rule(
    "noun_prep_noun",
    "question",
    "is/are + noun phrase with a determiner + preposition + noun phrase: the X is on the Y / is not on the Y",
    noun_prep_noun,
    """
    is the owl on the roof | yes | the owl is on the roof. | the owl is not on the roof.
    are the goats in a pen | no | the goats are not in a pen. | the goats are in a pen.
    is the ladder next to the barn | yes | the ladder is next to the barn. | the ladder is not next to the barn.
    is the owl on the roof | beside it | nothing
    is turnips on plate | no | no match
    is the owl asleep | no | no match
    """,
)
NOUN_NOUN = Rule(
    "noun_noun",
    "question",
    "is/are + noun phrase + noun without a determiner: the X are Y / are not Y",
    noun_noun,
    """
    are the visitors farmers | yes | the visitors are farmers. | the visitors are not farmers.
    is the fence metal | no | the fence is not metal. | the fence is metal.
    are the goats mountain goats | yes | the goats are mountain goats. | the goats are not mountain goats.
    is the fence metal | more like wood | nothing
    is the fence a gate | yes | no match
    are there farmers | yes | no match
    """,
)
IS_NP_NP = Rule(
    "is_np_np",
    "question",
    "is/are + noun phrase + noun phrase with a determiner: the X is a Y / is not a Y; of two the one in the answer",
    is_np_np,
    """
    is the rider a farmer | yes | the rider is a farmer. | the rider is not a farmer.
    is the boat a canoe | no | the boat is not a canoe. | the boat is a canoe.
    is the child a boy or a girl | a girl | the child is a girl. | the child is not a girl.
    is the child a boy or girl | girl i think | the child is a girl. | the child is not a girl.
    is the child a boy or a girl | yes | nothing
    is the child a boy or a girl | not a boy | nothing
    is the rider on a camel | yes | no match
    is it a camel | yes | no match
    """,
)
ADJ_OR_ADJ = Rule(
    "adj_or_adj",
    "question",
    "is/are + subject + adjective or adjective: of the two the one in the answer, the X is Y / is not Y",
    adj_or_adj,
    """
    is the goat big or small | small | the goat is small. | the goat is not small.
    are the doors open or closed | they are open | the doors are open. | the doors are not open.
    is it new or old | pretty old | it is old. | it is not old.
    is the pond square or round | round | the pond is round. | the pond is not round.
    is the goat big or small | yes | nothing
    is it wood or metal | metal | no match
    is the goat big and small | yes | no match
    """,
)
VERB_PRON_ADJ = Rule(
    "verb_pron_adj",
    "question after coreference",
    "is/are + pronoun + adjective: the X is Y / the X is not Y",
    verb_pron_adj,
    """
    is he old -> is the clown old | yes | the clown is old. | the clown is not old.
    are they tame -> are the herd of goats tame | no | the herd of goats are not tame. | the herd of goats are tame.
    are they tall -> are the rider tall | yes | the rider is tall. | the rider is not tall.
    is it dusty -> is the barn dusty | yes | the barn is dusty. | the barn is not dusty.
    is he old -> is the clown old | middle aged | nothing
    is it dusty -> is the barn dusty | no barn | nothing
    is it dusty | yes | no match
    is the clown old | yes | no match
    is he old or young | old | no match
    """,
)
PRON_PREP = Rule(
    "pron_prep",
    "question after coreference",
    "is/are + pronoun + preposition + noun phrase: the X is on the Y / is not on the Y",
    pron_prep,
    """
    are they on the pier -> are the clowns on the pier | yes
        | the clowns are on the pier. | the clowns are not on the pier.
    is she near it -> is the rider near the barn | no
        | the rider is not near the barn. | the rider is near the barn.
    is it in a barn -> is the owl in a barn | yes | the owl is in a barn. | the owl is not in a barn.
    is it in a barn -> is the owl in a barn | beside one | nothing
    is it in a barn | yes | no match
    is the goat in a barn | yes | no match
    is it in a barn or a shed | a shed | no match
    """,
)
