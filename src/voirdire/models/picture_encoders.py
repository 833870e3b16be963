"""Networks that make features of pictures, by name: `world`, `efficientnet-lite0`, `hf:FOLDER`.

    features of a picture = encoder(pixels), one vector per place; a grid's places are numbered row by row

    world               12 × 12 × 96, trained on made-up scenes (`world_encoder`)
    efficientnet-lite0  7 × 7 × 1,280 before the mean, ImageNet's weights from the registry (`efficientnet_lite0`)
    hf:FOLDER           a vision model that transformers saved: its last hidden states, without the one of the whole

The rule of pixels: turned upright as EXIF says, RGB, scaled by Pillow's bicubic filter to the encoder's square without
keeping the sides' ratio, then the encoder's own mean and deviation. Pictures go in one by one through fixed shapes, so
features do not depend on what else is encoded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from voirdire.engine.threads import one_thread
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.picture_files import decode_picture
from voirdire.providers import Registry

Pixels = npt.NDArray[np.uint8]
Grid = npt.NDArray[np.float32]


class PictureEncoder(Protocol):
    """What makes features of pictures.

    name      as features say it
    identity  what its features depend on: a digest of its weights
    grid      rows, columns and numbers of each picture's features
    """

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def grid(self) -> tuple[int, int, int]: ...

    def encode(self, pictures: Sequence[bytes]) -> Grid:
        """float32[n, rows, columns, width] of the bytes of pictures; a ValueError where one is no picture."""


EXPECTED = "a vision model of transformers"
ENCODERS: Registry[PictureEncoder] = Registry("encoder", "voirdire.picture_encoders")


def pixels_of(data: bytes, side: int) -> Pixels:
    """uint8[3, side, side] of a picture's bytes, by the rule above; a ValueError where it is none."""
    from PIL import Image

    upright = decode_picture(data)[1].convert("RGB").resize((side, side), Image.Resampling.BICUBIC)
    return np.asarray(upright, np.uint8).transpose(2, 0, 1)


@dataclass(frozen=True)
class TorchEncoder:
    """An encoder that is a torch network of ours.

    side     pixels of its square
    network  from pixels (1, 3, side, side), less `mean` and divided by `deviation`, to (1, rows, columns, width)
    """

    name: str
    identity: str
    side: int
    mean: float
    deviation: float
    grid: tuple[int, int, int]
    network: Any

    def encode(self, pictures: Sequence[bytes]) -> Grid:
        """Features of pictures, one by one."""
        import torch

        features = np.empty((len(pictures), *self.grid), np.float32)
        with one_thread(), torch.inference_mode():
            for row, data in enumerate(pictures):
                pixels = torch.from_numpy(pixels_of(data, self.side).astype(np.float32))
                features[row] = self.network((pixels[None] - self.mean) / self.deviation)[0].numpy()
        return features


@ENCODERS.register("world")
def _world(argument: str | None) -> PictureEncoder:
    from voirdire.models import world_encoder as world

    if argument:
        raise UsageError(f"`encoder` world takes no argument, got {argument!r}")
    grid = (world.PLACES, world.PLACES, world.WIDTH)
    digest = world.world_encoder_digest()
    return TorchEncoder("world", digest, world.SIDE, 127.5, 255.0, grid, world.world_encoder())


@ENCODERS.register("efficientnet-lite0")
def _efficientnet_lite0(argument: str | None) -> PictureEncoder:
    from voirdire.models import efficientnet_lite0 as lite

    if argument:
        raise UsageError(f"`encoder` efficientnet-lite0 takes no argument, got {argument!r}")
    network = lite.efficientnet_lite0()
    return TorchEncoder("efficientnet-lite0", lite.SHA256, lite.SIDE, lite.MEAN, lite.DEVIATION, lite.GRID, network)


class FolderEncoder:
    """A vision model of transformers in a folder on this machine: safetensors alone, no code of its own."""

    def __init__(self, folder: Path) -> None:
        from voirdire.text.encoders.model_folder import check_model

        check_model(folder)
        self.folder = folder

    @property
    def name(self) -> str:
        """The folder's name."""
        return f"hf:{self.folder.resolve().name}"

    @cached_property
    def identity(self) -> str:
        """SHA-256 over its files."""
        from voirdire.bundled import digest_folder

        return digest_folder(self.folder)

    @cached_property
    def _network(self) -> Any:
        from transformers import AutoModel

        from voirdire.text.encoders.model_folder import loading
        from voirdire.text.encoders.neural import LOADING, offline

        with offline(), loading(self.folder, EXPECTED):
            network = AutoModel.from_pretrained(self.folder, use_safetensors=True, **LOADING)
        # A model of texts and pictures has one of pictures inside.
        return getattr(network, "vision_model", network).eval()

    @cached_property
    def _settings(self) -> tuple[int, list[float], list[float]]:
        """Pixels of its square, and the mean and deviation of each colour, from preprocessor_config.json."""
        from transformers import AutoImageProcessor

        from voirdire.text.encoders.model_folder import loading
        from voirdire.text.encoders.neural import LOADING, offline

        with offline(), loading(self.folder, EXPECTED):
            processor = AutoImageProcessor.from_pretrained(  # type: ignore[no-untyped-call]
                self.folder, backend="pil", **LOADING
            )
        size = processor.crop_size if getattr(processor, "do_center_crop", False) else processor.size
        side = size.get("height") or size.get("shortest_edge")
        if not isinstance(side, int) or side < 1:
            found = f"size {dict(size)}"
            raise InputError(str(self.folder), [Problem("", "preprocessor_config.json", found, "a height")])
        return side, list(processor.image_mean), list(processor.image_std)

    @cached_property
    def grid(self) -> tuple[int, int, int]:
        """As an empty picture shows."""
        side = self._settings[0]
        return self._features(np.zeros((3, side, side), np.uint8)).shape

    def _features(self, pixels: Pixels) -> Grid:
        import torch

        _, mean, deviation = self._settings
        scaled = torch.from_numpy(pixels.astype(np.float32)) / 255
        normal = (scaled - torch.tensor(mean)[:, None, None]) / torch.tensor(deviation)[:, None, None]
        with one_thread(), torch.inference_mode():
            last = self._network(pixel_values=normal[None]).last_hidden_state[0]
        if last.ndim == 3:  # A convolutional network's.
            grid: Grid = last.permute(1, 2, 0).numpy()
            return grid
        side = int(len(last) ** 0.5)
        # Before the places stand vectors of the whole picture, of which no place is.
        places: Grid = last[len(last) - side * side :].reshape(side, side, -1).numpy()
        return places

    def encode(self, pictures: Sequence[bytes]) -> Grid:
        """Features of pictures, one by one."""
        return np.stack([self._features(pixels_of(data, self._settings[0])) for data in pictures])


@ENCODERS.register("hf")
def _folder(argument: str | None) -> PictureEncoder:
    if not argument:
        raise UsageError("`encoder` hf needs a folder after it, as in hf:FOLDER")
    return FolderEncoder(Path(argument))
