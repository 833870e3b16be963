"""A dialogue so far: its turns, and the things that their noun phrases name.

A thing is an `Entity` with all its mentions. `link` decides for each new phrase whether it names a thing that is known:

    the same head             a dog … the dog, any dogs … two dogs; not `another dog`
    the only one of its kind  a man … the person, a group of surfers … how many people, two gulls … the birds
    what a person is          is the skater a man? yes; male or female? female: no new person, but a gender
    what `it` or `they` are   is it a kitten: the kitten is no new thing
"""

from dataclasses import dataclass, field

from voirdire.text.coreference import TokenSpan
from voirdire.text.coreference.noun_phrases import Kind, Number, Phrase

_GENDERS = frozenset({"man", "woman", "boy", "girl", "male", "female", "guy", "lady"})
_PRONOUNS = {"man": "he", "woman": "she"}
_EXISTENCE = frozenset({"there", "see", "any", "anyone", "visible", "else", "many"})
_POSSESSION = frozenset({"have", "has", "wearing", "holding", "carrying", "with"})
_DENIALS = frozenset({"no", "nope", "not", "none", "nothing", "0", "nobody"})


@dataclass(eq=False, slots=True)
class Entity:
    """A thing.

    mentions  the spans that name it or stand for it
    gender    `he` or `she` where known
    asked     so far only in questions whether it is there
    denied    by an answer: it is not there
    other     named as another than the one known
    last      where it was last spoken of: piece and token
    """

    mentions: list[TokenSpan]
    head: str
    kind: Kind
    number: Number
    last: TokenSpan
    gender: str = ""
    asked: bool = False
    denied: bool = False
    other: bool = False

    @property
    def person(self) -> bool:
        return self.kind in ("man", "woman", "person")

    @property
    def animate(self) -> bool:
        return self.person or self.kind == "animal"


@dataclass(frozen=True, eq=False, slots=True)
class ReferringWord:
    """A word of a turn that opens a phrase or is a pronoun, and the thing it speaks of, where that is known."""

    place: int
    word: str
    entity: Entity | None
    phrase: Phrase | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Utterance:
    """A piece of the dialogue: its words in lower case, its phrases, and its items as far as it was read."""

    number: int
    words: list[str]
    phrases: list[Phrase]
    items: list[ReferringWord] = field(default_factory=list)

    @property
    def question(self) -> bool:
        return self.number % 2 == 1

    def word(self, place: int) -> str:
        """The word at a place, "" beyond the ends."""
        return self.words[place] if 0 <= place < len(self.words) else ""


class Discourse:
    """The turns and entities so far."""

    def __init__(self) -> None:
        self.turns: list[Utterance] = []
        self.entities: list[Entity] = []

    @property
    def turn(self) -> Utterance:
        """The turn that is being read."""
        return self.turns[-1]

    def begin(self, turn: Utterance) -> None:
        """Take up a turn; an answer that begins with `no` denies what its question asked for."""
        if turn.number and not turn.question and turn.word(0) in _DENIALS:
            for entity in self.entities:
                entity.denied |= entity.asked and entity.mentions[0].piece == turn.number - 1
        self.turns.append(turn)

    def link(self, phrase: Phrase) -> Entity | None:
        """The entity that a phrase of the turn names, new or known; None for a phrase that names none."""
        if phrase.kind == "nothing":
            return None
        turn = self.turn
        if described := self._described(phrase):
            described.mentions.append(phrase.span)
            if not turn.question or self._genders() == 1:
                described.gender = _PRONOUNS[phrase.kind]
            return described
        # `is it a man or a woman` names neither, nor does `how many men and women`.
        if turn.question and phrase.head in _GENDERS and self._genders() > 1 and self._choice():
            return None
        if turn.question and self._predicate(phrase):
            return self.named(phrase.head, phrase.number)
        known = self._known(phrase)
        if known is None:
            asking = _EXISTENCE if phrase.definite else _EXISTENCE | _POSSESSION
            asked = turn.question and not asking.isdisjoint(turn.words[: phrase.span.start + 1])
            new = Entity([phrase.span], phrase.head, phrase.kind, phrase.number, phrase.span, asked=asked)
            new.other = phrase.other
            self.entities.append(new)
            return new
        if not turn.question:
            if known.asked:
                # `any people? I see two people`: what is there was first named in the answer.
                known.mentions = [span for span in known.mentions if span.piece != turn.number - 1]
            known.asked = known.denied = False
        known.mentions.append(phrase.span)
        known.last = phrase.span
        return known

    def named(self, head: str, number: Number) -> Entity | None:
        """The entity with this head that was made last."""
        for entity in reversed(self.entities):
            if entity.head == head and (entity.number == number or "either" in (entity.number, number)):
                return entity
        return None

    def _known(self, phrase: Phrase) -> Entity | None:
        if phrase.other:
            return None
        if (same := self.named(phrase.head, phrase.number)) is not None:
            return same
        alike = [entity for entity in self.entities if not entity.denied and self._may_be(entity, phrase)]
        if len(alike) != 1:
            return None
        if alike[0].kind == "person" and phrase.number == "one":
            alike[0].kind = phrase.kind
        return alike[0]

    def _may_be(self, entity: Entity, phrase: Phrase) -> bool:
        """Whether a phrase with another head can name the entity, if that is the only one of its kind."""
        if phrase.number == "one":
            if entity.number == "many" or not phrase.definite:
                return False
        elif entity.number == "one":
            return False
        if phrase.kind == "animal" and phrase.head in ("animal", "bird", "creature"):
            return entity.kind == "animal" and (phrase.definite or phrase.number == "many")
        if not (phrase.person and entity.person) or {phrase.kind, entity.kind} == {"man", "woman"}:
            return False
        if phrase.number == "one":
            return entity.gender in ("", _PRONOUNS.get(phrase.kind, entity.gender))
        # Beside a man, `two girls` are not all of `the people`.
        alone = any(known.person and known.number == "one" and not known.denied for known in self.entities)
        return not alone and (phrase.definite or phrase.head == "person")

    def _described(self, phrase: Phrase) -> Entity | None:
        """The person who is said or asked to be a man or a woman."""
        turn = self.turn
        if turn.number == 0 or phrase.kind not in _PRONOUNS or phrase.number != "one":
            return None
        if phrase.opener in ("the", "this", "that") or phrase.other:
            return None
        genders = ("", _PRONOUNS[phrase.kind])
        persons = [
            entity
            for entity in self.entities
            if entity.kind == "person" and entity.number != "many" and not entity.denied and entity.gender in genders
        ]
        alone = persons[0] if len(persons) == 1 else None
        before = [item.entity for item in turn.items if item.entity in persons]
        if turn.question:
            if before and turn.word(0) in ("is", "are", "hi"):
                return before[-1]
            return alone if turn.words[:2] == ["is", "it"] else None
        question = self.turns[-2]
        if not (_GENDERS | {"gender", "sex"}).isdisjoint(question.words):
            asked = [item.entity for item in question.items if item.entity in persons]
            return asked[0] if asked else alone
        describes = not {"is", "looks"}.isdisjoint(turn.words[: phrase.span.start])
        return before[-1] if before and describes else None

    def _genders(self) -> int:
        return sum(phrase.head in _GENDERS for phrase in self.turn.phrases)

    def _choice(self) -> bool:
        return "or" in self.turn.words or ("many" in self.turn.words and "and" in self.turn.words)

    def _predicate(self, phrase: Phrase) -> bool:
        """Whether the phrase says what a pronoun is: `is it a kitten`, `does it look like a kitten`."""
        *_, second, first = ["", "", *self.turn.words[: phrase.span.start]]
        if second in ("is", "are", "was") and first in ("it", "they", "this", "that", "these", "he", "she"):
            return True
        return second in ("look", "looks") and first == "like"
