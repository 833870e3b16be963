"""What is there to be seen: can_you_see, there, any_, noun_, male/female, no_people, and what a caption says is there.

A caption says it of its nouns, and of its nouns with their adjectives, in their order:

    a black cat sleeps on a park bench   ->   one can see a black cat, there is a cat, there is a bench

A noun counts where no noun governs it: not `park` in `park bench`, not `bowls` in `plates and bowls`, and not what the
caption is all about, as `cat` in `a cat on a bench`, which governs itself. An adjective counts where a noun governs it.
"""

from collections.abc import Sequence

from voirdire.scorekeeping.propositions.english import is_plural, with_article
from voirdire.scorekeeping.propositions.rule import NO_THING, Derived, Exchange, Pair, Rule, nonpolar, polar, tagged
from voirdire.text.tagging import Token

CAPTION = "caption"
"""The rule of captions."""
_ELSE = (["anything", "else"], ["anyone", "else"])
_ANYONE = ("anyone", "anything")


def _some(words: list[str]) -> tuple[list[str], list[str]]:
    """Words that begin with `anyone` or `anything`: after `is`, and after `no`."""
    first, *rest = words
    return [first.replace("any", "some"), *rest], [first.replace("any", ""), *rest]


def can_you_see(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith(("can you see", "do you see")):
        return None
    thing = exchange.resolved.split()[3:]
    if thing and thing[0] in ("a", "an", "any", "the"):
        thing = thing[1:]
    if not thing or thing in _ELSE:
        return NO_THING
    seen, unseen = thing, thing
    if thing[0] in _ANYONE:
        seen, unseen = _some(thing)
    elif thing[0] != "other" and not is_plural(thing[0]):
        seen = [with_article(thing[0]), *thing[1:]]
    return polar(exchange, f"one can see {' '.join(seen)}", f"one cannot see any {' '.join(unseen)}")


def there(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith(("are there", "is there")):
        return None
    be, thing = exchange.question.split()[0], exchange.resolved.split()[2:]
    if thing[:2] in _ELSE:
        return NO_THING
    if thing[:1] == ["any"]:
        thing = thing[1:]
    if not thing:
        return NO_THING
    present, absent = thing, thing
    if thing[0] in _ANYONE:
        present, absent = _some(thing)
    elif be == "is" and thing[0] in ("a", "an"):
        absent = thing[1:]
    return polar(exchange, f"there {be} {' '.join(present)}", f"there {be} no {' '.join(absent)}")


def any_(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith("any "):
        return None
    thing = exchange.resolved.replace("any ", "")
    noun = thing.partition(" ")[0]
    if noun in ("", "other"):
        return NO_THING
    if is_plural(noun):
        return polar(exchange, f"there are {thing}", f"there are no {thing}")
    return polar(exchange, f"there is {with_article(thing)}", f"there is no {thing}")


def _there_is(noun: str) -> tuple[str, str]:
    """That there is such a thing, and that there is none."""
    if is_plural(noun):
        return f"there are {noun}", f"there are no {noun}"
    return f"there is {with_article(noun)}", f"there is no {noun}"


def noun_(exchange: Exchange, words: list[str]) -> Derived:
    return polar(exchange, *_there_is(words[0]))


def noun_answer(exchange: Exchange) -> Derived | None:
    if [token.pos for token in exchange.answer_tokens] != ["NOUN"]:
        return None
    yes, no = _there_is(exchange.answer)
    return Derived(Pair(f"{yes}.", f"{no}.", "positive"))


def male_female(exchange: Exchange) -> Derived | None:
    if exchange.answer not in ("male", "female", "man", "woman"):
        return None
    return nonpolar(f"there is a {exchange.answer}", f"there is no {exchange.answer}")


def no_people(exchange: Exchange) -> Derived | None:
    if not exchange.answer.startswith("no people"):
        return None
    return nonpolar("there are no people", "there are people")


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


CAN_YOU_SEE = Rule(
    "can_you_see",
    "question after coreference",
    "can you see X, do you see X: one can see X / one cannot see any X",
    can_you_see,
    """
    can you see a ladder | yes | one can see a ladder. | one cannot see any ladder.
    do you see the lamp | no | one cannot see any lamp. | one can see a lamp.
    do you see any goats | no goats | one cannot see any goats. | one can see goats.
    can you see owls in the barn | yes 2 | one can see owls in the barn. | one cannot see any owls in the barn.
    can you see its hat -> can you see the clown's hat | yes
        | one can see clown's hat. | one cannot see any clown's hat.
    can you see snow | yes | one can see a snow. | one cannot see any snow.
    can you see another goat | no | one cannot see any another goat. | one can see an another goat.
    can you see owls or bats | no | one cannot see any owls or bats. | one can see owls or bats.
    do you see anything on the pier | no | one cannot see any thing on the pier. | one can see something on the pier.
    can you see a ladder | not in this photo | one cannot see any ladder. | one can see a ladder.
    can you see anyone else | no | nothing
    do you see any | no | nothing
    can you see kites | i see a balloon | nothing
    what can you see | a ladder | no match
    is there a ladder | yes | no match
    """,
)
THERE = Rule(
    "there",
    "question after coreference",
    "is there X, are there X: there is X / there is no X",
    there,
    """
    are there any turnips | yes | there are turnips. | there are no turnips.
    is there a pond in the yard | no | there is no pond in the yard. | there is a pond in the yard.
    is there tall corn | 0 | there is no tall corn. | there is tall corn.
    is there anyone on the pier | no | there is no one on the pier. | there is someone on the pier.
    are there many boats | nope | there are no many boats. | there are many boats.
    is there clouds | yes | there is clouds. | there is no clouds.
    are there a lot of boats | no | there are no a lot of boats. | there are a lot of boats.
    is there the sky | yes | there is the sky. | there is no the sky.
    is there a hen there | no | there is no hen there. | there is a hen there.
    are there hens | i do not see any | there are no hens. | there are hens.
    are there hens | a duck | nothing
    is there anything else | yes | nothing
    is there | yes | nothing
    how many hens are there | 2 | no match
    is the hen there | no | no match
    """,
)
ANY = Rule(
    "any_",
    "question after coreference",
    "any X, but not any other X: there are X / there are no X",
    any_,
    """
    any boats | no | there are no boats. | there are boats.
    any flags on the mast | yes, 2 | there are flags on the mast. | there are no flags on the mast.
    any moonlight | yes | there is a moonlight. | there is no moonlight.
    any small boats | no | there is no small boats. | there is a small boats.
    any boats | a canoe | nothing
    any other boats | no | nothing
    are there any boats | no | no match
    """,
)
NOUN = Rule(
    "noun_",
    "question",
    "one noun: there is a X / there is no X",
    tagged(noun_, "NOUN"),
    """
    goats | yes | there are goats. | there are no goats.
    ladder | no | there is no ladder. | there is a ladder.
    goats | sheep | nothing
    angry goats | no | no match
    are there goats | no | no match
    """,
)
NOUN_ANSWER = Rule(
    "noun_",
    "answer",
    "the answer is one noun: there is a X / there is no X",
    noun_answer,
    """
    what is on the roof | owls | there are owls. | there are no owls.
    how tall is the pier | ladder | there is a ladder. | there is no ladder.
    what is on the roof | an owl | no match
    what is on the roof | it | no match
    is the goat on the roof | no | no match
    """,
)
MALE_FEMALE = Rule(
    "male/female",
    "answer",
    "the answer is male, female, man or woman: there is a woman / there is no woman",
    male_female,
    """
    is the rider male or female | female | there is a female. | there is no female.
    who rides the camel | man | there is a man. | there is no man.
    what gender is the rider | Woman. | there is a woman. | there is no woman.
    is the rider male or female | child | no match
    is the rider male or female | a man | no match
    """,
)
NO_PEOPLE = Rule(
    "no_people",
    "answer",
    "the answer starts with no people: there are no people / there are people",
    no_people,
    """
    how many people are there | no people | there are no people. | there are people.
    who is on the pier | no people at all | there are no people. | there are people.
    how crowded is it | no people that i can see | there are no people. | there are people.
    how many people are there | 2 people | no match
    how crowded is it | not many people | no match
    """,
)
