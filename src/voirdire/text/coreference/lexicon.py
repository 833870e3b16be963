"""What a noun can be: a man, a woman, a person, an animal, a thing; one or several.

kind("surfer")  ->  "person"        number("giraffes")  ->  "many"        singular("women")  ->  "woman"

Lists of our own for what stands in photographs of everyday life. A noun that is in none of them is a thing.
"""

from functools import lru_cache
from typing import Literal

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
    one = singular(noun)
    if noun in NOTHING or one in NOTHING or one in COLORS:
        return "nothing"
    if one in MEN or (one.endswith("sman") and one != "woman"):
        return "man"
    if one in WOMEN or one.endswith("swoman"):
        return "woman"
    if one in PERSONS or noun in PEOPLE:
        return "person"
    if one in ANIMALS:
        return "animal"
    if one in PICTURES:
        return "picture"
    return "thing"
