"""The eighty COCO categories by their official names and ids, and how the world shows each of them.

height  of the thing in the foreground, as a share of the picture's height; width = height × aspect
place   where it is put: ground, item (on a table and the like), wall, sky, held (in a hand, or lying on the ground)
shape   round, rectangular, or "-" where nobody would say either
"""

from dataclasses import dataclass

__all__ = ["BY_NAME", "CATEGORIES", "Category"]


@dataclass(frozen=True, slots=True)
class Category:
    """One COCO category."""

    id: int
    name: str
    supercategory: str
    height: float
    aspect: float
    place: str
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
    "pale": "white gray black",
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

_TABLE = """
1|person|person|.72|.38|ground|-|-|-
2|bicycle|vehicle|.36|1.5|ground|car|metal|-
3|car|vehicle|.34|1.9|ground|car|metal|-
4|motorcycle|vehicle|.38|1.5|ground|car|metal|-
5|airplane|vehicle|.28|2.6|sky|white gray red blue|metal|-
6|bus|vehicle|.56|1.8|ground|car|metal|rectangular
7|train|vehicle|.55|2.2|ground|car|metal|-
8|truck|vehicle|.52|1.7|ground|car|metal|-
9|boat|vehicle|.30|2.0|ground|car|wood plastic|-
10|traffic light|outdoor|.22|.42|wall|black yellow green|metal|-
11|fire hydrant|outdoor|.30|.55|ground|red yellow white blue|metal|-
13|stop sign|outdoor|.24|1.0|wall|sign|metal|-
14|parking meter|outdoor|.40|.32|ground|gray black blue|metal|-
15|bench|outdoor|.34|1.9|ground|brown green black gray|wood metal stone|-
16|bird|animal|.12|1.2|sky|bird|-|-
17|cat|animal|.20|1.3|ground|cat|-|-
18|dog|animal|.28|1.25|ground|fur|-|-
19|horse|animal|.58|1.15|ground|fur|-|-
20|sheep|animal|.32|1.3|ground|white black brown|-|-
21|cow|animal|.48|1.4|ground|fur|-|-
22|elephant|animal|.70|1.2|ground|gray|-|-
23|bear|animal|.50|1.2|ground|bear|-|-
24|zebra|animal|.52|1.2|ground|-|-|-
25|giraffe|animal|.86|.55|ground|-|-|-
27|backpack|accessory|.22|.8|held|any|cloth leather|-
28|umbrella|accessory|.24|1.3|held|any|cloth plastic|round
31|handbag|accessory|.17|1.1|held|any|leather cloth|-
32|tie|accessory|.20|.3|held|any|cloth|-
33|suitcase|accessory|.28|.85|ground|any|leather plastic cloth|rectangular
34|frisbee|sports|.06|1.5|held|any|plastic|round
35|skis|sports|.10|4.0|held|any|plastic wood|-
36|snowboard|sports|.12|3.0|held|any|plastic wood|-
37|sports ball|sports|.07|1.0|held|red blue white yellow orange|leather plastic|round
38|kite|sports|.14|1.2|sky|any|cloth paper|-
39|baseball bat|sports|.20|.4|held|brown black gray|wood metal|-
40|baseball glove|sports|.09|1.0|held|brown black|leather|-
41|skateboard|sports|.07|3.2|held|any|wood plastic|-
42|surfboard|sports|.40|.35|held|any|plastic wood|-
43|tennis racket|sports|.18|.6|held|any|metal plastic|-
44|bottle|kitchen|.17|.32|item|green blue brown white red|glass plastic|-
46|wine glass|kitchen|.16|.45|item|-|glass|-
47|cup|kitchen|.10|.85|item|any|plastic paper glass|-
48|fork|kitchen|.05|3.0|item|gray white|metal plastic|-
49|knife|kitchen|.05|3.2|item|gray white|metal plastic|-
50|spoon|kitchen|.05|3.0|item|gray white brown|metal plastic wood|-
51|bowl|kitchen|.10|1.7|item|any|glass plastic wood|round
52|banana|food|.10|1.6|item|fruit|-|-
53|apple|food|.08|1.0|item|apple|-|round
54|sandwich|food|.09|1.7|item|bread|-|-
55|orange|food|.08|1.0|item|orange|-|round
56|broccoli|food|.10|1.1|item|green|-|-
57|carrot|food|.06|2.4|item|orange|-|-
58|hot dog|food|.08|2.2|item|bread|-|-
59|pizza|food|.11|2.4|item|-|-|round
60|donut|food|.07|1.3|item|brown pink white|-|round
61|cake|food|.16|1.3|item|cake|-|-
62|chair|furniture|.46|.75|ground|any|wood plastic metal|-
63|couch|furniture|.42|2.2|ground|any|leather cloth|-
64|potted plant|furniture|.34|.8|ground|green|-|-
65|bed|furniture|.44|2.2|ground|any|wood metal|rectangular
67|dining table|furniture|.42|1.9|ground|wood|wood glass metal plastic|-
70|toilet|furniture|.38|.75|ground|white pink blue|-|-
72|tv|electronic|.26|1.6|wall|black gray white|plastic|rectangular
73|laptop|electronic|.16|1.35|item|black gray white|plastic metal|rectangular
74|mouse|electronic|.05|1.5|item|black white gray blue|plastic|-
75|remote|electronic|.04|2.6|item|black white gray|plastic|rectangular
76|keyboard|electronic|.06|3.0|item|black white gray|plastic|rectangular
77|cell phone|electronic|.08|.6|item|black white pink red|plastic|rectangular
78|microwave|appliance|.18|1.6|item|black white gray|metal|rectangular
79|oven|appliance|.44|.95|ground|metal|metal|rectangular
80|toaster|appliance|.13|1.4|item|red white gray black|metal plastic|-
81|sink|appliance|.26|1.5|ground|white gray|metal stone|-
82|refrigerator|appliance|.74|.5|ground|white gray black red|metal|rectangular
84|book|indoor|.09|1.2|item|any|paper|rectangular
85|clock|indoor|.15|1.0|wall|black white red brown|wood plastic metal|round
86|vase|indoor|.18|.6|item|any|glass stone|-
87|scissors|indoor|.07|1.6|item|red blue black orange|metal|-
88|teddy bear|indoor|.18|.8|item|brown white pink|cloth|-
89|hair drier|indoor|.12|1.0|item|black pink white red|plastic|-
90|toothbrush|indoor|.06|1.9|item|any|plastic|-
"""


def _read(line: str) -> Category:
    number, name, above, height, aspect, place, colours, materials, shape = line.split("|")
    palette = tuple(_COLOURS.get(colours, colours).split())
    stuff = () if materials == "-" else tuple(materials.split())
    return Category(int(number), name, above, float(height), float(aspect), place, palette, stuff, shape)


CATEGORIES = tuple(_read(line) for line in _TABLE.split("\n") if line)
BY_NAME = {category.name: category for category in CATEGORIES}
