"""What a question means, as a value: the same for all the ways to say it.

A `Meaning` has a kind and, by kind, the thing it asks about (`of`), another thing (`to`), the relation between the two,
and the value asked for. A `Ref` describes a thing as a speaker does ("the small red car next to the bench", "she").

    exists, count                     of (indefinite): is there a red car? how many dogs are there?
    colour, size, material, shape,    of: what color is the car? what is the man doing?
    action, where, side, gender, age,
    wearing, holding, alone
    is_colour, is_size, is_material,  of, value: is the car red? is it on the left? is she young?
    is_shape, is_action, is_side,
    is_gender, is_age
    is_kind                           of, value (a supercategory): is it furniture?
    is_a, is_the                      of, to: is it a dog? is it the red car?
    nth                               of, value "3 left", to (its noun, or none): is it the third cup from the left?
    wears, garment_colour             of, value (the garment), shade: is he wearing a red hat? what color is her shirt?
    who                               value, shade: who is wearing a hat?
    is_holding                        of, to
    relation                          of, relation, to: is the cat on the couch?
    what                              of (a noun or none), relation, to (or value, a side): what animal is on the couch?
    more, bigger, same_colour         of, to: are there more cups than bowls?
    setting, room, weather, time,     nothing: what is the weather like?
    indoors, in_colour, black_white
    is_setting, is_weather, is_time,  value: is this a kitchen? is it sunny?
    is_indoors
"""

import msgspec

__all__ = ["GENERAL", "IT", "YES_NO", "Meaning", "Ref"]


class Ref(msgspec.Struct, frozen=True, omit_defaults=True):
    """A description of one thing or of several.

    noun      a noun's sense: a COCO category, man, woman, boy, girl, child, animal, vehicle; empty for a pronoun
    many      whether a definite description is plural ("the dogs"); always False for indefinite ones
    side      "the car on the left"
    garment   "the man in the red hat", with its shade
    relation  "the dog next to the bench", with the other thing
    pronoun   it, he, she or they, in place of all the rest
    """

    noun: str = ""
    many: bool = False
    size: str = ""
    colour: str = ""
    material: str = ""
    side: str = ""
    garment: str = ""
    shade: str = ""
    relation: str = ""
    other: "Ref | None" = None
    pronoun: str = ""


class Meaning(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a question asks; see the module's list of kinds."""

    kind: str
    of: Ref | None = None
    value: str = ""
    shade: str = ""
    relation: str = ""
    to: Ref | None = None


IT = Ref(pronoun="it")

# Questions about the picture as a whole.
_TESTS_OF_THE_WHOLE = ("in_colour", "black_white", "is_setting", "is_weather", "is_time", "is_indoors")
GENERAL = frozenset(("setting", "room", "weather", "time", "indoors", *_TESTS_OF_THE_WHOLE))

YES_NO = frozenset(
    (
        *("exists", "is_colour", "is_size", "is_material", "is_shape", "is_action", "is_side", "is_gender", "is_age"),
        *("is_kind", "is_a", "is_the", "nth", "wears", "is_holding", "relation", "more", "bigger", "same_colour"),
        *("alone", *_TESTS_OF_THE_WHOLE),
    )
)
