"""A picture of a scene, drawn from its truth alone: the same scene gives the same bytes.

What is behind everything comes first: a wall and a floor, or a sky and a ground, by setting, weather and time. Then
things are drawn from the farthest foot to the nearest, each after what it is on and after who holds it. A thing fills
its box; colours are those of the scene.
"""

import io
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from voirdire.atomic import write_atomic
from voirdire.formats.scenes import Scene, Thing
from voirdire.world.draw.living import draw_animal, draw_person
from voirdire.world.draw.pen import FINE, RGB, Pen, rgb, shade, sketch
from voirdire.world.scene import centre

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

__all__ = ["draw", "write_picture"]

_LEVEL = 6

# Things on the ground stand below this share of the picture's height.
HORIZON = 0.5

_GRASS, _SAND, _ROAD, _SNOW, _WATER = (126, 176, 92), (236, 214, 160), (150, 150, 154), (236, 240, 246), (96, 156, 200)
_GROUNDS: dict[str, RGB] = {
    "street": _ROAD,
    "parking lot": _ROAD,
    "train station": (176, 170, 162),
    "airfield": (166, 168, 168),
    "harbor": (188, 172, 148),
    "market": (196, 180, 158),
    "beach": _SAND,
    "ski slope": _SNOW,
    "skate park": (190, 190, 192),
    "tennis court": (70, 126, 150),
    "baseball field": (204, 158, 106),
}
_ROOMS: dict[str, tuple[RGB, RGB]] = {
    "kitchen": ((250, 240, 214), (212, 204, 196)),
    "living room": ((228, 216, 196), (178, 134, 92)),
    "bedroom": ((206, 216, 232), (190, 160, 128)),
    "bathroom": ((200, 228, 230), (224, 228, 230)),
    "office": ((230, 232, 234), (142, 148, 158)),
    "restaurant": ((214, 176, 142), (140, 92, 64)),
    "classroom": ((236, 232, 206), (196, 168, 126)),
    "airport": ((222, 230, 238), (186, 190, 198)),
    "wedding": ((248, 230, 236), (214, 190, 170)),
}
_SKIES: dict[str, RGB] = {
    "sunny": (142, 202, 244),
    "cloudy": (190, 204, 216),
    "rainy": (142, 152, 164),
    "snowy": (212, 220, 230),
}
_NIGHT_SKY: RGB = (26, 32, 66)


def draw(scene: Scene) -> "Image":
    """The picture, in colour or in shades of grey as the scene says, of the scene's size."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (scene.width * FINE, scene.height * FINE))
    canvas = ImageDraw.Draw(image)
    _draw_backdrop(canvas, scene)
    for thing in _far_to_near(scene):
        _draw_thing(canvas, thing, scene)
    _draw_weather(canvas, scene)
    small = image.reduce(FINE)
    return small if scene.in_colour else small.convert("L").convert("RGB")


def write_picture(scene: Scene, path: Path) -> None:
    """Write the picture as PNG, whole or not at all."""
    buffer = io.BytesIO()
    draw(scene).save(buffer, "PNG", compress_level=_LEVEL)
    # A world sweeps its folders once; looking at each picture would take long among thousands.
    write_atomic(path, buffer.getvalue(), sweeps=False)


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
        in_hand = next((other for other in scene.things if other.id == thing.holds), None)
        draw_person(pen, thing, None if in_hand is None else pen.inverse(*centre(in_hand)))
        if in_hand is not None and in_hand.category == "kite":
            # Its string, from the flier's shoulder.
            x, y = centre(in_hand)
            canvas.line([pen.at(50, 40), (x * FINE, y * FINE)], rgb("black"), FINE)
    elif thing.gender == "" and thing.action:
        draw_animal(pen, thing)
    else:
        sketch(pen, thing.category, rgb(thing.colour or "white"))


def _draw_backdrop(canvas: "ImageDraw", scene: Scene) -> None:
    """Paint the whole canvas: first the upper part, then the ground with its marks."""
    width, height = scene.width * FINE, scene.height * FINE
    line = height * HORIZON
    if scene.indoors:
        wall, floor = _ROOMS[scene.setting]
        _room(canvas, scene, wall, floor, width, height, line)
        return
    _sky(canvas, scene, width, line)
    ground = _GROUNDS.get(scene.setting, _GRASS)
    if scene.weather == "snowy":
        ground = _SNOW
    if scene.time == "night":
        ground = shade(ground, 0.55)
    canvas.rectangle([0, line, width, height], ground)
    _marks(canvas, scene, ground, width, height, line)


def _room(canvas: "ImageDraw", scene: Scene, wall: RGB, floor: RGB, width: float, height: float, line: float) -> None:
    canvas.rectangle([0, 0, width, line], wall)
    canvas.rectangle([0, line, width, height], floor)
    canvas.rectangle([0, line - 4 * FINE, width, line + 2 * FINE], shade(wall, 0.8))
    if scene.setting in ("kitchen", "bathroom"):
        for down in range(0, int(line), 34 * FINE):
            canvas.line([0, down, width, down], shade(wall, 0.92), FINE)
        for across in range(0, int(width), 34 * FINE):
            canvas.line([across, 0, across, line], shade(wall, 0.92), FINE)
    elif scene.setting == "classroom":
        canvas.rectangle([width * 0.2, line * 0.2, width * 0.72, line * 0.78], (52, 92, 74), (122, 84, 52), 5 * FINE)
    # A window shows whether it is day or night.
    x, y, w, h = width * 0.78, line * 0.18, width * 0.16, line * 0.56
    sky = _NIGHT_SKY if scene.time == "night" else _SKIES["sunny"]
    canvas.rectangle([x, y, x + w, y + h], sky, (250, 250, 250), 4 * FINE)
    canvas.line([x + w / 2, y, x + w / 2, y + h], (250, 250, 250), 3 * FINE)
    canvas.line([x, y + h / 2, x + w, y + h / 2], (250, 250, 250), 3 * FINE)
    for k in range(1, 7):
        canvas.line([width * k / 7, line, width * (k / 7 * 1.8 - 0.4), height], shade(floor, 0.93), FINE)


def _sky(canvas: "ImageDraw", scene: Scene, width: float, line: float) -> None:
    rng = Random(f"{scene.id}/sky")
    night = scene.time == "night"
    canvas.rectangle([0, 0, width, line], _NIGHT_SKY if night else _SKIES[scene.weather])
    if night:
        for _ in range(40):
            x, y = rng.random() * width, rng.random() * line
            canvas.ellipse([x, y, x + 2 * FINE, y + 2 * FINE], (240, 240, 220))
        canvas.ellipse([width * 0.84, line * 0.1, width * 0.84 + 44 * FINE, line * 0.1 + 44 * FINE], (240, 236, 210))
    elif scene.weather == "sunny":
        canvas.ellipse([width * 0.84, line * 0.08, width * 0.84 + 50 * FINE, line * 0.08 + 50 * FINE], (255, 224, 90))
    for _ in range({"sunny": 1, "cloudy": 6, "rainy": 7, "snowy": 5}[scene.weather]):
        x, y, r = rng.random() * width, rng.random() * line * 0.5, (14 + rng.random() * 14) * FINE
        tone = (70, 76, 104) if night else (176, 182, 190) if scene.weather == "rainy" else (250, 250, 252)
        for dx, dy in ((-1.1, 0.3), (0.0, 0.0), (1.1, 0.3), (0.4, 0.4)):
            canvas.ellipse([x + dx * r - r, y + dy * r - r * 0.7, x + dx * r + r, y + dy * r + r * 0.7], tone)


def _marks(canvas: "ImageDraw", scene: Scene, ground: RGB, width: float, height: float, line: float) -> None:
    rng = Random(f"{scene.id}/ground")
    light = shade(ground, 1.5)
    if scene.setting in ("beach", "lake", "harbor"):
        water = shade(_WATER, 0.5) if scene.time == "night" else _WATER
        canvas.rectangle([0, line, width, line + (height - line) * 0.3], water)
        for _ in range(14):
            x, y = rng.random() * width, line + rng.random() * (height - line) * 0.26
            canvas.line([x, y, x + 24 * FINE, y], shade(water, 1.4), 2 * FINE)
    elif scene.setting == "street":
        for k in range(6):
            x = width * (k / 5 - 0.05)
            canvas.rectangle([x, line + (height - line) * 0.55, x + width * 0.1, line + (height - line) * 0.58], light)
        canvas.rectangle([0, line, width, line + (height - line) * 0.12], (196, 192, 186))
    elif scene.setting == "parking lot":
        for k in range(7):
            canvas.line([width * k / 6, line + 20 * FINE, width * (k / 6 * 1.5 - 0.25), height], light, 3 * FINE)
    elif scene.setting == "train station":
        canvas.rectangle([0, line, width, line + (height - line) * 0.2], (104, 98, 94))
        for share in (0.06, 0.15):
            y = line + (height - line) * share
            canvas.line([0, y, width, y], (200, 200, 204), 3 * FINE)
    elif scene.setting == "tennis court":
        for share in (0.12, 0.6):
            canvas.line([0, line + (height - line) * share, width, line + (height - line) * share], light, 3 * FINE)
        canvas.rectangle([0, line - 16 * FINE, width, line + 10 * FINE], (230, 230, 230), (120, 120, 124), FINE)
    elif scene.setting not in _GROUNDS:
        for _ in range(90):
            x, y = rng.random() * width, line + rng.random() * (height - line)
            canvas.line([x, y, x + 3 * FINE, y - 7 * FINE], shade(ground, 0.85), FINE)


def _draw_weather(canvas: "ImageDraw", scene: Scene) -> None:
    """Rain or snow in front of everything."""
    rng = Random(f"{scene.id}/weather")
    width, height = scene.width * FINE, scene.height * FINE
    for _ in range(120 if scene.weather in ("rainy", "snowy") else 0):
        x, y = rng.random() * width, rng.random() * height
        if scene.weather == "rainy":
            canvas.line([x, y, x - 4 * FINE, y + 14 * FINE], (206, 220, 236), FINE)
        else:
            canvas.ellipse([x, y, x + 4 * FINE, y + 4 * FINE], (255, 255, 255), (206, 214, 224))
