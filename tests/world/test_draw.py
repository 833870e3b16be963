"""Pictures: the same bytes for the same scene, true colours, nearer things in front."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from voirdire.formats.scenes import Garment, Scene, Thing
from voirdire.world.draw import draw, write_picture
from voirdire.world.draw.pen import rgb
from voirdire.world.inventory import CATEGORIES, SETTINGS, WEATHERS
from voirdire.world.scene import make_scene


def scene_of(*things: Thing, **changes: object) -> Scene:
    fields: dict[str, object] = {"setting": "field", "indoors": False, "weather": "sunny", "time": "day"}
    fields |= {"in_colour": True} | changes
    return Scene(id=1, file_name="x.png", width=200, height=160, things=things, **fields)  # type: ignore[arg-type]


def pixels(scene: Scene) -> np.ndarray:
    return np.asarray(draw(scene)).astype(int)


def test_same_scene_same_bytes(tmp_path: Path) -> None:
    for index in range(6):
        write_picture(make_scene(3, index), tmp_path / f"a{index}.png")
        write_picture(make_scene(3, index), tmp_path / f"b{index}.png")
        assert (tmp_path / f"a{index}.png").read_bytes() == (tmp_path / f"b{index}.png").read_bytes()
    assert (tmp_path / "a0.png").read_bytes() != (tmp_path / "a1.png").read_bytes()


def test_png_of_the_scenes_size_without_metadata(tmp_path: Path) -> None:
    scene = make_scene(3, 2)
    write_picture(scene, tmp_path / "p.png")
    image = Image.open(io.BytesIO((tmp_path / "p.png").read_bytes()))
    assert image.format == "PNG"
    assert image.size == (scene.width, scene.height)
    assert image.info == {}


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.name)
def test_every_category_shows_in_its_box_and_nowhere_else(category) -> None:
    colour = category.colours[0] if category.colours else ""
    action = "standing" if category.alive else ""
    wears = (Garment("shirt", "red"), Garment("pants", "blue")) if category.name == "person" else ()
    gender, age = ("male", "young") if category.name == "person" else ("", "")
    height = 100.0 / max(1.0, category.aspect)
    box = (40.0, 40.0, height * category.aspect, height)
    thing = Thing(2, category.name, category.id, box, "large", colour, "", action, gender, age, wears)
    changed = (pixels(scene_of()) != pixels(scene_of(thing))).any(axis=2)
    x, y, width, height = (round(part) for part in box)
    inside = changed[y : y + height, x : x + width]
    assert inside.mean() > 0.08
    # A hat's brim or a trunk may stand out a little.
    near = np.zeros_like(changed)
    near[y - 8 : y + height + 8, x - 14 : x + width + 14] = True
    assert not (changed & ~near).any()


@pytest.mark.parametrize("colour", ["red", "blue", "green", "yellow", "white", "black", "gray", "orange"])
def test_a_car_has_its_colour(colour: str) -> None:
    car = Thing(2, "car", 3, (20.0, 60.0, 160.0, 80.0), "large", colour, "metal")
    shown = (pixels(scene_of(car)) == rgb(colour)).all(axis=2)
    assert shown[60:140, 20:180].mean() > 0.25


def test_clothes_have_their_colours() -> None:
    wears = (Garment("shirt", "purple"), Garment("pants", "orange"), Garment("hat", "pink"))
    person = Thing(2, "person", 1, (70.0, 10.0, 57.0, 145.0), "large", action="standing", gender="male", wears=wears)
    image = pixels(scene_of(person))
    rows = {c: np.flatnonzero((image == rgb(c)).all(axis=2).any(axis=1)).mean() for c in ("pink", "purple", "orange")}
    assert rows["pink"] < rows["purple"] < rows["orange"]


def test_nearer_things_are_in_front() -> None:
    far = Thing(2, "suitcase", 33, (60.0, 40.0, 60.0, 80.0), "large", "red")
    near = Thing(4, "suitcase", 33, (60.0, 50.0, 60.0, 80.0), "large", "blue")
    for things in ((far, near), (near, far)):
        assert tuple(pixels(scene_of(*things))[75, 90]) == rgb("blue")


def test_a_thing_is_in_front_of_what_it_is_on() -> None:
    table = Thing(2, "dining table", 67, (20.0, 60.0, 160.0, 90.0), "large", "brown", "wood")
    book = Thing(4, "book", 84, (80.0, 40.0, 30.0, 34.0), "small", "red", on=2)
    assert (pixels(scene_of(book, table)) == rgb("red")).all(axis=2).sum() > 200


def test_grey_where_the_scene_is_not_in_colour() -> None:
    image = pixels(scene_of(Thing(2, "car", 3, (20.0, 60.0, 160.0, 80.0), "large", "red"), in_colour=False))
    assert (image == image[:, :, :1]).all()


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_by_day_and_night(setting: str) -> None:
    indoors = SETTINGS[setting].indoors
    weathers = ("",) if indoors else WEATHERS
    seen = [
        draw(scene_of(setting=setting, indoors=indoors, weather=weather, time=time)).tobytes()
        for weather in weathers
        for time in ("day", "night")
    ]
    assert len(set(seen)) == len(seen)
