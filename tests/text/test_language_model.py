"""Folders of language models that lack something, or were made to run code: `hf:FOLDER` refuses them by name."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_folders import adapter, own_model, own_tokeniser, pickled, settings, weights_by_name, with_code

from voirdire.errors import InputError, MissingExtra, UsageError
from voirdire.formats.dialogues import Dialogue
from voirdire.text.language_model import STATE_MODELS
from voirdire.text.turn_states import StateReader, dialogue_turns

pytestmark = pytest.mark.slow

Change = Callable[[Path, Path], Any]


def read(folder: Path) -> Any:
    model = STATE_MODELS.make(f"hf:{folder}")
    return StateReader(model, (model.last,)).read(dialogue_turns(Dialogue(1, "a beach", (("a dog", "yes"),)), "A"))[0]


def without(name: str) -> Change:
    return lambda folder, note: (folder / name).unlink()


def no_tokeniser(folder: Path, note: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


def two_parts(folder: Path, note: Path) -> None:
    settings(folder / "config.json", model_type="t5", is_encoder_decoder=True)


def more_layers(folder: Path, note: Path) -> None:
    settings(folder / "config.json", num_hidden_layers=4)


def cut(folder: Path, note: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


def no_size(folder: Path, note: Path) -> None:
    settings(folder / "config.json", num_hidden_layers=0)


BROKEN: dict[str, tuple[Change, str]] = {
    "no config": (without("config.json"), "found no config.json, expected a folder that transformers saved"),
    "no weights": (without("model.safetensors"), "cannot be loaded"),
    "half of the weights": (cut, "cannot be loaded"),
    "weights of a layer missing": (more_layers, "no weights for layers.3."),
    "a pickle": (pickled, "weights as a pickle, pytorch_model.bin, which can hold code"),
    "a model's code": (own_model, "needs code of its own"),
    "a tokeniser's code": (own_tokeniser, "a language model of transformers"),
    "no tokeniser": (no_tokeniser, "a language model of transformers"),
    "an adapter": (adapter, "Merge it into its model first"),
    "weights by name": (weights_by_name, "field `transformers_weights`"),
    "an encoder and a decoder": (two_parts, "a model with an encoder and a decoder"),
    "no layers": (no_size, "num_hidden_layers"),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_folders(change: Change, message: str, tiny_causal: Path, tmp_path: Path) -> None:
    note, folder = tmp_path / "run", tmp_path / "model"
    shutil.copytree(tiny_causal, folder)
    change(folder, note)
    with pytest.raises(InputError) as caught:
        read(folder)
    assert not note.exists()
    assert message in str(caught.value)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_code_that_a_known_model_does_not_need_is_left_alone(tiny_causal: Path, tmp_path: Path) -> None:
    note, folder = tmp_path / "run", tmp_path / "model"
    shutil.copytree(tiny_causal, folder)
    with_code(folder, note)
    settings(folder / "config.json", auto_map={"AutoConfig": "own.Config", "AutoModel": "own.Model"})
    assert (read(folder) == read(tiny_causal)).all()
    assert not note.exists()


def test_every_file_has_a_say_in_the_signature(tiny_causal: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_causal, folder)
    before = STATE_MODELS.make(f"hf:{folder}").signature
    names = [path.name for path in folder.iterdir()]
    assert {"config.json", "model.safetensors", "tokenizer.json", "chat_template.jinja"} <= set(names)
    for name in names:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data + b" ")
        assert STATE_MODELS.make(f"hf:{folder}").signature != before, name
        (folder / name).write_bytes(data)


def test_a_context_is_that_of_the_model_or_its_tokeniser(causal_model: Callable[..., Path], tmp_path: Path) -> None:
    assert STATE_MODELS.make(f"hf:{causal_model(max_position_embeddings=100)}").context == 100
    folder = tmp_path / "model"
    shutil.copytree(causal_model(), folder)
    about = json.loads((folder / "tokenizer_config.json").read_bytes())
    (folder / "tokenizer_config.json").write_text(json.dumps({**about, "model_max_length": 10**30}))
    assert STATE_MODELS.make(f"hf:{folder}").context == 2048


def test_what_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`model` hf needs a folder"):
        STATE_MODELS.make("hf")
    with pytest.raises(UsageError, match="there is no model 'gpt'; there are: hf"):
        STATE_MODELS.make("gpt:x")
    with pytest.raises(InputError, match="found nothing, expected a folder or a GGUF file"):
        STATE_MODELS.make(f"hf:{tmp_path / 'absent'}")
    (tmp_path / "weights.txt").write_text("1")
    with pytest.raises(InputError, match="found another file"):
        STATE_MODELS.make(f"hf:{tmp_path / 'weights.txt'}")
    for name in ("b.gguf", "a.gguf"):
        (tmp_path / name).write_text("no model")
    with pytest.raises(InputError, match=r"found 2 GGUF files and no config\.json.* Name one of them: hf:.*a\.gguf"):
        STATE_MODELS.make(f"hf:{tmp_path}")
    assert STATE_MODELS.make(f"hf:{tmp_path / 'a.gguf'}").name == "a.gguf"


@pytest.mark.parametrize("data", [b"", b"no model", b"GGUF" + 20 * b"\xff"])
def test_a_gguf_file_that_is_none(data: bytes, tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="needs the extra `gguf`")
    pytest.importorskip("accelerate", reason="needs the extra `gguf`")
    (tmp_path / "a.gguf").write_bytes(data)
    with pytest.raises(InputError, match=r"a\.gguf: .*expected a language model of transformers") as caught:
        read(tmp_path)
    assert "\n" not in str(caught.value)


def test_the_packages_that_read_gguf_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    with pytest.raises(MissingExtra, match=r'a GGUF file needs .*: pip install .*"gguf>='):
        read(tmp_path)
