"""A scene of a made-up world in words, for models that see no pictures.

    An airport, indoors, by day.
    1. a yellow suitcase of plastic, medium, at the bottom right
    2. a girl, reading, wearing a yellow dress and a black hat, large, in the middle; she holds 3

Every thing is described with all that is known of it, in the order of the file, so that nothing that a question may
be about is left out.
"""

from voirdire.formats.scenes import Scene, Thing

PERSON = {
    ("male", "child"): "boy",
    ("female", "child"): "girl",
    ("male", ""): "man",
    ("female", ""): "woman",
}
ROWS, COLUMNS = ("top", "", "bottom"), ("left", "", "right")


def scene_text(scene: Scene) -> str:
    """The description of a scene, one line per thing."""
    where = "indoors" if scene.indoors else "outdoors"
    first = ", ".join(filter(None, (f"The picture shows: {scene.setting}", where, scene.weather, f"by {scene.time}")))
    shades = "" if scene.in_colour else " The picture is black and white."
    number = {thing.id: place for place, thing in enumerate(scene.things, 1)}
    lines = [f"{place}. {_thing(thing, scene, number)}" for place, thing in enumerate(scene.things, 1)]
    return "\n".join([f"{first}.{shades} It has {len(lines)} things:", *lines])


def _thing(thing: Thing, scene: Scene, number: dict[int, int]) -> str:
    colour = thing.colour.replace("+", " and ")
    age = "child" if thing.age == "child" else ""
    noun = PERSON.get((thing.gender, age), thing.category)
    parts = [" ".join(filter(None, (colour, noun))) + (f" of {thing.material}" if thing.material else "")]
    if thing.age and not age:
        parts.append(thing.age)
    if thing.action:
        parts.append(thing.action)
    if thing.wears:
        parts.append("wearing " + " and ".join(f"{worn.colour} {worn.kind}".strip() for worn in thing.wears))
    parts += [thing.size, _place(thing, scene)]
    if thing.on is not None:
        parts.append(f"on number {number[thing.on]}")
    if thing.holds is not None:
        parts.append(f"holding number {number[thing.holds]}")
    return ", ".join(parts)


def _place(thing: Thing, scene: Scene) -> str:
    """In which ninth of the picture its middle is."""
    x, y, width, height = thing.bbox
    column = COLUMNS[min(2, int(3 * (x + width / 2) / scene.width))]
    row = ROWS[min(2, int(3 * (y + height / 2) / scene.height))]
    return f"at the {row} {column}".replace("  ", " ").rstrip() if row or column else "in the middle"
