"""The words of the world: for every sense the ways to say it, the usual one first."""

from voirdire.world.inventory import ANIMAL_ACTIONS, CATEGORIES, SETTINGS, WEATHERS

Words = dict[str, tuple[str, ...]]


def a(noun: str) -> str:
    """The noun with its indefinite article: a cup, an apple."""
    return ("an " if noun[0] in "aeiou" else "a ") + noun


_ODD_NOUNS = """
person:person:people
man:man,guy:men,guys
woman:woman,lady:women,ladies
boy:boy:boys
girl:girl:girls
child:child,kid:children,kids
animal:animal:animals
vehicle:vehicle:vehicles
bicycle:bicycle,bike:bicycles,bikes
motorcycle:motorcycle,motorbike:motorcycles,motorbikes
airplane:airplane,plane:airplanes,planes
bus:bus:buses
bench:bench:benches
sheep:sheep:sheep
handbag:handbag,purse:handbags,purses
skis:pair of skis:skis
sports ball:ball:balls
baseball bat:baseball bat,bat:baseball bats,bats
baseball glove:baseball glove:baseball gloves
surfboard:surfboard:surfboards
tennis racket:tennis racket,racket:tennis rackets,rackets
wine glass:wine glass:wine glasses
knife:knife:knives
sandwich:sandwich:sandwiches
broccoli:piece of broccoli:pieces of broccoli
donut:donut,doughnut:donuts,doughnuts
couch:couch,sofa:couches,sofas
potted plant:potted plant,plant:potted plants,plants
dining table:table:tables
tv:tv,television:tvs,televisions
mouse:computer mouse:computer mice
remote:remote,remote control:remotes,remote controls
cell phone:cell phone,phone:cell phones,phones
refrigerator:refrigerator,fridge:refrigerators,fridges
scissors:pair of scissors:scissors
teddy bear:teddy bear,stuffed bear:teddy bears,stuffed bears
hair drier:hair dryer:hair dryers
toothbrush:toothbrush:toothbrushes
"""


def _nouns() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    nouns = {}
    for line in filter(None, _ODD_NOUNS.split("\n")):
        sense, singular, plural = line.split(":")
        nouns[sense] = (tuple(singular.split(",")), tuple(plural.split(",")))
    for category in CATEGORIES:
        nouns.setdefault(category.name, ((category.name,), (category.name + "s",)))
    return nouns


NOUNS = _nouns()

COLOURS: Words = {
    colour: (colour,)
    for colour in ("red", "blue", "green", "yellow", "white", "black", "brown", "orange", "pink", "purple")
}
COLOURS["gray"] = ("gray", "grey")
SIZES: Words = {"small": ("small", "little"), "large": ("large", "big"), "medium": ("medium sized",)}
MATERIALS: Words = {m: (m,) for m in ("wood", "metal", "plastic", "glass", "leather", "cloth", "paper", "stone")}
MATERIAL_ADJECTIVES: Words = MATERIALS | {"wood": ("wooden",)}
SHAPES: Words = {"round": ("round", "circular"), "rectangular": ("rectangular",)}
GENDERS: Words = {"male": ("male",), "female": ("female",)}
AGES: Words = {"young": ("young",), "old": ("old", "elderly")}
ACTIONS: Words = {
    action: (action,)
    for action in sorted(
        {action for setting in SETTINGS.values() for action in setting.actions} | {*ANIMAL_ACTIONS, "flying"}
    )
} | {"talking on the phone": ("talking on the phone", "on the phone"), "lying down": ("lying down", "laying down")}
GARMENT_WORDS: Words = {
    garment: (garment,)
    for garment in ("hat", "shirt", "jacket", "dress", "pants", "shorts", "shoes", "scarf", "glasses")
} | {"jacket": ("jacket", "coat")}
GARMENT_PLURALS = {"hat": "hats", "shirt": "shirts", "jacket": "jackets", "dress": "dresses", "scarf": "scarves"}
PLURAL_GARMENTS = frozenset(("pants", "shorts", "shoes", "glasses"))
RELATION_WORDS: Words = {
    "on": ("on", "on top of"),
    "next to": ("next to", "beside", "near"),
    "left of": ("to the left of", "left of"),
    "right of": ("to the right of", "right of"),
    "above": ("above",),
    "below": ("below", "under"),
    "in front of": ("in front of",),
    "behind": ("behind",),
}
SIDE_WORDS: Words = {
    "left": ("on the left", "on the left side"),
    "right": ("on the right", "on the right side"),
    "middle": ("in the middle", "in the center"),
    "top": ("at the top",),
    "bottom": ("at the bottom",),
    "foreground": ("in the foreground", "in the front"),
    "background": ("in the background", "in the back"),
}
WEATHER_WORDS: Words = {weather: (weather,) for weather in WEATHERS} | {"cloudy": ("cloudy", "overcast")}
TIMES: Words = {"day": ("daytime", "day time"), "night": ("nighttime", "night time")}
INDOORS: Words = {"in": ("indoors", "inside"), "out": ("outdoors", "outside")}
PLACES: Words = {name: (name,) for name in SETTINGS}

# How one says that a picture was taken there.
SETTING_PHRASES: Words = {
    name: (f"{preposition} {a(name)}",)
    for preposition, names in {
        "in": "kitchen,living room,bedroom,bathroom,office,restaurant,classroom,parking lot,park,field,backyard,harbor",
        "on": "street,beach,farm,ski slope,tennis court,baseball field,airfield",
        "at": "airport,train station,lake,zoo,skate park,market,wedding",
    }.items()
    for name in names.split(",")
}

# Supercategories that are no count nouns, with their article.
KINDS: Words = {
    "food": ("food", "something to eat", "a food item"),
    "furniture": ("furniture", "a piece of furniture"),
    "kitchen": ("a kitchen item", "tableware"),
    "appliance": ("an appliance", "a kitchen appliance"),
    "electronic": ("electronic", "an electronic device"),
    "sports": ("sports equipment", "a piece of sports equipment"),
    "accessory": ("an accessory",),
}
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

SLOTS: dict[str, Words] = {
    "C": COLOURS,
    "Z": SIZES,
    "M": MATERIALS,
    "Ma": MATERIAL_ADJECTIVES,
    "H": SHAPES,
    "A": ACTIONS,
    "S": SIDE_WORDS,
    "X": GENDERS,
    "Y": AGES,
    "K": KINDS,
    "W": WEATHER_WORDS,
    "T": TIMES,
    "L": INDOORS,
    "P": PLACES,
    "Q": SETTING_PHRASES,
}
"""What may stand in the slots of sentence patterns, see `meaning`."""
