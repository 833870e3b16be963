"""What a noun can be, and the noun phrases of a tagged piece.

kind("surfer")  ->  "person"        number("giraffes")  ->  "many"        singular("women")  ->  "woman"

A noun is a man, a woman, a person, an animal, a thing; one or several. The lists are our own, for what stands in
photographs of everyday life; a noun that is in none of them is a thing.

    a group of people | sitting at | a dining table

A phrase is a determiner, possessive or number, then adjectives and nouns, up to its last noun, the head. `a group of
people` is one phrase whose head is `people`, `a bowl of soup` one whose head is `bowl`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from voirdire.text.coreference import TokenSpan
from voirdire.text.tagging import Token

Kind = Literal["man", "woman", "person", "animal", "thing", "picture", "nothing"]
Number = Literal["one", "many", "either"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


MEN = _set(
    "man boy guy gentleman male father dad daddy son husband brother grandfather grandpa uncle nephew king prince "
    "dude lad groom businessman fireman policeman cowboy waiter fisherman salesman mailman sportsman handyman "
    "workman repairman doorman bridegroom monk priest bachelor snowman"
)
WOMEN = _set(
    "woman girl lady female mother mom mommy mum daughter wife sister grandmother grandma aunt niece queen princess "
    "bride waitress businesswoman policewoman gal cowgirl hostess actress nun bridesmaid ballerina"
)
PERSONS = _set(
    "person human kid child baby toddler infant adult teen teenager youth individual someone somebody player batter "
    "pitcher catcher umpire referee hitter athlete skater skateboarder skier snowboarder surfer boarder rider "
    "motorcyclist biker bicyclist cyclist jockey driver conductor pilot passenger pedestrian worker employee officer "
    "cop firefighter soldier guard chef cook baker vendor seller customer shopper student teacher guest visitor "
    "doctor nurse dentist coach fan spectator tourist performer musician singer guitarist artist photographer runner "
    "jogger walker swimmer bather sunbather golfer bowler server goalie goalkeeper opponent trainer farmer shepherd "
    "rancher speaker friend owner parent sibling twin bystander onlooker hiker climber kayaker paddler rower sailor "
    "captain crew clown santa dancer cashier bartender barber hairdresser mechanic engineer operator reporter judge "
    "model character celebrity politician president family couple crowd team group"
)
PEOPLE = _set("people crowd group family couple team audience police men women children crew class party bunch")
ANIMALS = _set(
    "dog puppy pup cat kitten kitty horse pony foal cow calf bull ox steer sheep lamb goat ram bird duck goose chicken "
    "rooster hen pigeon seagull gull parrot owl eagle hawk crow peacock swan penguin ostrich flamingo turkey elephant "
    "giraffe zebra lion tiger leopard cheetah bear cub panda monkey ape gorilla deer elk moose antelope gazelle "
    "buffalo bison rhino hippo camel donkey mule pig piglet rabbit bunny squirrel mouse rat hamster turtle tortoise "
    "fish shark whale dolphin seal snake lizard frog insect bee butterfly spider animal pet creature poodle beagle "
    "terrier labrador retriever bulldog pug dachshund collie husky corgi chihuahua feline canine parakeet "
    "sparrow robin stork heron pelican crane kangaroo koala wolf fox raccoon alpaca llama reindeer stallion mare "
    "wildlife cattle livestock"
)
PICTURES = _set("photo picture image pic photograph shot photography portrait scene")
# Nouns that name no thing one could point at again, or that are only ever the frame of a phrase.
NOTHING = _set(
    "color colour kind type sort style breed model brand make name age gender sex race ethnicity nationality shape "
    "size length height number way time day daytime night nighttime morning afternoon evening noon dusk dawn "
    "daylight summer winter spring fall autumn season weather sun sunlight lighting background foreground view side "
    "front back left right middle center centre top bottom corner edge end part half rest lot bit distance area "
    "place space position direction angle thing anything something nothing everything one ones else other question "
    "answer idea guess inside outside outdoors indoors outdoor indoor close close-up closeup brightness quality "
    "expression look pose action activity conversation fun use sense reason chance case fact course shade detail "
    "focus zoom year month hour minute surface amount total motion sight condition temperature language material "
    "pattern design caption ahh ahhh hi hello hey ok okay yes no yeah yep nope maybe sure lol thanks thank please "
    "sorry everyone everybody anyone anybody nobody snowing raining"
)
# `a bunch of bananas` is bananas, `a bowl of soup` a bowl.
COLLECTIVE = _set(
    "group bunch couple herd flock crowd pack lot lots number pile row team band gaggle pair family array assortment "
    "collection cluster variety selection line set stack school handful dozen plenty"
)
CONTAINERS = _set("bowl plate cup glass bottle box body slice piece meal pool jar basket tray pot pan can mug bag")
COLORS = _set(
    "black white red blue green brown yellow orange gray grey pink purple tan beige blonde blond silver gold golden "
    "dark light maroon navy teal turquoise"
)

# What is asked of people and animals, not of things: `are they smiling`, `what color are their coats`.
OF_THE_LIVING = _set(
    "wearing wear smiling smile laughing talking doing playing holding eating drinking looking watching riding walking "
    "running sleeping fighting posing standing sitting having enjoying happy sad tired awake alone healthy young old "
    "older dressed related male males female females men women boys girls adult adults kids children friends family "
    "gender genders race ethnicity nationality age ages asian caucasian professional professionals seem fun hair face "
    "faces head heads eyes mouths backs feet hands arms legs hat hats helmet helmets goggles glasses sunglasses gloves "
    "coats shirts shoes clothes outfits uniforms boards drink drinks"
)
OF_ANIMALS = _set(
    "eating sleeping awake running walking playing drinking grazing alive happy sad cute friendly healthy adult baby "
    "head eyes ears mouth legs tail leash collar"
)

_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "teeth": "tooth",
    "geese": "goose", "mice": "mouse", "calves": "calf", "wolves": "wolf", "knives": "knife", "leaves": "leaf",
    "shelves": "shelf", "loaves": "loaf", "scarves": "scarf", "oxen": "ox", "buses": "bus", "skis": "ski",
    "taxis": "taxi", "kiwis": "kiwi", "bikinis": "bikini", "zucchinis": "zucchini", "cookies": "cookie",
    "movies": "movie", "brownies": "brownie", "ties": "tie", "pies": "pie", "shoes": "shoe", "toes": "toe",
    "horses": "horse", "houses": "house", "vases": "vase", "cases": "case", "nurses": "nurse", "purses": "purse",
    "roses": "rose", "noses": "nose", "hoses": "hose", "cheeses": "cheese", "courses": "course", "bases": "base",
    "blouses": "blouse", "axes": "axe", "caches": "cache", "selfies": "selfie", "hoodies": "hoodie", "gentlemen":
    "gentleman", "policemen": "policeman", "firemen": "fireman", "snowmen": "snowman", "businessmen": "businessman",
    "spectacles": "spectacles", "mommies": "mommy", "cops": "cop", "collies": "collie", "pixies": "pixie",
}  # fmt: skip
# Garments and tools in two halves, which are `they` though one.
_PLURAL_ONLY = _set(
    "pants shorts jeans trousers glasses sunglasses goggles scissors pajamas tights leggings slacks overalls "
    "binoculars headphones earphones clothes stairs bleachers suspenders spectacles tongs pliers"
)
_SAME = _set("sheep deer fish elk moose buffalo bison livestock cattle poultry aircraft broccoli skis")
_ONE_IN_S = _set(
    "bus glass grass dress tennis christmas class cactus mattress hibiscus canvas lens gas octopus walrus hippopotamus "
    "platypus circus campus status focus species series news asparagus citrus iris chess mess boss princess waitress "
    "actress hostess business process moss cross compass brass address fitness access"
)


@lru_cache(maxsize=100_000)
def singular(noun: str) -> str:
    """The noun in the singular, as near as endings tell."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun in _PLURAL_ONLY or noun in _ONE_IN_S or noun in _SAME or not noun.endswith("s") or len(noun) < 4:
        return noun
    if noun.endswith(("ss", "us", "is")):
        return noun
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return noun[:-2]
    return noun[:-1]


@lru_cache(maxsize=100_000)
def number(noun: str) -> Number:
    """Whether the noun is one, many or either."""
    if noun in _SAME:
        return "either"
    if noun in _PLURAL_ONLY or noun in PEOPLE - {"police", "family", "team", "crew", "class", "party"}:
        return "many"
    if noun in PEOPLE:
        return "either"
    return "many" if singular(noun) != noun else "one"


@lru_cache(maxsize=100_000)
def kind(noun: str) -> Kind:
    """What the noun can be."""
    stem = singular(noun)
    if noun in NOTHING or stem in NOTHING or stem in COLORS:
        return "nothing"
    if stem in MEN or (stem.endswith("sman") and stem != "woman"):
        return "man"
    if stem in WOMEN or stem.endswith("swoman"):
        return "woman"
    if stem in PERSONS or noun in PEOPLE:
        return "person"
    if stem in ANIMALS:
        return "animal"
    if stem in PICTURES:
        return "picture"
    return "thing"


POSSESSIVES = _set("its his her their my your our")
ARTICLES = _set("a an the this that these those any some no another each every")
QUANTIFIERS = _set("all both other several few")
# `how many people` asks of people, `what color bird` of a bird.
_FRAMES = _set("many much more just only color colour kind type sort brand")
_ONE = _set("a an 1 one another each every this that single lone")
_MANY = _set(
    "2 3 4 5 6 7 8 9 10 two three four five six seven eight nine ten both several many few these those multiple "
    "various numerous"
)
_LIVING = ("man", "woman", "person", "animal")
# Words that a tagger may take for nouns or adjectives, and that end a phrase.
_NEVER = _set(
    "there here what which who how where when why yes not it he she they him them i you we me us n't look looks wear "
    "wears seem seems appear can is are does do has have was were be like visible made"
)


_IN_OBJECT = frozenset({"DET", "ADJ", "NUM", "NOUN", "PROPN", "PART"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase, its head in the singular, what it can be, how many it is, and the words before its head."""

    span: TokenSpan
    head: str
    kind: Kind
    number: Number
    before: tuple[str, ...]

    @property
    def opener(self) -> str:
        return self.before[0] if self.before else ""

    @property
    def definite(self) -> bool:
        return self.opener in ("the", "this", "that", "these", "those") or self.opener in POSSESSIVES

    @property
    def person(self) -> bool:
        return self.kind in ("man", "woman", "person")

    @property
    def other(self) -> bool:
        return not {"another", "other", "else", "second", "third"}.isdisjoint(self.before)


def phrases(piece: int, tokens: Sequence[Token]) -> list[Phrase]:
    """The noun phrases of a piece, in order; what fills a container follows the container's own phrase."""
    words = [token.text.lower() for token in tokens]
    listed: list[Phrase] = []
    place = 0
    while place < len(tokens):
        end = _end(tokens, words, place)
        if end is None:
            place += 1
            continue
        end = _without_predicate(words, place, end)
        listed.append(_phrase(piece, words, place, end))
        inner = _end(tokens, words, end + 1) if words[end : end + 1] == ["of"] else None
        if inner is not None:
            listed[-1:] = _joined(listed[-1], _phrase(piece, words, end + 1, inner))
            end = inner
        place = end
    return listed


def whole(tokens: Sequence[Token], span: TokenSpan) -> TokenSpan:
    """A phrase with what modifies it: `a man riding a wave`, `the woman in the boat`, `a dog that sleeps`.

    What follows the subject of a question with `be` is its predicate: of `is the man on the boat` it is the man. After
    a verb only `of` and `with` belong to a noun: `he rides a horse on the beach`.
    """
    asked = span.start == 1 and tokens[0].pos == "AUX"
    subject = all(token.pos not in ("VERB", "AUX") for token in tokens[: span.start])
    end = span.end
    while end < len(tokens) and not asked:
        token = tokens[end]
        if token.text in ("that", "who", "which"):
            end = len(tokens)
        joined = token.pos == "ADP" and (subject or token.text in ("of", "with"))
        if not joined and not (token.pos == "VERB" and token.text.endswith(("ing", "ed"))):
            break
        # A participle may have no object; a preposition has one.
        after = next(
            (place for place in range(end + 1, len(tokens)) if tokens[place].pos not in _IN_OBJECT), len(tokens)
        )
        if joined and after == end + 1:
            break
        end = after
    return TokenSpan(span.piece, span.start, end)


def _without_predicate(words: Sequence[str], start: int, end: int) -> int:
    """The end of the subject alone, where the last noun says what it is: `is the table | wood`."""
    closes = end == len(words) or words[end] in ("or", "?")
    asks = start == 1 and words[0] in ("is", "are", "was", "were")
    return end - 1 if asks and closes and end - start > 2 else end


def _joined(outer: Phrase, inner: Phrase) -> list[Phrase]:
    span = TokenSpan(outer.span.piece, outer.span.start, inner.span.end)
    if outer.head in COLLECTIVE and (inner.number != "one" or not inner.before):
        return [Phrase(span, inner.head, inner.kind, "many", outer.before)]
    if outer.head in CONTAINERS:
        return [Phrase(span, outer.head, outer.kind, outer.number, outer.before), inner]
    return [outer, inner]


def _phrase(piece: int, words: Sequence[str], start: int, end: int) -> Phrase:
    head, before = words[end - 1], tuple(words[start : end - 1])
    many = number(head)
    if many != "many" and head not in PEOPLE and not _ONE.isdisjoint(before[:2]):
        many = "one"
    elif not _MANY.isdisjoint(before[:2]):
        many = "many"
    return Phrase(TokenSpan(piece, start, end), singular(head), kind(head), many, before)


def _end(tokens: Sequence[Token], words: Sequence[str], start: int) -> int | None:
    """Where the phrase that begins here ends, or None where none does."""
    if start >= len(words) or words[start] in _FRAMES:
        return None
    place, last = start, None
    opened = words[place] in ARTICLES or words[place] in POSSESSIVES or words[place] in QUANTIFIERS
    if opened:
        place += 1
        if words[start] in QUANTIFIERS and words[place : place + 1] and words[place] in ARTICLES | POSSESSIVES:
            place += 1
    while place < len(tokens):
        word, pos = words[place], tokens[place].pos
        if word in _NEVER or word in ARTICLES or word in POSSESSIVES:
            break
        if last is not None and (word in COLORS or not _is_noun(word, pos) or _ends(tokens, words, start, place)):
            break
        if _is_noun(word, pos):
            last = place + 1
        elif word == "and" or word == ",":
            if not opened or place + 1 >= len(tokens) or tokens[place + 1].pos != "ADJ":
                break
        elif pos not in ("ADJ", "NUM") and not (opened and pos in ("VERB", "ADV", "DET")):
            break
        place += 1
    return last


def _ends(tokens: Sequence[Token], words: Sequence[str], start: int, place: int) -> bool:
    """Whether a noun after a noun is no part of the phrase: a person or an animal seldom describes a noun."""
    before = words[place - 1]
    # `a dog runs`: one dog and several runs do not go together.
    if words[start] in ("a", "an", "another", "1", "one") and number(words[place]) == "many":
        return True
    if kind(before) not in _LIVING:
        return False
    return words[place].endswith("ing") or (words[start] != before and tokens[place].pos != "NOUN")


def _is_noun(word: str, pos: str) -> bool:
    if not word[:1].isalpha():
        return False
    if pos in ("NOUN", "PROPN"):
        return True
    return pos in ("X", "VERB", "ADJ") and kind(word) in _LIVING
