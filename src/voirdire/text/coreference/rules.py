"""The shipped resolver: a dialogue is read once from left to right, and each pronoun is resolved by rules.

It knows what nouns can be and finds noun phrases in tagged pieces (`noun_phrases`), keeps what has been named
(`discourse`), and chooses what a pronoun stands for by rules that rather leave it alone than guess:

he, she    the person of that gender, else a person of unknown gender, else an animal; of several the one that was so
           called before, then the last spoken of
it, they   in an answer, what the question is about; in a question, what it names itself (`is it a fancy kite`), else
           what the question before was about. Where the words are those of the living, `they` are the only group of
           people or animals, or the only person, and `it` the only animal.

The rules of `it` and `they` look one round back and no further: guesses from afar were wrong more often than not.
An `it` that stands for no phrase is set aside first: weather, time, place and light, the picture as a whole, and
figures of speech.

is it sunny?    what time of day is it?    is it in color?    is it a park?    does it look like they are happy?
it's hard to tell    looks like it    is it a man or a woman?

Each pronoun looks at all that was spoken of, so time grows with the square of a dialogue's length. One of more than
`LONGEST` words is no talk about a picture, and its pronouns are left alone; the longest of VisDial have a tenth of it.
"""

from collections.abc import Callable, Sequence

from voirdire.text.coreference import Cluster, Pieces, TokenSpan
from voirdire.text.coreference.discourse import Discourse, Entity, ReferringWord, Utterance
from voirdire.text.coreference.noun_phrases import OF_ANIMALS, OF_THE_LIVING, phrases, whole
from voirdire.text.tagging import Tagger

FORMS = {
    **dict.fromkeys(("he", "him", "his"), "he"),
    **dict.fromkeys(("she", "her", "hers"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs"), "they"),
    **dict.fromkeys(("it", "its"), "it"),
}
"""The pronouns that rules know, and the plain form of each; `this` and `that` mostly mean the picture."""

Fits = Callable[[Entity], bool]

_PREPOSITIONS = frozenset(
    {"on", "in", "of", "near", "around", "behind", "under", "over", "with", "at", "beside", "inside", "above", "by"}
    | {"to", "from", "about", "for", "like"}
)
_SUBJECT_FIRST = frozenset({"is", "are", "does", "do", "did", "has", "have", "so", "how"})
_BE = frozenset({"is", "are", "was", "were", "'s", "'re"})
_SEEM = frozenset({"look", "looks", "seem", "seems", "appear", "appears"})
_BETWEEN = frozenset({"all", "both", "really", "just", "also", "still", "actually", "very", "look", "looks", "like"})
_FRAMES = frozenset({"kind", "type", "sort", "color", "colour", "brand"})

# Words beside an `it` that stands for no phrase.
_SCENE = frozenset(
    {"sunny", "cloudy", "overcast", "rain", "raining", "rained", "rainy", "snow", "snowing", "snowy", "foggy", "windy"}
    | {"day", "daytime", "daylight", "night", "nighttime", "morning", "afternoon", "evening", "dusk", "dawn", "noon"}
    | {"summer", "winter", "fall", "spring", "autumn", "season", "weather", "time", "hot", "cold", "warm", "crowded"}
    | {"outside", "outdoors", "outdoor", "inside", "indoors", "indoor", "bright", "brightly", "lit", "well-lit", "dark"}
)
_PICTURE = frozenset(
    {"photo", "picture", "image", "pic", "photograph", "shot", "close", "close-up", "closeup", "watermarked", "zoomed"}
    | {"professional", "professionally", "blurry", "frame", "scene", "portrait", "selfie"}
)
_PLACES = frozenset(
    {"park", "restaurant", "city", "kitchen", "house", "zoo", "street", "market", "court", "room", "forest", "farm"}
    | {"beach", "bathroom", "bedroom", "store", "airport", "home", "place", "office", "school", "stadium", "museum"}
    | {"mall", "lot", "yard", "town", "suburb", "building", "hotel", "apartment", "neighborhood", "country", "field"}
    | {"garage", "stand", "bar", "shop", "cafe", "party", "station", "garden", "lake", "ocean", "river", "mountain"}
    | {"competition", "game", "event", "wild", "area", "water", "sports", "road", "habitat", "enclosure", "fair"}
    | {"resort", "campus", "library", "hospital", "bakery", "diner", "harbor", "intersection", "playground", "desert"}
    | {"jungle", "woods", "island", "village", "commercial"}
)
_GENDERS = frozenset({"man", "woman", "boy", "girl", "male", "female", "person", "people", "just"})
LONGEST = 3_000
"""Words of a dialogue, with its caption and marks."""
_SEEM_OR_SOUND = _SEEM | {"sound", "sounds"}
_ENDS = frozenset({",", "but", "?", ".", "!", "so", "because", "-"})


class RuleResolver:
    """Resolves `he she it they` and their other forms."""

    name = "rules"
    signature = "rules-2"

    def resolve(self, pieces: Pieces, tagger: Tagger) -> list[Cluster]:
        if sum(map(len, pieces)) > LONGEST:
            return []
        discourse = Discourse()
        tagged = []
        for number, piece in enumerate(pieces):
            words = [word.lower() for word in piece]
            # Without the mark at its end, since other readers of a question tag it so and the tagger remembers.
            bare = words[:-1] if words and words[-1] in (".", "?") else words
            tagged.append(tagger.tag(bare))
            _read(discourse, Utterance(number, words, phrases(number, tagged[-1])))
        clusters = (sorted(set(entity.mentions)) for entity in discourse.entities)
        return [(whole(tagged[first.piece], first), *others) for first, *others in clusters if others]


def _read(discourse: Discourse, turn: Utterance) -> None:
    discourse.begin(turn)
    starts = {phrase.span.start: phrase for phrase in turn.phrases}
    for place, word in enumerate(turn.words):
        if word in FORMS:
            entity = _choose(discourse, place)
            if entity is not None:
                entity.last = TokenSpan(turn.number, place, place + 1)
                entity.mentions.append(entity.last)
                if FORMS[word] in ("he", "she"):
                    entity.gender = FORMS[word]
            turn.items.append(ReferringWord(place, word, entity))
        if place in starts:
            turn.items.append(ReferringWord(place, word, discourse.link(starts[place]), starts[place]))
        elif word in ("this", "that", "these", "those"):
            turn.items.append(ReferringWord(place, word, None))


def _choose(discourse: Discourse, place: int) -> Entity | None:
    """The entity that the pronoun at this place of the turn stands for, or None."""
    turn = discourse.turn
    form = FORMS[turn.words[place]]
    if form in ("he", "she"):
        return _person(discourse, form)
    if form == "it":
        return None if turn.words[place] == "it" and _is_empty(turn.words, place) else _thing(discourse, place)
    return _several(discourse, place)


def _person(discourse: Discourse, form: str) -> Entity | None:
    kind = "man" if form == "he" else "woman"
    rank = {kind: 2.0, "person": 1.0, "animal": 0.0}
    fitting = [
        entity
        for entity in discourse.entities
        if entity.kind in rank and entity.gender in ("", form) and _is_single(entity) and not entity.denied
    ]
    turn = discourse.turn
    if turn.number == 0:
        return max(fitting, key=lambda entity: rank[entity.kind], default=None)
    subject = _subject(discourse.turns[-2]) if not turn.question else None
    if subject in fitting and subject.person:
        return subject
    # To have been `he` already weighs more than to be one person's kind rather than another's.
    return max(fitting, key=lambda known: (rank[known.kind] + 1.5 * (known.gender == form), known.last), default=None)


def _is_single(entity: Entity) -> bool:
    """Whether the entity can be one person or animal: a sheep is, a team is not."""
    return entity.number == "one" or (entity.number == "either" and not entity.person)


def _subject(turn: Utterance) -> Entity | None:
    return turn.items[0].entity if turn.items else None


def _thing(discourse: Discourse, place: int) -> Entity | None:
    turn = discourse.turn

    def fits(entity: Entity) -> bool:
        return entity.number != "many" and not entity.denied and entity.kind in ("thing", "animal")

    def fits_answer(entity: Entity) -> bool:
        return fits(entity) or (entity.kind == "picture" and entity.number == "one")

    if (same := _pronouns(turn, "it")) is not None:
        return same[-1]
    here = _fitting(turn, fits)
    if turn.number == 0:
        return (here[0] if turn.word(place - 1) in _PREPOSITIONS else here[-1]) if here else None
    if not turn.question:
        if (new := _introduced(turn, place, fits)) is not None:
            return new
        subject = _subject(discourse.turns[-2])
        if subject is not None and subject.person and turn.word(place + 1) in _SEEM:
            return None
        return _asked(discourse, place, "it", fits_answer)
    if named := _named(discourse, place, fits):
        return named
    if (own := _own_subject(turn, here)) is not None:
        return own
    if here and turn.word(0) in ("what", "which", "how") and turn.word(place - 1) not in _PREPOSITIONS:
        return None
    before = _before(discourse, "it", fits)
    if before is not None and before.kind != "animal" and not OF_ANIMALS.isdisjoint(turn.words[place:]):
        animals = [entity for entity in discourse.entities if entity.kind == "animal" and fits(entity)]
        return animals[0] if len(animals) == 1 else None
    return before


def _several(discourse: Discourse, place: int) -> Entity | None:
    turn = discourse.turn

    def fits(entity: Entity) -> bool:
        return entity.number != "one" and not entity.denied

    if turn.word(place + 1) == "any":
        return None  # `are they any trees`, for `are there`
    if (same := _pronouns(turn, "they")) is not None:
        return same[-1]
    here = _fitting(turn, fits)
    if turn.number == 0:
        return here[-1] if here else None
    if not turn.question:
        return _asked(discourse, place, "they", fits)
    if named := _named(discourse, place, fits):
        return named
    if (own := _own_subject(turn, here)) is not None:
        return own
    if here and turn.word(place - 1) in _PREPOSITIONS and turn.words[:2] != ["are", "there"]:
        return here[0]
    before = _before(discourse, "they", fits)
    alive = not OF_THE_LIVING.isdisjoint(turn.words)
    if before is not None and (before.animate or not alive) and not before.other:
        return before
    return _living(discourse) if alive else None


def _living(discourse: Discourse) -> Entity | None:
    """The only group of people or animals; else the only person, whom `they` can be as well."""
    living = [entity for entity in discourse.entities if entity.animate and not entity.denied and not entity.other]
    for person in (True, False):
        group = [entity for entity in living if entity.number != "one" and entity.person == person]
        single = [entity for entity in living if entity.number == "one" and entity.person == person]
        if group or single:
            if len(group) == 1 and not single:
                return group[0]
            alone = len(single) == 1 and not group and single[0].kind == "person"
            return single[0] if alone else None
    return None


def _pronouns(turn: Utterance, form: str) -> list[Entity | None] | None:
    """What the same pronoun stood for before in the turn; None where it was not there."""
    return [item.entity for item in turn.items if item.phrase is None and FORMS.get(item.word) == form] or None


def _fitting(turn: Utterance, fits: Fits) -> list[Entity]:
    return [item.entity for item in turn.items if item.entity is not None and fits(item.entity)]


def _asked(discourse: Discourse, place: int, form: str, fits: Fits) -> Entity | None:
    """What the question of this answer is about: its own pronoun, else its first phrase or the first that fits."""
    question = discourse.turns[-2]
    if (same := _pronouns(question, form)) is not None:
        return same[-1]
    if question.items and question.items[0].entity is None:
        return None
    first = next(iter(_fitting(question, fits)), None)
    # `any grass? yes, behind it`: not the grass.
    beside = discourse.turn.word(place - 1) in _PREPOSITIONS and first is not None and first.asked
    return None if beside else first


def _own_subject(turn: Utterance, here: list[Entity]) -> Entity | None:
    """The subject of the pronoun's own question: `does the table have a cloth on it`."""
    asks = turn.word(0) in _SUBJECT_FIRST and turn.word(1) not in ("there", "you")
    return here[0] if asks and here and here[0].last.start <= 3 else None


def _introduced(turn: Utterance, place: int, fits: Fits) -> Entity | None:
    """What the answer itself has just introduced: `there is a cloth, it is blue`."""
    if turn.word(place - 1) in _PREPOSITIONS or {"there", "see"}.isdisjoint(turn.words[:place]):
        return None
    new = [item.entity for item in turn.items if item.phrase and item.entity and item.phrase.opener in ("a", "an", "1")]
    return next((entity for entity in new if fits(entity)), None)


def _before(discourse: Discourse, form: str, fits: Fits) -> Entity | None:
    """What the question before was about; the caption's first phrase, if there is no question before."""
    if discourse.turn.number == 1:
        caption = discourse.turns[0]
        first = caption.items[0].entity if caption.items else None
        return first if first is not None and fits(first) else None
    question = discourse.turns[-3]
    if (same := _pronouns(question, form)) is not None:
        return same[-1] if same[-1] is not None and fits(same[-1]) else None
    return next(iter(_fitting(question, fits)), None)


def _named(discourse: Discourse, place: int, fits: Fits) -> Entity | None:
    """The entity that the question names beside the pronoun: `is it a fancy kite`, `what kind of flowers are they`."""
    turn = discourse.turn
    if turn.word(place - 1) not in _BE and turn.word(place + 1) not in _BE | {"look"}:
        return None
    start = place + 1
    while turn.word(start) in _BETWEEN:
        start += 1
    for phrase in turn.phrases:
        if phrase.span.start == start:
            named = discourse.named(phrase.head, phrase.number)
            return named if named is not None and fits(named) else None
    framed = not {"what", "which"}.isdisjoint(turn.words[:place]) and not _FRAMES.isdisjoint(turn.words[:place])
    # `what kind of dog is it`, `what kind of dog it is`; not `what kind of shoes are they wearing`.
    rest = turn.words[place + (2 if turn.word(place + 1) in _BE else 1) :]
    if framed and rest in ([], ["?"], ["."]):
        return next(iter(_fitting(turn, fits)[-1:]), None)
    return None


def _is_empty(words: Sequence[str], place: int) -> bool:
    """Whether the `it` at this place of a piece (in lower case) stands for no phrase."""
    rest = list(words[place + 1 :])
    for at, word in enumerate(rest):
        if word in _ENDS:
            rest = rest[:at]
            break
    after, before = set(rest), set(words[:place])
    if after & (_SCENE | _PICTURE | _PLACES | _GENDERS) or before & {"time", "season", "room"}:
        return True
    if before & {"part"} and "day" in before:
        return True
    # `in color`, `a color photo`; but `what color is it` has its colour in front.
    if after & {"color", "colour", "colored"}:
        return True
    # `it looks like they …`, `does it look like the stove is on`
    if _SEEM_OR_SOUND & set(rest[:3]) and after & {"there", "they", "he", "she", "you", "is", "are"}:
        return True
    if rest and rest[-1] == "be":
        return True
    if rest and rest[0] in _SEEM_OR_SOUND and place and words[place - 1] == "so":
        return True
    # `looks like it`, `that's pretty much it`
    if not rest and place and words[place - 1] in ("like", "much", "about", "make"):
        return True
    if not rest and list(words[max(0, place - 2) : place]) in (["that", "is"], ["that", "'s"]):
        return True
    return not after.isdisjoint({"hard", "difficult", "out", "far", "show"})
