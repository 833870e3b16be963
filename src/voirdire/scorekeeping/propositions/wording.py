"""The wording of what the rules make: as the rules' authors have it, or in corrected English.

authors    as the rules made it, but for `anything`, `nothing` and water, which is not counted
corrected  number, articles and determiners mended behind the rules, which it knows nothing of:

           there is boats / no boats               there are boats / no boats
           one can see a snow / not any snow       one can see snow / not any snow
           there are many boats / no many boats    there are many boats / not many boats
           the a goat is old / is not old          the goat is old / is not old
           the barn has any doors / not any doors  the barn has doors / not any doors
"""

import re
from dataclasses import dataclass
from typing import Literal

from voirdire.scorekeeping.propositions.english import is_plural, third_person, with_article, word_list
from voirdire.scorekeeping.propositions.rule import Pair
from voirdire.text.tagging import Tagger

Wording = Literal["authors", "corrected"]

_PLURALS, _SINGULARS, _MASS = word_list("plural"), word_list("singular"), word_list("mass")
# Words after which a phrase says how many, or whose: it takes no article and is denied as a whole.
_AMOUNTS = word_list("amount") | {"his", "her", "their", "its", "my", "your", "our"}
# Of these there is one.
_UNIQUE = frozenset({"sky", "sun", "ground", "moon", "horizon", "background", "foreground", "rest", "same"})
_ARTICLES = frozenset({"a", "an", "the", "any", "some"})
_DENIED = re.compile(r"\b(?:no|not|cannot)\b")
_THERE = re.compile(r"there (?P<be>is|are) (?P<thing>.+)\.")
_SEE = re.compile(r"one can see (?P<thing>.+)\.")
_BE = re.compile(r"(?P<subject>.+?) (?P<be>is|are) not (?P<rest>.+)\.")
_DO = re.compile(r"(?P<subject>.+?) (?P<do>does|do) not (?P<verb>\w+) ?(?P<rest>.*)\.")


def worded(pair: Pair, wording: Wording, tagger: Tagger) -> Pair:
    """A pair in that wording."""
    if wording == "authors":
        return Pair(_replaced(pair.entailment), _replaced(pair.contradiction), pair.qa_fact)
    turned = bool(_DENIED.search(pair.entailment)) and not _DENIED.search(pair.contradiction)
    yes, no = (pair.contradiction, pair.entailment) if turned else (pair.entailment, pair.contradiction)
    yes, no = (_as_pronouns(text) for text in _corrected(yes, no, tagger))
    return Pair(no, yes, pair.qa_fact) if turned else Pair(yes, no, pair.qa_fact)


def _replaced(text: str) -> str:
    """The few replacements that the authors make, to the letter: of `a water bottle`, too."""
    return _as_pronouns(text).replace("a water", "water")


def _as_pronouns(text: str) -> str:
    return text.replace("any thing", "anything").replace("no thing", "nothing")


@dataclass(frozen=True, slots=True)
class _Thing:
    """A phrase that names a thing.

    text   without its article
    head   its noun
    fixed  whether it stays as it is: `many boats`, `his hat`, `the sky`
    """

    text: str
    head: str
    fixed: bool

    @property
    def plural(self) -> bool:
        if self.head in _PLURALS or self.head in _SINGULARS:
            return self.head in _PLURALS
        return self.head not in _MASS and is_plural(self.head) and not self.head.endswith("ss")

    def seen(self) -> str:
        """As something that is there: `a fridge`, `people`."""
        return self.text if self.fixed or self.plural or self.head in _MASS else with_article(self.text)

    def unseen(self) -> str:
        """As something that is not there, after a negated verb: `any fridge`."""
        return self.text if self.fixed else f"any {self.text}"


def _thing(text: str, tagger: Tagger) -> _Thing | None:
    """The phrase as a thing, or None where it has no noun."""
    words = text.split()
    while len(words) > 1 and words[0] in _ARTICLES and words[:3] not in (["a", "lot", "of"], ["a", "couple", "of"]):
        words = words[1:]
    if words[0] in ("something", "someone"):
        return None
    nouns = [token.pos in ("NOUN", "PROPN") for token in tagger.tag(words)]
    first = 3 if words[1:3] in (["lot", "of"], ["couple", "of"]) else 0
    start = next((place for place in range(first, len(words)) if nouns[place]), None)
    if start is None:
        return None
    end = next((place for place in range(start, len(words)) if not nouns[place]), len(words))
    head, rest = words[end - 1], " ".join(words)
    if head in _UNIQUE and start == 0:
        return _Thing(f"the {rest}", head, True)
    return _Thing(rest, head, first > 0 or words[0] in _AMOUNTS or words[0].isdigit())


def _corrected(yes: str, no: str, tagger: Tagger) -> tuple[str, str]:
    """What a `yes` affirms and what a `no` does, mended; as they were where their form is another."""
    for pattern, mend in ((_THERE, _there), (_SEE, _see)):
        if (match := pattern.fullmatch(yes)) and (thing := _thing(match["thing"], tagger)):
            return mend(thing, no)
    if match := _DO.fullmatch(no):
        return _doing(match, tagger)
    return _being(match, tagger) if (match := _BE.fullmatch(no)) else (yes, no)


def _there(thing: _Thing, no: str) -> tuple[str, str]:
    be = "are" if thing.plural else "is"
    whole = thing.fixed or no.startswith(f"there {be} not ")
    return f"there {be} {thing.seen()}.", f"there {be} {f'not {thing.seen()}' if whole else f'no {thing.text}'}."


def _see(thing: _Thing, no: str) -> tuple[str, str]:
    unseen = thing.unseen() if no.startswith("one cannot see any ") else thing.seen()
    return f"one can see {thing.seen()}.", f"one cannot see {unseen}."


def _subject(text: str, tagger: Tagger) -> tuple[str, bool | None]:
    """A subject with one determiner, and whether it is plural; None where that is not known."""
    words = text.split()
    if words[0] == "the" and len(words) > 2 and (words[1] in _ARTICLES or words[1] in _AMOUNTS):
        words = words[1:] if words[1] in _AMOUNTS else ["the", *words[2:]]
    thing = None if "and" in words or words[0] in ("it", "they") else _thing(" ".join(words), tagger)
    return " ".join(words), thing.plural if thing else None


def _being(match: re.Match[str], tagger: Tagger) -> tuple[str, str]:
    subject, plural = _subject(match["subject"], tagger)
    be, rest = match["be"] if plural is None else ("is", "are")[plural], match["rest"]
    affirmed = f"{subject} {be} {_affirmed(rest, tagger)}."
    if subject.startswith("some "):
        return affirmed, f"no {subject.removeprefix('some ')} {be} {rest}."
    return affirmed, f"{subject} {be} not {rest}."


def _doing(match: re.Match[str], tagger: Tagger) -> tuple[str, str]:
    subject, plural = _subject(match["subject"], tagger)
    do, verb, rest = match["do"] if plural is None else ("does", "do")[plural], match["verb"], match["rest"]
    form = third_person(verb) if do == "does" else verb
    return (
        f"{subject} {form} {_affirmed(rest, tagger)}".rstrip() + ".",
        f"{subject} {do} not {verb} {rest}".rstrip() + ".",
    )


def _affirmed(rest: str, tagger: Tagger) -> str:
    """What follows a verb that is not denied: without `any`."""
    before, any_, after = f" {rest}".rpartition(" any ")
    thing = _thing(after, tagger) if any_ else None
    return f"{before} {thing.seen()}".strip() if thing else rest
