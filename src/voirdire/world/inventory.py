"""What scenes are made of: the eighty COCO categories, and the places that scenes are set in.

A category has its official name and id, and how the world shows it; a setting says what stands there, and what people
and animals do there.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorldCategory:
    """One COCO category.

    height  of the thing in the foreground, as a share of the picture's height; width = height × aspect
    shape   round, rectangular, or "-" where nobody would say either
    """

    id: int
    name: str
    supercategory: str
    height: float
    aspect: float
    colours: tuple[str, ...]
    materials: tuple[str, ...]
    shape: str

    @property
    def alive(self) -> bool:
        """People and animals: they act, and are not made of anything."""
        return self.supercategory in ("person", "animal")


_COLOURS = {
    "-": "",
    "any": "red blue green yellow white black gray orange pink purple brown",
    "car": "red blue green yellow white black gray orange",
    "fur": "black white brown gray",
    "cat": "black white brown gray orange",
    "bird": "black white brown gray blue yellow red green",
    "wood": "brown white black gray",
    "sign": "red yellow",
    "bear": "black brown white",
    "gray": "gray brown",
    "fruit": "yellow green",
    "apple": "red green yellow",
    "orange": "orange",
    "green": "green",
    "bread": "brown yellow",
    "cake": "white brown pink yellow",
    "metal": "gray black white",
}

_CATEGORY_TABLE = """
1|person|person|.72|.38|-|-|-
2|bicycle|vehicle|.36|1.5|car|metal|-
3|car|vehicle|.34|1.9|car|metal|-
4|motorcycle|vehicle|.38|1.5|car|metal|-
5|airplane|vehicle|.28|2.6|white gray red blue|metal|-
6|bus|vehicle|.56|1.8|car|metal|rectangular
7|train|vehicle|.55|2.2|car|metal|-
8|truck|vehicle|.52|1.7|car|metal|-
9|boat|vehicle|.30|2.0|car|wood plastic|-
10|traffic light|outdoor|.22|.42|black yellow green|metal|-
11|fire hydrant|outdoor|.30|.55|red yellow white blue|metal|-
13|stop sign|outdoor|.24|1.0|sign|metal|-
14|parking meter|outdoor|.40|.32|gray black blue|metal|-
15|bench|outdoor|.34|1.9|brown green black gray|wood metal stone|-
16|bird|animal|.12|1.2|bird|-|-
17|cat|animal|.20|1.3|cat|-|-
18|dog|animal|.28|1.25|fur|-|-
19|horse|animal|.58|1.15|fur|-|-
20|sheep|animal|.32|1.3|white black brown|-|-
21|cow|animal|.48|1.4|fur|-|-
22|elephant|animal|.70|1.2|gray|-|-
23|bear|animal|.50|1.2|bear|-|-
24|zebra|animal|.52|1.2|-|-|-
25|giraffe|animal|.86|.55|-|-|-
27|backpack|accessory|.22|.8|any|cloth leather|-
28|umbrella|accessory|.24|1.3|any|cloth plastic|round
31|handbag|accessory|.17|1.1|any|leather cloth|-
32|tie|accessory|.20|.3|any|cloth|-
33|suitcase|accessory|.28|.85|any|leather plastic cloth|rectangular
34|frisbee|sports|.06|1.5|any|plastic|round
35|skis|sports|.10|4.0|any|plastic wood|-
36|snowboard|sports|.12|3.0|any|plastic wood|-
37|sports ball|sports|.07|1.0|red blue white yellow orange|leather plastic|round
38|kite|sports|.14|1.2|any|cloth paper|-
39|baseball bat|sports|.20|.4|brown black gray|wood metal|-
40|baseball glove|sports|.09|1.0|brown black|leather|-
41|skateboard|sports|.07|3.2|any|wood plastic|-
42|surfboard|sports|.40|.35|any|plastic wood|-
43|tennis racket|sports|.18|.6|any|metal plastic|-
44|bottle|kitchen|.17|.32|green blue brown white red|glass plastic|-
46|wine glass|kitchen|.16|.45|-|glass|-
47|cup|kitchen|.10|.85|any|plastic paper glass|-
48|fork|kitchen|.05|3.0|gray white|metal plastic|-
49|knife|kitchen|.05|3.2|gray white|metal plastic|-
50|spoon|kitchen|.05|3.0|gray white brown|metal plastic wood|-
51|bowl|kitchen|.10|1.7|any|glass plastic wood|round
52|banana|food|.10|1.6|fruit|-|-
53|apple|food|.08|1.0|apple|-|round
54|sandwich|food|.09|1.7|bread|-|-
55|orange|food|.08|1.0|orange|-|round
56|broccoli|food|.10|1.1|green|-|-
57|carrot|food|.06|2.4|orange|-|-
58|hot dog|food|.08|2.2|bread|-|-
59|pizza|food|.11|2.4|-|-|round
60|donut|food|.07|1.3|brown pink white|-|round
61|cake|food|.16|1.3|cake|-|-
62|chair|furniture|.46|.75|any|wood plastic metal|-
63|couch|furniture|.42|2.2|any|leather cloth|-
64|potted plant|furniture|.34|.8|green|-|-
65|bed|furniture|.44|2.2|any|wood metal|rectangular
67|dining table|furniture|.42|1.9|wood|wood glass metal plastic|-
70|toilet|furniture|.38|.75|white pink blue|-|-
72|tv|electronic|.26|1.6|black gray white|plastic|rectangular
73|laptop|electronic|.16|1.35|black gray white|plastic metal|rectangular
74|mouse|electronic|.05|1.5|black white gray blue|plastic|-
75|remote|electronic|.04|2.6|black white gray|plastic|rectangular
76|keyboard|electronic|.06|3.0|black white gray|plastic|rectangular
77|cell phone|electronic|.08|.6|black white pink red|plastic|rectangular
78|microwave|appliance|.18|1.6|black white gray|metal|rectangular
79|oven|appliance|.44|.95|metal|metal|rectangular
80|toaster|appliance|.13|1.4|red white gray black|metal plastic|-
81|sink|appliance|.26|1.5|white gray|metal stone|-
82|refrigerator|appliance|.74|.5|white gray black red|metal|rectangular
84|book|indoor|.09|1.2|any|paper|rectangular
85|clock|indoor|.15|1.0|black white red brown|wood plastic metal|round
86|vase|indoor|.18|.6|any|glass stone|-
87|scissors|indoor|.07|1.6|red blue black orange|metal|-
88|teddy bear|indoor|.18|.8|brown white pink|cloth|-
89|hair drier|indoor|.12|1.0|black pink white red|plastic|-
90|toothbrush|indoor|.06|1.9|any|plastic|-
"""


def _category(line: str) -> WorldCategory:
    number, name, above, height, aspect, colours, materials, shape = line.split("|")
    palette = tuple(_COLOURS.get(colours, colours).split())
    kinds = () if materials == "-" else tuple(materials.split())
    return WorldCategory(int(number), name, above, float(height), float(aspect), palette, kinds, shape)


CATEGORIES = tuple(_category(line) for line in _CATEGORY_TABLE.split("\n") if line)
BY_NAME = {category.name: category for category in CATEGORIES}


@dataclass(frozen=True, slots=True)
class Setting:
    """One kind of place."""

    name: str
    indoors: bool
    ground: tuple[str, ...]
    items: tuple[str, ...]
    high: tuple[str, ...]
    actions: tuple[str, ...]


# A name, indoors or outdoors; then what stands on the ground, what lies on tables, benches and the like, what is
# high up (on the wall or in the sky), and what people do. A number after a colon is a weight.
_SETTING_TABLE = """
kitchen in
  ground: dining table:4, chair:4, refrigerator:3, oven:3, sink:2, cat:1, dog:1, potted plant:1, person:4
  items: bottle, cup, wine glass, fork, knife, spoon, bowl:2, banana, apple, orange, sandwich, broccoli, carrot,
    pizza, donut, cake, microwave, toaster, vase
  high: clock, tv
  people: cooking:3, eating, standing:2, sitting, drinking, talking
living room in
  ground: couch:4, chair:3, dining table:3, potted plant:2, cat:2, dog:2, person:4
  items: remote:2, laptop, book:2, cup, vase, bowl, cell phone, teddy bear, bottle, wine glass, scissors
  high: tv:3, clock
  people: sitting:3, reading:2, sleeping, talking on the phone, watching tv:2, playing a video game, standing
bedroom in
  ground: bed:6, chair:2, dining table:2, suitcase:1, cat:2, dog:1, potted plant:1, person:3
  items: teddy bear:2, book:2, laptop, cell phone, clock, vase, hair drier, remote, tie:2
  high: tv, clock
  people: sleeping:3, reading:2, sitting:2, standing, talking on the phone
bathroom in
  ground: toilet:4, sink:4, dining table:1, potted plant:1, cat:1, person:3
  items: toothbrush:3, hair drier:3, cup:2, bottle:2, scissors:2, vase, book
  high: clock
  people: standing:3, smiling, taking a picture
office in
  ground: dining table:5, chair:5, couch:1, potted plant:2, backpack:1, person:5
  items: laptop:3, keyboard:3, mouse:3, cell phone:2, book:2, cup:2, bottle, scissors, vase
  high: clock:2, tv
  people: working:3, sitting:3, typing:2, talking on the phone:2, talking:2, standing, reading
restaurant in
  ground: dining table:5, chair:5, couch:1, potted plant:2, handbag:1, person:7
  items: wine glass:3, fork:2, knife:2, spoon:2, bowl:2, cup:2, bottle:2, pizza:2, sandwich, hot dog, cake:2, donut,
    broccoli, vase
  high: clock, tv
  people: eating:4, drinking:3, sitting:3, talking:2, laughing, standing
classroom in
  ground: dining table:4, chair:6, backpack:2, person:8
  items: book:4, laptop:2, scissors:2, cell phone, bottle, apple, keyboard, mouse
  high: clock:3, tv:2
  people: reading:3, writing:3, sitting:3, talking:2, standing:2
airport in
  ground: suitcase:6, chair:4, bench:1, backpack:2, potted plant:1, person:7
  items: laptop, book, cup, cell phone, bottle, handbag
  high: clock:2, tv:3
  people: waiting:4, walking:4, sitting:2, talking on the phone:2, reading, standing:2
train station out
  ground: train:6, bench:3, suitcase:3, backpack:2, person:7
  items: book, cup, handbag, cell phone, backpack
  high: clock:4, bird
  people: waiting:4, walking:3, standing:2, talking:2, running
street out
  ground: car:6, bus:2, truck:2, motorcycle:2, bicycle:3, fire hydrant:2, parking meter:2, bench:1, dog:1, person:6
  items: handbag, cup, backpack, bottle
  high: traffic light:4, stop sign:3, clock, bird
  people: walking:5, standing:3, riding a bike:2, talking on the phone:2, running, waiting:2
parking lot out
  ground: car:8, truck:3, motorcycle:3, bus:2, bicycle:2, parking meter:2, fire hydrant:1, person:4
  items: handbag, backpack
  high: stop sign:2, bird, traffic light
  people: walking:4, standing:3, talking:2, waiting
park out
  ground: bench:4, dog:4, bicycle:2, cat:1, person:7
  items: book, bottle, cup, apple, sandwich, handbag, backpack, banana, orange
  high: kite:4, bird:3
  people: walking:3, running:2, sitting:3, playing frisbee:2, flying a kite:2, reading, laughing, playing soccer:2,
    riding a bike
beach out
  ground: boat:3, chair:3, dog:2, umbrella:3, person:8
  items: bottle, book, cup, backpack, handbag
  high: kite:4, bird:3, airplane
  people: surfing:3, walking:3, sitting:2, standing:2, flying a kite:2, running, playing frisbee:2, swimming
lake out
  ground: boat:6, bench:3, dog:2, bird:2, person:5
  items: bottle, backpack, sandwich, book
  high: bird:4, kite
  people: fishing:3, sitting:3, standing:2, swimming:2, walking
farm out
  ground: cow:5, sheep:5, horse:4, dog:2, truck:2, person:3, cat:1
  items: apple, carrot, bottle
  high: bird:3
  people: standing:3, walking:3, working:3, riding a horse
field out
  ground: horse:4, cow:4, sheep:4, zebra:1, dog:2, person:4
  items: backpack
  high: bird:4, kite:3, airplane
  people: walking:3, standing:3, running:2, flying a kite:2, playing frisbee, riding a horse
zoo out
  ground: elephant:4, giraffe:4, zebra:4, bear:3, bench:2, person:5
  items: cup, bottle, banana, handbag
  high: bird:3
  people: standing:3, taking a picture:4, walking:3, pointing:2
ski slope out
  ground: person:9, dog:1
  items: backpack
  high: airplane, bird
  people: skiing:5, snowboarding:4, standing:2
skate park out
  ground: bench:2, bicycle:2, person:8
  items: backpack, bottle
  high: bird, clock
  people: skateboarding:6, standing:2, sitting:2, watching the game, riding a bike
tennis court out
  ground: person:7, bench:3, chair:2
  items: bottle, backpack, sports ball:2
  high: clock:2, bird
  people: playing tennis:6, standing:2, watching the game:2, sitting
baseball field out
  ground: person:8, bench:3
  items: sports ball:2, baseball glove:3, bottle
  high: clock, bird, airplane
  people: playing baseball:6, running:2, standing:2, watching the game:2, sitting
airfield out
  ground: truck:3, bus:2, suitcase:3, car:2, person:5
  items: backpack, handbag
  high: airplane:8, bird
  people: walking:4, standing:3, working:2, waiting:2
harbor out
  ground: boat:7, bicycle:2, bench:3, car:1, person:5
  items: bottle, handbag, sandwich
  high: bird:5
  people: fishing:3, walking:3, standing:2, sitting:2, working
backyard out
  ground: chair:4, dining table:4, dog:4, cat:2, potted plant:4, bicycle:1, person:5
  items: pizza, hot dog:3, sandwich:2, cup:2, bottle:3, bowl:2, cake, knife, fork, frisbee
  high: kite, bird:2
  people: eating:3, sitting:3, playing frisbee:2, laughing:2, cooking, standing
market out
  ground: dining table:5, truck:1, bicycle:2, person:8, dog:1
  items: banana:3, apple:4, orange:4, carrot:3, broccoli:3, vase, bowl, cake, donut:2
  high: clock, bird, umbrella
  people: shopping:5, standing:3, walking:3, talking:3, pointing
wedding in
  ground: dining table:4, chair:5, potted plant:3, person:9
  items: cake:5, wine glass:4, bottle:2, vase:3, knife, fork, spoon
  high: clock
  people: dancing:4, smiling:3, laughing:2, standing:2, drinking:2, taking a picture:2
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
    for part in text.replace("\n   ", "").split(", "):
        name, _, weight = part.partition(":")
        names += [name] * int(weight or 1)
    return tuple(names)


def _setting(entry: str) -> Setting:
    name, ground, items, high, people = re.split(r"\n  (?:ground|items|high|people): ", entry)
    name, _, where = name.rpartition(" ")
    return Setting(name, where == "in", _weighted(ground), _weighted(items), _weighted(high), _weighted(people))


SETTINGS = {setting.name: setting for setting in map(_setting, re.split(r"\n(?=\w)", _SETTING_TABLE.strip()))}
