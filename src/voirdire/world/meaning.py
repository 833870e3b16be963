"""What a question means, as a value: the same for all the ways to say it; and these ways, as sentence patterns.

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


# For each kind its patterns. Capitals are slots. D is a definite description or a pronoun (Dn: no pronoun); I an
# indefinite one in the singular, B in the plural ("any dogs"); N a bare noun; PG a possessive with a garment ("his
# shirt"); GP a garment ("a red hat"), G one without article; a 2 after a slot makes it the other thing. C is a colour,
# Z a size, M a material (Ma as an adjective), H a shape, A an action, S a side, R a relation, X a gender, Y an age,
# K a kind, W the weather, T the time, L indoors, P a place, Q a place with its preposition, O "the third cup from the
# left".
#
# `*` is where a modifier may stand (on the left, next to the bench, in the red hat), `+` where one must. `is` and
# `does` agree with the first D (`is@` with the garment, `is!` with neither). A pattern after `^` leaves its subject
# out: it is understood as "it", as in guessing games.
_TABLE = """
exists
  is there I *
  is there I in the picture
  are there B *
  are there B in the picture
  do you see I *
  do you see B *
  can you see I *
  can you see B *
  is I * visible
  does! the picture show I *
  B *
count
  how many B are there *
  how many B do you see *
  how many B can you see *
  how many B are in the picture
  how many B * are visible
  how many B are +
  what is the number of B *
colour
  what color is D *
  what is! the color of Dn *
  which color is D *
  can you tell what color D * is
is_colour
  is D * C
  is D * C in color
  does D * look C
  is! the color of Dn * C
  ^ C
size
  is D * big or small
  is D * large or small
  what size is D *
  how big is D *
  how large is D *
is_size
  is D * Z
  does D * look Z
  would you say D * is Z
material
  what is D * made of
  what is D * made out of
  what material is D *
  what material is D * made of
  which material is D * made of
is_material
  is D * made of M
  is D * made out of M
  is D * Ma
shape
  what shape is D *
  what is! the shape of Dn *
is_shape
  is D * H
  is D * H in shape
action
  what is D * doing
  what is D * doing in the picture
  can you tell what D * is doing
  what do you see D * doing
is_action
  is D * A
  is D * A in the picture
  does! it look like D * is A
where
  where is D *
  where is D * located
  where in the picture is D *
  can you tell where D * is
side
  is D * on the left or on the right
  is D * on the right or on the left
  which side of the picture is D * on
is_side
  is D S
  is D S of the picture
  is D located S
  ^ S
relation
  is D * R D2
  is D * located R D2
  can you tell if D * is R D2
  ^ R D2
wears
  is D * wearing GP
  does D * have GP on
  does D * wear GP
garment_colour
  what color is@ PG
  what is! the color of PG
  what color is@ the G of Dn *
  what color G is D * wearing
  what color G does D * have on
wearing
  what is D * wearing
  what does D * have on
  what clothes is D * wearing
  what is D * dressed in
who
  who is wearing GP
  who has GP on
holding
  what is D * holding
  what does D * hold
  what is D * carrying
is_holding
  is D * holding I2
  is D * carrying I2
gender
  is D * a man or a woman
  is D * male or female
  what is! the gender of Dn *
is_gender
  is D * X
  would you say D * is X
age
  how old is D *
  how old does D * look
  about how old is D *
is_age
  is D * Y
  does D * look Y
is_a
  is D * I2
  ^ I2
is_the
  is D D2 *
is_kind
  is D K
  ^ K
nth
  is D O
  ^ O
alone
  is D * alone
what
  what is R D2 *
  what do you see R D2 *
  what can you see R D2 *
  what N is R D2 *
  which N is R D2 *
  what is S
  what do you see S
  what is S of the picture
  what N is S
  which N is S
more
  are there more B than B2
  do you see more B than B2
  can you see more B than B2
bigger
  is D * bigger than D2
  is D * larger than D2
  does D * look bigger than D2
same_colour
  is D * the same color as D2
  does D * have the same color as D2
setting
  where is this
  where was the picture taken
  what kind of place is this
  what is the setting of the picture
  what place does the picture show
  what kind of place is it
room
  what room is this
  which room is this
  what room is it
  what room was the picture taken in
is_setting
  is this a P
  is it a P
  is this Q
  was the picture taken Q
  does this look like a P
  does the picture show a P
indoors
  is this inside or outside
  is it indoors or outdoors
  is this indoors or outdoors
  was the picture taken inside or outside
  is the picture indoors or outdoors
is_indoors
  is this L
  is it L
  was the picture taken L
  is the picture L
  does it look like this is L
weather
  what is the weather like
  how is the weather
  how does the weather look
  what is the weather like in the picture
  what kind of weather is it
is_weather
  is it W
  does it look W
  is the weather W
  does the weather look W
  is it W in the picture
time
  is it day or night
  is it daytime or nighttime
  what time of day is it
  what time of day was the picture taken
is_time
  is it T
  does it look like T
  does it look like it is T
  is it T in the picture
  was the picture taken during the T
in_colour
  is the picture in color
  is this picture in color
  is this a color picture
  is it a color picture
black_white
  is the picture black and white
  is the picture in black and white
  is this picture black and white
  is this a black and white picture
"""


def _templates() -> dict[str, tuple[tuple[str, ...], ...]]:
    kinds: dict[str, list[tuple[str, ...]]] = {}
    patterns: list[tuple[str, ...]] = []
    for line in filter(None, _TABLE.split("\n")):
        if line.startswith(" "):
            patterns.append(tuple(line.split()))
        else:
            patterns = kinds.setdefault(line, [])
    return {kind: tuple(patterns) for kind, patterns in kinds.items()}


TEMPLATES = _templates()
