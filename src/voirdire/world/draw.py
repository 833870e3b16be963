"""A picture of a scene, drawn from its truth alone: the same scene gives the same bytes.

What is behind comes first: things are drawn from the farthest foot to the nearest, each after what it is on and after
who holds it. A thing fills its box; colours are those of the scene.
"""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from voirdire.atomic import write_atomic
from voirdire.formats.scenes import Scene, Thing
from voirdire.world.scene import centre
from voirdire.world.sketches.animals import draw_animal
from voirdire.world.sketches.backdrop import draw_backdrop, draw_weather
from voirdire.world.sketches.inside import INSIDE
from voirdire.world.sketches.outside import OUTSIDE
from voirdire.world.sketches.pen import FINE, Pen, rgb
from voirdire.world.sketches.people import draw_person
from voirdire.world.sketches.tables import sketch

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

__all__ = ["draw", "write_picture"]

_SKETCHES = INSIDE | OUTSIDE
_LEVEL = 6


def draw(scene: Scene) -> "Image":
    """The picture, in colour or in shades of grey as the scene says, of the scene's size."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (scene.width * FINE, scene.height * FINE))
    canvas = ImageDraw.Draw(image)
    draw_backdrop(canvas, scene)
    for thing in _far_to_near(scene):
        _draw_thing(canvas, thing, scene)
    draw_weather(canvas, scene)
    small = image.reduce(FINE)
    return small if scene.in_colour else small.convert("L").convert("RGB")


def write_picture(scene: Scene, path: Path) -> None:
    """Write the picture as PNG, whole or not at all."""
    buffer = io.BytesIO()
    draw(scene).save(buffer, "PNG", compress_level=_LEVEL)
    write_atomic(path, buffer.getvalue())


def _far_to_near(scene: Scene) -> list[Thing]:
    by_id = {thing.id: thing for thing in scene.things}
    holder = {thing.holds: thing.id for thing in scene.things if thing.holds is not None}

    def place(thing: Thing) -> tuple[float, int, int]:
        """Where its ground is, how many things are between, and its number."""
        steps, root = 0, thing
        while steps < len(scene.things):
            below = root.on if root.on is not None else holder.get(root.id)
            if below is None or root.category == "kite":
                break
            steps, root = steps + 1, by_id[below]
        return root.bbox[1] + root.bbox[3], steps, thing.id

    return sorted(scene.things, key=place)


def _draw_thing(canvas: "ImageDraw", thing: Thing, scene: Scene) -> None:
    pen = Pen(canvas, thing.bbox, flip=thing.id % 2 == 1 and thing.category not in ("person", "clock"))
    if thing.category == "person":
        held = next((other for other in scene.things if other.id == thing.holds), None)
        hand = None if held is None else pen.inverse(*centre(held))
        draw_person(pen, thing, hand)
        if held is not None and held.category == "kite":
            _string(canvas, pen, held)
    elif thing.gender == "" and thing.action:
        draw_animal(pen, thing)
    else:
        sketch(pen, _SKETCHES[thing.category], rgb(thing.colour or "white"))


def _string(canvas: "ImageDraw", pen: Pen, kite: Thing) -> None:
    """From the flier's shoulder to the kite."""
    x, y = centre(kite)
    canvas.line([pen.at(50, 40), (x * FINE, y * FINE)], rgb("black"), FINE)
