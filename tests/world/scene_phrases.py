"""The phrases of a world's language and what is so in a scene, for a reader that shares no code with the grammar.

Words, patterns and truth are written anew here. A pattern is matched by trying; a noun phrase is at once the things
that it denotes, a predicate a function of a thing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Thing = dict[str, Any]
Tokens = list[str]
Fact = Callable[[Thing], bool | None]
"""Whether something is so of a thing; None where it cannot be said of it."""
Slot = Callable[[Tokens, int], Iterator[tuple[Any, int]]]

CONTRACTED = {
    "isn't": "is not", "aren't": "are not", "don't": "do not", "doesn't": "does not", "can't": "can not",
    "it's": "it is", "he's": "he is", "she's": "she is", "they're": "they are", "i'm": "i am", "there's": "there is",
    "what's": "what is", "where's": "where is", "who's": "who is", "photo": "picture", "image": "picture",
    "grey": "gray", "an": "a",
}  # fmt: skip
COLOURS = ["red", "blue", "green", "yellow", "white", "black", "brown", "orange", "pink", "purple", "gray"]
SIZES = {"small": "small", "little": "small", "large": "large", "big": "large", "medium sized": "medium"}
MATERIALS = {name: name for name in ("wood", "metal", "plastic", "glass", "leather", "cloth", "paper", "stone")}
MATERIALS |= {"wooden": "wood"}
SHAPES = {"round": "round", "circular": "round", "rectangular": "rectangular"}
SHAPED = dict.fromkeys(
    ("umbrella", "frisbee", "sports ball", "bowl", "apple", "orange", "pizza", "donut", "clock"), "round"
) | dict.fromkeys(
    (
        *("bus", "suitcase", "bed", "tv", "laptop", "remote", "keyboard", "cell phone", "microwave", "oven"),
        *("refrigerator", "book"),
    ),
    "rectangular",
)
GARMENTS = {
    "hat": "hats", "shirt": "shirts", "jacket": "jackets", "dress": "dresses", "scarf": "scarves", "pants": "pants",
    "shorts": "shorts", "shoes": "shoes", "glasses": "glasses",
}  # fmt: skip
WORN = {form: kind for kind, many in GARMENTS.items() for form in (kind, many)} | {"coat": "jacket"}
SIDES = {
    "on the left": "left", "on the left side": "left", "on the right": "right", "on the right side": "right",
    "in the middle": "middle", "in the center": "middle", "at the top": "top", "at the bottom": "bottom",
    "in the foreground": "near", "in the front": "near", "in the background": "far", "in the back": "far",
}  # fmt: skip
RELATIONS = {
    "on": "on", "on top of": "on", "next to": "beside", "beside": "beside", "near": "beside", "above": "above",
    "to the left of": "left of", "left of": "left of", "to the right of": "right of", "right of": "right of",
    "below": "below", "under": "below", "in front of": "before", "behind": "behind",
}  # fmt: skip
KINDS = {
    "food": "food", "something to eat": "food", "a food item": "food", "furniture": "furniture",
    "a piece of furniture": "furniture", "a kitchen item": "kitchen", "tableware": "kitchen",
    "a appliance": "appliance", "a kitchen appliance": "appliance", "electronic": "electronic",
    "a electronic device": "electronic", "sports equipment": "sports", "a piece of sports equipment": "sports",
    "a accessory": "accessory",
}  # fmt: skip
AGES = {
    "young": "young", "fairly young": "young", "old": "old", "elderly": "old",
    "very young": "child", "just a child": "child",
}  # fmt: skip
WEATHERS = {"sunny": "sunny", "cloudy": "cloudy", "overcast": "cloudy", "rainy": "rainy", "snowy": "snowy"}
TIMES = dict.fromkeys(("day", "daytime", "day time"), "day")
TIMES |= dict.fromkeys(("night", "nighttime", "night time"), "night")
INSIDE = {"indoors": True, "inside": True, "outdoors": False, "outside": False}
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
PRONOUNS = {"it": "it", "he": "he", "him": "he", "she": "she", "her": "she", "they": "they", "them": "they"}
EVERY_PRONOUN = ("it", "he", "she", "they")
OWNERS = {"his": "he", "her": "she", "their": "they"}
ODD_NOUNS = {
    "person": "person/people", "man": "man guy/men guys", "woman": "woman lady/women ladies", "boy": "boy/boys",
    "girl": "girl/girls", "child": "child kid/children kids", "animal": "animal/animals", "vehicle": "vehicle/vehicles",
    "bicycle": "bicycle bike/bicycles bikes", "motorcycle": "motorcycle motorbike/motorcycles motorbikes",
    "airplane": "airplane plane/airplanes planes", "bus": "bus/buses", "bench": "bench/benches", "sheep": "sheep/sheep",
    "handbag": "handbag purse/handbags purses", "skis": "pair_of_skis/skis", "sports ball": "ball/balls",
    "baseball bat": "baseball_bat bat/baseball_bats bats", "knife": "knife/knives", "sandwich": "sandwich/sandwiches",
    "tennis racket": "tennis_racket racket/tennis_rackets rackets", "wine glass": "wine_glass/wine_glasses",
    "broccoli": "piece_of_broccoli/pieces_of_broccoli", "donut": "donut doughnut/donuts doughnuts",
    "couch": "couch sofa/couches sofas", "potted plant": "potted_plant plant/potted_plants plants",
    "dining table": "table/tables", "tv": "tv television/tvs televisions", "mouse": "computer_mouse/computer_mice",
    "remote": "remote remote_control/remotes remote_controls", "cell phone": "cell_phone phone/cell_phones phones",
    "refrigerator": "refrigerator fridge/refrigerators fridges", "scissors": "pair_of_scissors/scissors",
    "teddy bear": "teddy_bear stuffed_bear/teddy_bears stuffed_bears", "hair drier": "hair_dryer/hair_dryers",
    "toothbrush": "toothbrush/toothbrushes",
}  # fmt: skip


def tokens_of(text: str) -> Tokens:
    """The words, with what makes no difference made one."""
    plain = text.lower().strip().rstrip("?.! ").replace(",", "").replace("colour", "color")
    return " ".join(CONTRACTED.get(word, word) for word in plain.split()).split()


def phrase(tokens: Tokens, at: int, table: dict[str, Any] | Tokens) -> Iterator[tuple[Any, int]]:
    """The entries of a table that stand here, the longest first."""
    forms = sorted(table, key=lambda form: -len(form.split()))
    for form in forms:
        words = form.split()
        if tokens[at : at + len(words)] == words:
            yield (table[form] if isinstance(table, dict) else form), at + len(words)


def centre(thing: Thing) -> tuple[float, float]:
    """The middle of a box."""
    x, y, w, h = thing["bbox"]
    return x + w / 2, y + h / 2


def area(thing: Thing) -> float:
    """Of a box."""
    return float(thing["bbox"][2] * thing["bbox"][3])


@dataclass
class Named:
    """A noun phrase: the things that it denotes, if it is plural, its pronoun or noun, and what its modifier names."""

    things: Sequence[Thing]
    many: bool = False
    pronoun: str = ""
    sense: str = ""
    other: "Named | None" = None

    @property
    def single(self) -> bool:
        """Whether it denotes as many things as it must: one, or any number of the plural."""
        return bool(self.things) and (len(self.things) == 1 or self.many or self.pronoun == "they")


class ScenePhrases:
    """The phrases of questions and answers about one scene, with what pronouns refer to now."""

    def __init__(self, scene: dict[str, Any], above: dict[str, str], actions: set[str], places: set[str]) -> None:
        """above: the supercategory of each category; actions, places: all that scenes have."""
        self.scene, self.things, self.above, self.places = scene, scene["things"], above, sorted(places)
        self.actions = {action: action for action in actions}
        self.actions |= {"on the phone": "talking on the phone", "laying down": "lying down"}
        self.one, self.several = {}, {}
        for sense in (*above, *("man", "woman", "boy", "girl", "child", "animal", "vehicle", "person")):
            singular, plural = ODD_NOUNS.get(sense, f"{sense.replace(' ', '_')}/{sense.replace(' ', '_')}s").split("/")
            self.one |= {form.replace("_", " "): sense for form in singular.split()}
            self.several |= {form.replace("_", " "): sense for form in plural.split()}
        self.focus: dict[str, Sequence[Thing]] = {}
        self.alone = False
        self.slots: dict[str, Slot] = {
            "np": lambda tokens, at: self.noun_phrase(tokens, at, ("the", "all the"), True),
            "that": lambda tokens, at: self.noun_phrase(tokens, at, ("the", "all the"), False),
            "some": lambda tokens, at: self.noun_phrase(tokens, at, ("a", "any", ""), True),
            "kind": lambda tokens, at: self.noun_phrase(tokens, at, ("any", ""), False),
            "pred": self.predicate,
            "mod": self.modifier,
            "side": lambda tokens, at: phrase(tokens, at, SIDES),
            "relation": lambda tokens, at: phrase(tokens, at, RELATIONS),
            "worn": self.garment,
            "garment": lambda tokens, at: phrase(tokens, at, WORN),
            "owner": lambda tokens, at: phrase(tokens, at, OWNERS),
            "color": lambda tokens, at: phrase(tokens, at, COLOURS),
            "place": lambda tokens, at: phrase(tokens, at, self.places),
            "weather": lambda tokens, at: phrase(tokens, at, WEATHERS),
            "time": lambda tokens, at: phrase(tokens, at, TIMES),
            "inside": lambda tokens, at: phrase(tokens, at, INSIDE),
        }

    # Matching.

    def match(self, pattern: str, tokens: Tokens) -> Iterator[list[Any]]:
        """The slots' values in each way in which a pattern is the whole text.

        `<slot>`, `a|b`, `{a b|c}`, `[may be missing]`
        """
        parts = re.findall(r"\[[^]]*\]|\{[^}]*\}|\S+", pattern)

        def go(part: int, at: int, values: list[Any]) -> Iterator[list[Any]]:
            if part == len(parts):
                if at == len(tokens):
                    yield values
                return
            form = parts[part]
            if form.startswith("<"):
                for value, after in self.slots[form[1:-1]](tokens, at):
                    yield from go(part + 1, after, [*values, value])
                return
            for option in form.strip("[]{}").split("|"):
                words = option.split()
                if tokens[at : at + len(words)] == words:
                    yield from go(part + 1, at + len(words), values)
            if form.startswith("["):
                yield from go(part + 1, at, values)

        return go(0, 0, [])

    def fits(self, thing: Thing, sense: str) -> bool:
        """Whether a thing may be called so."""
        if sense in (thing["category"], self.above[thing["category"]]):
            return True
        return sense == self.name(thing) or (sense == "child" and thing.get("age") == "child")

    def name(self, thing: Thing) -> str:
        """What a thing is called: people by sex and age."""
        if not thing.get("gender"):
            return str(thing["category"])
        words = {"male": ("man", "boy"), "female": ("woman", "girl")}[thing["gender"]]
        return words[thing["age"] == "child"]

    def noun_phrase(
        self, tokens: Tokens, at: int, determiners: tuple[str, ...], modified: bool
    ) -> Iterator[tuple[Named, int]]:
        """A pronoun, or determiner, adjectives, noun and modifier."""
        if "the" in determiners and tokens[at : at + 1] and tokens[at] in PRONOUNS:
            pronoun = PRONOUNS[tokens[at]]
            yield Named(self.focus.get(pronoun, []), False, pronoun), at + 1
            return
        for determiner in determiners:
            words = determiner.split()
            if tokens[at : at + len(words)] != words:
                continue
            for facts, after in self.adjectives(tokens, at + len(words)):
                for many, table in ((True, self.several), (False, self.one)):
                    for sense, end in phrase(tokens, after, table):
                        both = many and sense == "sheep" and determiner == "the"
                        if (determiner == "all the" and not many) or both or (determiner == "a" and many):
                            continue
                        every: list[Fact] = [*facts, lambda thing, sense=sense: self.fits(thing, sense)]
                        if modified:
                            for (fact, other), beyond in self.modifier(tokens, end):
                                yield self._named([*every, fact], many, sense, other), beyond
                        yield self._named(every, many, sense, None), end

    def _named(self, facts: list[Fact], many: bool, sense: str, other: Named | None) -> Named:
        return Named([t for t in self.things if all(fact(t) for fact in facts)], many, "", sense, other)

    def adjectives(self, tokens: Tokens, at: int) -> Iterator[tuple[list[Fact], int]]:
        """Size, colour and material, each or none."""
        states: list[tuple[list[Fact], int]] = [([], at)]
        for name, table in (
            ("size", SIZES),
            ("colour", dict(zip(COLOURS, COLOURS, strict=True))),
            ("material", MATERIALS),
        ):
            states += [
                ([*facts, lambda thing, name=name, value=value: thing.get(name) == value], after)
                for facts, begin in states
                for value, after in phrase(tokens, begin, table)
            ]
        return iter(sorted(states, key=lambda state: -state[1]))

    def modifier(self, tokens: Tokens, at: int) -> Iterator[tuple[tuple[Fact, Named | None], int]]:
        """On the left; in the red hat; with glasses; next to the bench."""
        for side, after in phrase(tokens, at, SIDES):
            yield (lambda thing, side=side: self.lies(thing, side), None), after
        if tokens[at : at + 2] == ["with", "glasses"]:
            yield (lambda thing: self.wears(thing, "glasses", ""), None), at + 2
        if tokens[at : at + 1] == ["in"]:
            begin = at + 1 + (tokens[at + 1 : at + 2] in (["the"], ["a"]))
            for (kind, shade), after in self.garment(tokens, begin):
                yield (lambda thing, kind=kind, shade=shade: self.wears(thing, kind, shade), None), after
        for fact, other, after in self.relative(tokens, at):
            yield (fact, other), after

    def relative(self, tokens: Tokens, at: int) -> Iterator[tuple[Fact, Named, int]]:
        """A relation with what the thing is related to; the article may be missing, as in "on table"."""
        for relation, begin in phrase(tokens, at, RELATIONS):
            for other, after in self.noun_phrase(tokens, begin, ("the", "all the", ""), False):
                yield (
                    (
                        lambda thing, relation=relation, other=other: (
                            any(self.related(thing, relation, to) for to in other.things) if other.things else None
                        )
                    ),
                    other,
                    after,
                )

    def garment(self, tokens: Tokens, at: int) -> Iterator[tuple[tuple[str, str], int]]:
        """A red hat: the garment and its colour."""
        at += tokens[at : at + 1] == ["a"]
        for colour, after in [*phrase(tokens, at, COLOURS), ("", at)]:
            for kind, end in phrase(tokens, after, WORN):
                yield (kind, colour), end

    # What is so.

    def wears(self, thing: Thing, kind: str, shade: str) -> bool:
        """Whether somebody has a garment on."""
        return any(worn["kind"] == kind and shade in ("", worn["colour"]) for worn in thing.get("wears", ()))

    def lies(self, thing: Thing, side: str) -> bool:
        """Two fifths of the picture, or its middle third; near stands in the lowest fifth, far ends well above it."""
        (x, y), (_, top, _, height) = centre(thing), thing["bbox"]
        across, down = x / self.scene["width"], y / self.scene["height"]
        foot = (top + height) / self.scene["height"]
        return {
            "left": across <= 0.4,
            "right": across >= 0.6,
            "middle": 1 / 3 < across < 2 / 3,
            "top": down <= 0.4,
            "bottom": down >= 0.6,
            "near": foot >= 0.8,
            "far": foot < 0.65,
        }[side]

    def related(self, thing: Thing, relation: str, other: Thing) -> bool:
        """How two boxes lie to each other; what is on something is planted."""
        if thing["id"] == other["id"]:
            return False
        if relation == "on":
            return bool(thing.get("on") == other["id"])
        if relation in ("right of", "below", "behind"):
            turned = {"right of": "left of", "below": "above", "behind": "before"}[relation]
            return self.related(other, turned, thing)
        (ax, ay, aw, ah), (bx, by, bw, bh) = thing["bbox"], other["bbox"]
        if relation == "left of":
            return ax < bx and centre(thing)[0] < bx + bw / 5
        shared = min(ax + aw, bx + bw) - max(ax, bx)
        if relation == "above":
            return shared > 0 and ay + ah <= by + 0.15 * bh
        beside = min(ay + ah, by + bh) - max(ay, by)
        if thing.get("on") == other["id"] or other.get("on") == thing["id"]:
            return False
        if relation == "beside":
            gap = -shared
            return beside > 0.3 * min(ah, bh) and -0.25 * min(aw, bw) < gap < 0.6 * min(max(aw, bw), 120)
        return shared > 0.3 * min(aw, bw) and beside > 0 and (ay + ah) - (by + bh) > 12

    def held(self, thing: Thing) -> Thing | None:
        """What is in somebody's hand."""
        return next((other for other in self.things if other["id"] == thing.get("holds")), None)

    def predicate(self, tokens: Tokens, at: int) -> Iterator[tuple[tuple[Fact, Named | None], int]]:
        """What may follow "it is", with what else it mentions."""

        def valued(name: str) -> Callable[[Any], Fact]:
            return lambda value: lambda thing: thing.get(name) == value if thing.get(name) else None

        for value, after in phrase(tokens, at, COLOURS):
            yield (valued("colour")(value), None), after + 2 * (tokens[after : after + 2] == ["in", "color"])
        for value, after in phrase(tokens, at, SIZES):
            yield (valued("size")(value), None), after
        begin = next((after for _, after in phrase(tokens, at, ["made of", "made out of"])), at)
        for value, after in phrase(tokens, begin, MATERIALS):
            yield (valued("material")(value), None), after
        for value, after in phrase(tokens, at, SHAPES):
            end = after + 2 * (tokens[after : after + 2] == ["in", "shape"])
            yield (lambda thing, value=value: SHAPED.get(thing["category"]) == value, None), end
        for value, after in phrase(tokens, at, self.actions):
            yield (lambda thing, value=value: thing.get("action") == value, None), after
        begin = at + (tokens[at : at + 1] == ["located"])
        for side, after in phrase(tokens, begin, SIDES):
            yield (lambda thing, side=side: self.lies(thing, side), None), after
        for fact, other, after in self.relative(tokens, begin):
            yield (fact, other), after
        if tokens[at : at + 1] in (["wearing"], ["wear"], ["have"]):
            for (kind, shade), after in self.garment(tokens, at + 1):
                end = after + (tokens[after : after + 1] == ["on"])
                yield (lambda thing, kind=kind, shade=shade: self.wears(thing, kind, shade), None), end
        if tokens[at : at + 1] in (["holding"], ["carrying"]):
            for what, after in self.noun_phrase(tokens, at + 1, ("a",), False):
                yield (lambda thing, what=what: self.held(thing) in what.things, None), after
            if tokens[at + 1 : at + 2] == ["anything"]:
                yield (lambda thing: self.held(thing) is not None, None), at + 2
        for value in ("male", "female"):
            if tokens[at : at + 1] == [value]:
                yield (lambda thing, value=value: thing.get("gender", "") == value, None), at + 1
        for value, after in phrase(tokens, at, AGES):
            yield (lambda thing, value=value: thing.get("age", "") == value, None), after
        for value, after in phrase(tokens, at, KINDS):
            yield (lambda thing, value=value: self.above[thing["category"]] == value, None), after
        if tokens[at : at + 1] == ["alone"]:
            people = sum(thing["category"] == "person" for thing in self.things)
            yield (lambda thing: people <= 1, None), at + 1
        for what, after in self.noun_phrase(tokens, at, ("a",), True):
            yield (lambda thing, what=what: thing in what.things, None), after
        for what, after in self.noun_phrase(tokens, at, ("the",), True):
            yield (lambda thing, what=what: thing in what.things, what), after
        yield from self.ordinal(tokens, at)
        for words, compare in ((("bigger", "than"), self._bigger), (("larger", "than"), self._bigger)):
            if tuple(tokens[at : at + 2]) == words:
                for other, after in self.noun_phrase(tokens, at + 2, ("the",), False):
                    yield (compare(other), other), after
        begin = at + (tokens[at : at + 1] == ["have"])
        if tokens[begin : begin + 4] == ["the", "same", "color", "as"]:
            for other, after in self.noun_phrase(tokens, begin + 4, ("the",), False):
                yield (self._like(other), other), after

    def _bigger(self, other: Named) -> Fact:
        return lambda thing: all(area(thing) > area(to) for to in other.things) if len(other.things) == 1 else None

    def _like(self, other: Named) -> Fact:
        def same(thing: Thing) -> bool | None:
            colours = [thing.get("colour"), *(to.get("colour") for to in other.things)]
            return len(set(colours)) == 1 if all(colours) and other.things else None

        return same

    def ordinal(self, tokens: Tokens, at: int) -> Iterator[tuple[tuple[Fact, None], int]]:
        """The third cup from the left."""
        if tokens[at : at + 1] != ["the"] or tokens[at + 1 : at + 2] == [] or tokens[at + 1] not in ORDINALS:
            return
        number = ORDINALS.index(tokens[at + 1])
        rows = [(self.things, at + 2), *((what.things, end) for what, end in self.slots["kind"](tokens, at + 2))]
        for row, after in rows:
            side = tokens[after + 2 : after + 3]
            if tokens[after : after + 2] == ["from", "the"] and side in (["left"], ["right"]):
                order = [thing["id"] for thing in sorted(row, key=centre, reverse=side == ["right"])]
                yield (lambda thing, order=order: order[number : number + 1] == [thing["id"]], None), after + 3
