"""What makes features of pictures: each picture by itself, by the stated rule of pixels."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from voirdire.errors import InputError, UsageError
from voirdire.models.picture_encoders import ENCODERS, pixels_of


def picture(seed: int, size: tuple[int, int] = (40, 30), kind: str = "PNG") -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3)).astype(np.uint8)
    packed = io.BytesIO()
    Image.fromarray(pixels).save(packed, kind)
    return packed.getvalue()


def test_pixels_are_upright_in_colour_and_square() -> None:
    turned, straight = io.BytesIO(), io.BytesIO()
    pixels = Image.open(io.BytesIO(picture(1)))
    exif = Image.Exif()
    exif[0x0112] = 6  # Turned to the right.
    pixels.save(turned, "PNG", exif=exif)
    pixels.rotate(-90, expand=True).save(straight, "PNG")
    np.testing.assert_array_equal(pixels_of(turned.getvalue(), 16), pixels_of(straight.getvalue(), 16))
    assert pixels_of(picture(2), 16).shape == (3, 16, 16)
    grey = io.BytesIO()
    Image.new("L", (5, 5), 77).save(grey, "PNG")
    assert set(pixels_of(grey.getvalue(), 4).flat) == {77}
    with pytest.raises(ValueError, match="no picture"):
        pixels_of(b"none", 16)


def test_the_worlds_encoder_tells_pictures_apart_and_each_is_encoded_alone() -> None:
    world = ENCODERS.make("world")
    several = world.encode([picture(1), picture(2)])
    assert several.shape == (2, *world.grid) == (2, 12, 12, 96)
    np.testing.assert_array_equal(several[1:], world.encode([picture(2)]))
    assert np.abs(several[0] - several[1]).max() > 0.02
    assert len(world.identity) == 64


def vision_model(folder: Path, kind: str) -> None:
    """A tiny model with random weights, as transformers saves it."""
    from transformers import CLIPVisionConfig, CLIPVisionModel, ResNetConfig, ResNetModel, ViTConfig, ViTModel

    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        if kind == "vit":
            model = ViTModel(ViTConfig(**sizes, image_size=32, patch_size=8))
        elif kind == "clip":
            model = CLIPVisionModel(CLIPVisionConfig(**sizes, image_size=32, patch_size=8))
        else:
            model = ResNetModel(ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]))
    model.save_pretrained(folder)
    settings = {
        "image_processor_type": "CLIPImageProcessor" if kind == "clip" else "ViTImageProcessor",
        "size": {"height": 32, "width": 32},
        "do_center_crop": False,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.25, 0.25, 0.25],
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))


@pytest.mark.parametrize(("kind", "grid"), [("vit", (4, 4, 16)), ("clip", (4, 4, 16)), ("resnet", (4, 4, 16))])
def test_a_vision_model_in_a_folder(tmp_path: Path, kind: str, grid: tuple[int, int, int]) -> None:
    vision_model(tmp_path / "m", kind)
    encoder = ENCODERS.make(f"hf:{tmp_path / 'm'}")
    assert (encoder.name, encoder.grid) == ("hf:m", grid)
    features = encoder.encode([picture(1), picture(2)])
    np.testing.assert_array_equal(features[1:], encoder.encode([picture(2)]))
    if kind == "vit":
        from transformers import ViTModel

        pixels = (torch.from_numpy(pixels_of(picture(1), 32).astype(np.float32)) / 255 - 0.5) / 0.25
        with torch.inference_mode():
            last = ViTModel.from_pretrained(tmp_path / "m").eval()(pixel_values=pixels[None]).last_hidden_state[0, 1:]
        np.testing.assert_allclose(features[0].reshape(16, 16), last.numpy(), atol=1e-5)


def test_a_folder_that_is_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(InputError, match="pickle"):
        ENCODERS.make(f"hf:{tmp_path / 'm'}").encode([picture(1)])
    (tmp_path / "m" / "pytorch_model.bin").unlink()
    with pytest.raises(InputError, match="cannot be loaded"):
        ENCODERS.make(f"hf:{tmp_path / 'm'}").encode([picture(1)])
    for spec in ("hf", "world:x", "efficientnet-lite0:x", "none"):
        with pytest.raises(UsageError):
            ENCODERS.make(spec)
