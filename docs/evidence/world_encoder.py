"""Train the encoder of the world's pictures, which the package ships as src/voirdire/models/world_encoder.npz.

    python docs/evidence/world_encoder.py [--scenes N] [--epochs N]

Scenes of a seed that nothing else uses are drawn and scaled down. The network says of each place which things are
there, by category, colour, action, and who they are, and of the whole picture its setting, weather and time. The last
500 scenes are left out of training and give the shares that the file states. Some ten minutes on one core.
"""

import argparse
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from voirdire.formats.scenes import Scene, Thing
from voirdire.models import world_encoder as shipped
from voirdire.models.array_file import write_arrays
from voirdire.models.picture_encoders import pixels_of
from voirdire.world.draw import draw
from voirdire.world.scene import make_scene

SEED, LEFT_OUT, BATCH, RATE = 20_261_119, 500, 32, 2e-3
PLACES = shipped.PLACES


def words_of_thing(thing: Thing) -> set[str]:
    """What is said of a thing at its places."""
    words = {f"category {thing.category}", f"colour {thing.colour}", f"action {thing.action}", f"who {thing.gender}"}
    words |= {f"age {thing.age}", f"material {thing.material}", f"size {thing.size}"}
    words |= {f"wears {worn.kind} {worn.colour}" for worn in thing.wears}
    return {word for word in words if not word.endswith(" ")}


def words_of_scene(scene: Scene) -> set[str]:
    """What is said of a whole picture."""
    return {f"setting {scene.setting}", f"weather {scene.weather}", f"time {scene.time}", f"colour {scene.in_colour}"}


def places_of(thing: Thing, scene: Scene) -> np.ndarray:
    """bool[PLACES, PLACES]: places whose middle is in the box, and the one where the box has its middle."""
    x, y, width, height = thing.bbox
    middles = (np.arange(PLACES) + 0.5) / PLACES
    there = np.outer(
        (middles * scene.height >= y) & (middles * scene.height <= y + height),
        (middles * scene.width >= x) & (middles * scene.width <= x + width),
    )
    row = int(min(max((y + height / 2) / scene.height, 0), 0.999) * PLACES)
    column = int(min(max((x + width / 2) / scene.width, 0), 0.999) * PLACES)
    there[row, column] = True
    return there


def batches(rows: np.ndarray) -> Iterator[np.ndarray]:
    """The rows, so many at once."""
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


class Trained(nn.Module):
    """The encoder with normalisation behind each convolution, and the layers that say what is where."""

    def __init__(self, local: int, whole: int) -> None:
        super().__init__()
        self.encoder = shipped.WorldEncoder()
        self.normal = nn.ModuleList(nn.BatchNorm2d(layer.out_channels) for layer in self.encoder.layers)
        self.local, self.whole = nn.Linear(shipped.WIDTH, local), nn.Linear(shipped.WIDTH, whole)
        generator = torch.Generator().manual_seed(SEED)
        with torch.no_grad():
            for layer in (*self.encoder.layers, self.local, self.whole):
                bound = layer.weight[0].numel() ** -0.5
                layer.weight.uniform_(-bound, bound, generator=generator)
                layer.bias.zero_()

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of each place and of the whole."""
        for layer, normal in zip(self.encoder.layers, self.normal, strict=True):
            pixels = normal(layer(pixels)).relu()
        places = pixels.permute(0, 2, 3, 1)
        return self.local(places), self.whole(places.mean((1, 2)))

    def folded(self) -> dict[str, np.ndarray]:
        """The encoder's weights with normalisation in them."""
        arrays = {}
        for number, (layer, normal) in enumerate(zip(self.encoder.layers, self.normal, strict=True)):
            scale = normal.weight / (normal.running_var + normal.eps).sqrt()
            arrays[f"layers.{number}.weight"] = layer.weight * scale[:, None, None, None]
            arrays[f"layers.{number}.bias"] = (layer.bias - normal.running_mean) * scale + normal.bias
        return {name: array.detach().numpy().astype(np.float16) for name, array in arrays.items()}


def main() -> None:
    """Draw, train, fold, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scenes", type=int, default=4500)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--output", type=Path, default=shipped.FILE)
    given = parser.parse_args()
    torch.set_num_threads(1)
    scenes = [make_scene(SEED, index) for index in range(given.scenes)]
    local = sorted({word for scene in scenes for thing in scene.things for word in words_of_thing(thing)})
    whole = sorted({word for scene in scenes for word in words_of_scene(scene) if not word.endswith(" ")})
    number = {word: place for place, word in enumerate(local)}
    pictures = np.empty((len(scenes), 3, shipped.SIDE, shipped.SIDE), np.uint8)
    there = np.zeros((len(scenes), PLACES, PLACES, len(local)), bool)
    global_ = np.array([[word in words_of_scene(scene) for word in whole] for scene in scenes])
    for row, scene in enumerate(scenes):
        packed = io.BytesIO()
        draw(scene).save(packed, "PNG")
        pictures[row] = pixels_of(packed.getvalue(), shipped.SIDE)
        for thing in scene.things:
            for word in words_of_thing(thing):
                there[row, ..., number[word]] |= places_of(thing, scene)
        if row % 500 == 499:
            print(f"{row + 1} pictures", flush=True)
    network, rng = Trained(len(local), len(whole)), np.random.default_rng(SEED)
    train, valid = np.arange(len(scenes) - LEFT_OUT), np.arange(len(scenes) - LEFT_OUT, len(scenes))
    steps = given.epochs * -(-len(train) // BATCH)
    optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps)

    def batch(rows: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        pixels = torch.from_numpy(pictures[rows]).float() / 255 - 0.5
        return pixels, torch.from_numpy(there[rows]).float(), torch.from_numpy(global_[rows]).float()

    for epoch in range(given.epochs):
        network.train()
        total = 0.0
        for rows in batches(rng.permutation(train)):
            pixels, wanted, of_all = batch(rows)
            if rng.random() < 0.5:  # Mirrored, as a scene could be.
                pixels, wanted = pixels.flip(3), wanted.flip(2)
            said_local, said_whole = network(pixels)
            loss = binary_cross_entropy_with_logits(said_local, wanted, pos_weight=torch.tensor(4.0))
            loss = 10 * loss + binary_cross_entropy_with_logits(said_whole, of_all)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item() * len(rows)
        network.eval()
        found, right = [], []
        categories = torch.tensor([word.startswith("category ") for word in local])
        settings = torch.tensor([word.startswith("setting ") for word in whole])
        with torch.no_grad():
            for rows in batches(valid):
                pixels, wanted, of_all = batch(rows)
                said_local, said_whole = network(pixels)
                of_category, wanted = said_local[..., categories], wanted[..., categories].bool()
                best = of_category.argmax(-1, keepdim=True)
                found.append(wanted.gather(-1, best)[wanted.any(-1)].float())
                right.append((said_whole[:, settings].argmax(1) == of_all[:, settings].argmax(1)).float())
        shares = float(torch.cat(found).mean()), float(torch.cat(right).mean())
        print(f"epoch {epoch + 1}: loss {total / len(train):.4f}, valid {shares[0]:.3f} {shares[1]:.3f}", flush=True)
    about = shipped.WorldEncoderAbout("voirdire world encoder", SEED, len(train), given.epochs, *map(float, shares))
    write_arrays(given.output, about, network.folded())


if __name__ == "__main__":
    main()
