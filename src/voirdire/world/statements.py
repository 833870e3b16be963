"""What a statement means: a yes/no question, and whether yes makes the statement true.

    the dog is not brown        is the dog brown, no
    one can see a table         can you see a table, yes
    there are no people         are there people, no

Statements are those that propositions of dialogues have: a question of the grammar turned round. So a statement is
turned back, in each way that it may have come about, and the first question that the grammar knows is what it means.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from voirdire.world.meaning import YES_NO, Meaning
from voirdire.world.understand import understand

_NUMBER = re.compile(r"\bthe (?:two|three|four|five|six|seven|eight|nine|ten) ")
_COPULA = re.compile(r"^(?P<subject>.+?) (?P<verb>is|are|was|were) (?P<rest>.+)$")
_VERBS = {"shows": "show", "looks": "look", "has": "have", "wears": "wear", "holds": "hold"}
_VERB = re.compile(rf"^(?P<subject>.+?) (?P<verb>{'|'.join((*_VERBS, *_VERBS.values()))}) (?P<rest>.+)$")


class Statement(NamedTuple):
    """A yes/no question, and which answer makes the statement true."""

    meaning: Meaning
    positive: bool


@lru_cache(maxsize=65536)
def read_statement(text: str) -> Statement | None:
    """What a sentence states, or None where the grammar could not have asked it."""
    plain = _NUMBER.sub("the ", text.strip().rstrip(".").lower())
    for question, positive in _questions(plain):
        meaning = understand(question)
        if meaning is not None and meaning.kind in YES_NO:
            return Statement(meaning, positive)
    return None


def _questions(text: str) -> Iterator[tuple[str, bool]]:
    """The questions that a sentence may answer, and whether with yes."""
    for start in ("one can see ", "one cannot see ", "one can not see "):
        if text.startswith(start):
            seen = text.removeprefix(start)
            for phrase in (seen, re.sub("^any ", "a ", seen)):
                yield f"can you see {phrase}", start == "one can see "
    if there := re.match(r"^there (is|are) (no |not )?(.+)$", text):
        verb, denied, rest = there.groups()
        article = "a " if verb == "is" and denied == "no " else ""
        for phrase in (rest, f"{article}{rest}"):
            yield f"{verb} there {phrase}", not denied
        # A place is there where it is a place: is it a beach?
        yield f"is this {article}{rest}", not denied
    if found := re.match(r"^(.+?) (?:does|do) not (.+)$", text):
        yield f"does {found[1]} {found[2]}", False
    if found := _COPULA.match(text):
        subject, verb, rest = found.groups()
        denied = rest.startswith("not ")
        rest = rest.removeprefix("not ")
        yield f"{verb} {subject} {rest}", not denied
        # The place is tennis court: what kind of place is this?
        yield f"is this a {rest}", not denied
    if found := _VERB.match(text):
        subject, verb, rest = found.groups()
        yield f"does {subject} {_VERBS.get(verb, verb)} {rest}", True
