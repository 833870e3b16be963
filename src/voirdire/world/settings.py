"""The places that scenes are set in: what stands there, and what people and animals do there.

Each line: name | in or out | things on the ground | things lying on tables, benches and the like | things on the wall or
in the sky | what people do. A number after a colon is a weight; a person is always possible.
"""

from dataclasses import dataclass

__all__ = ["ACTION_NEEDS", "ANIMAL_ACTIONS", "SEATED", "SETTINGS", "WEATHERS", "Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One kind of place."""

    name: str
    indoors: bool
    ground: tuple[str, ...]
    items: tuple[str, ...]
    high: tuple[str, ...]
    actions: tuple[str, ...]


_TABLE = """
kitchen|in|dining table:4,chair:4,refrigerator:3,oven:3,sink:2,cat:1,dog:1,potted plant:1,person:4|bottle,cup,wine glass,fork,knife,spoon,bowl:2,banana,apple,orange,sandwich,broccoli,carrot,pizza,donut,cake,microwave,toaster,vase|clock,tv|cooking:3,eating,standing:2,sitting,drinking,talking
living room|in|couch:4,chair:3,dining table:3,potted plant:2,cat:2,dog:2,person:4|remote:2,laptop,book:2,cup,vase,bowl,cell phone,teddy bear,bottle,wine glass,scissors|tv:3,clock|sitting:3,reading:2,sleeping,talking on the phone,watching tv:2,playing a video game,standing
bedroom|in|bed:6,chair:2,dining table:2,suitcase:1,cat:2,dog:1,potted plant:1,person:3|teddy bear:2,book:2,laptop,cell phone,clock,vase,hair drier,remote,tie:2|tv,clock|sleeping:3,reading:2,sitting:2,standing,talking on the phone
bathroom|in|toilet:4,sink:4,dining table:1,potted plant:1,cat:1,person:3|toothbrush:3,hair drier:3,cup:2,bottle:2,scissors:2,vase,book|clock|standing:3,smiling,taking a picture
office|in|dining table:5,chair:5,couch:1,potted plant:2,backpack:1,person:5|laptop:3,keyboard:3,mouse:3,cell phone:2,book:2,cup:2,bottle,scissors,vase|clock:2,tv|working:3,sitting:3,typing:2,talking on the phone:2,talking:2,standing,reading
restaurant|in|dining table:5,chair:5,couch:1,potted plant:2,handbag:1,person:7|wine glass:3,fork:2,knife:2,spoon:2,bowl:2,cup:2,bottle:2,pizza:2,sandwich,hot dog,cake:2,donut,broccoli,vase|clock,tv|eating:4,drinking:3,sitting:3,talking:2,laughing,standing
classroom|in|dining table:4,chair:6,backpack:2,person:8|book:4,laptop:2,scissors:2,cell phone,bottle,apple,keyboard,mouse|clock:3,tv:2|reading:3,writing:3,sitting:3,talking:2,standing:2
airport|in|suitcase:6,chair:4,bench:1,backpack:2,potted plant:1,person:7|laptop,book,cup,cell phone,bottle,handbag|clock:2,tv:3|waiting:4,walking:4,sitting:2,talking on the phone:2,reading,standing:2
train station|out|train:6,bench:3,suitcase:3,backpack:2,person:7|book,cup,handbag,cell phone,backpack|clock:4,bird|waiting:4,walking:3,standing:2,talking:2,running
street|out|car:6,bus:2,truck:2,motorcycle:2,bicycle:3,fire hydrant:2,parking meter:2,bench:1,dog:1,person:6|handbag,cup,backpack,bottle|traffic light:4,stop sign:3,clock,bird|walking:5,standing:3,riding a bike:2,talking on the phone:2,running,waiting:2
parking lot|out|car:8,truck:3,motorcycle:3,bus:2,bicycle:2,parking meter:2,fire hydrant:1,person:4|handbag,backpack|stop sign:2,bird,traffic light|walking:4,standing:3,talking:2,waiting
park|out|bench:4,dog:4,bicycle:2,cat:1,person:7|book,bottle,cup,apple,sandwich,handbag,backpack,banana,orange|kite:4,bird:3|walking:3,running:2,sitting:3,playing frisbee:2,flying a kite:2,reading,laughing,playing soccer:2,riding a bike
beach|out|boat:3,chair:3,dog:2,umbrella:3,person:8|bottle,book,cup,backpack,handbag|kite:4,bird:3,airplane|surfing:3,walking:3,sitting:2,standing:2,flying a kite:2,running,playing frisbee:2,swimming
lake|out|boat:6,bench:3,dog:2,bird:2,person:5|bottle,backpack,sandwich,book|bird:4,kite|fishing:3,sitting:3,standing:2,swimming:2,walking
farm|out|cow:5,sheep:5,horse:4,dog:2,truck:2,person:3,cat:1|apple,carrot,bottle|bird:3|standing:3,walking:3,working:3,riding a horse
field|out|horse:4,cow:4,sheep:4,zebra:1,dog:2,person:4|backpack|bird:4,kite:3,airplane|walking:3,standing:3,running:2,flying a kite:2,playing frisbee,riding a horse
zoo|out|elephant:4,giraffe:4,zebra:4,bear:3,bench:2,person:5|cup,bottle,banana,handbag|bird:3|standing:3,taking a picture:4,walking:3,pointing:2
ski slope|out|person:9,dog:1|backpack|airplane,bird|skiing:5,snowboarding:4,standing:2
skate park|out|bench:2,bicycle:2,person:8|backpack,bottle|bird,clock|skateboarding:6,standing:2,sitting:2,watching the game,riding a bike
tennis court|out|person:7,bench:3,chair:2|bottle,backpack,sports ball:2|clock:2,bird|playing tennis:6,standing:2,watching the game:2,sitting
baseball field|out|person:8,bench:3|sports ball:2,baseball glove:3,bottle|clock,bird,airplane|playing baseball:6,running:2,standing:2,watching the game:2,sitting
airfield|out|truck:3,bus:2,suitcase:3,car:2,person:5|backpack,handbag|airplane:8,bird|walking:4,standing:3,working:2,waiting:2
harbor|out|boat:7,bicycle:2,bench:3,car:1,person:5|bottle,handbag,sandwich|bird:5|fishing:3,walking:3,standing:2,sitting:2,working
backyard|out|chair:4,dining table:4,dog:4,cat:2,potted plant:4,bicycle:1,person:5|pizza,hot dog:3,sandwich:2,cup:2,bottle:3,bowl:2,cake,knife,fork,frisbee|kite,bird:2|eating:3,sitting:3,playing frisbee:2,laughing:2,cooking,standing
market|out|dining table:5,truck:1,bicycle:2,person:8,dog:1|banana:3,apple:4,orange:4,carrot:3,broccoli:3,vase,bowl,cake,donut:2|clock,bird,umbrella|shopping:5,standing:3,walking:3,talking:3,pointing
wedding|in|dining table:4,chair:5,potted plant:3,person:9|cake:5,wine glass:4,bottle:2,vase:3,knife,fork,spoon|clock|dancing:4,smiling:3,laughing:2,standing:2,drinking:2,taking a picture:2
"""

# What a person who does this holds; a bicycle or a horse is under the rider.
ACTION_NEEDS = {
    "playing tennis": "tennis racket",
    "playing baseball": "baseball bat",
    "playing frisbee": "frisbee",
    "playing soccer": "sports ball",
    "playing a video game": "remote",
    "skateboarding": "skateboard",
    "surfing": "surfboard",
    "skiing": "skis",
    "snowboarding": "snowboard",
    "flying a kite": "kite",
    "talking on the phone": "cell phone",
    "reading": "book",
    "riding a bike": "bicycle",
    "riding a horse": "horse",
}

ANIMAL_ACTIONS = ("standing", "sitting", "lying down", "sleeping", "walking", "running", "eating", "drinking")

# Those who do this may be on a chair, a couch, a bed or a bench.
SEATED = ("sitting", "sleeping", "reading", "eating", "drinking", "lying down", "talking on the phone", "waiting")

WEATHERS = ("sunny", "cloudy", "rainy", "snowy")


def _weighted(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for part in text.split(","):
        name, _, weight = part.partition(":")
        names += [name] * int(weight or 1)
    return tuple(names)


def _read(line: str) -> Setting:
    name, where, ground, items, high, actions = line.split("|")
    return Setting(name, where == "in", _weighted(ground), _weighted(items), _weighted(high), _weighted(actions))


SETTINGS = {setting.name: setting for setting in map(_read, filter(None, _TABLE.split("\n")))}
