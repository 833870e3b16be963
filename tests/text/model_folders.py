"""Changes of a model's folder that make it run code, or lead to files elsewhere."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

Change = Callable[[Path, Path], None]


class Runs:
    """A pickle that notes that it was run."""

    def __init__(self, note: Path) -> None:
        self.note = note

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.note,))


def settings(path: Path, **changes: Any) -> None:
    found = json.loads(path.read_bytes()) if path.exists() else {}
    path.write_text(json.dumps({**found, **changes}))


def with_code(folder: Path, note: Path) -> None:
    """Code under every name that the tests' settings mention."""
    (folder / "own.py").write_text(
        f"open({str(note)!r}, 'w')\n"
        "from transformers import BertConfig as Config, BertModel as Model, BertTokenizer as Tokenizer\n"
        "from torch.nn import Tanh\n"
    )


def own_model(folder: Path, note: Path) -> None:
    with_code(folder, note)
    own = {"AutoConfig": "own.Config", "AutoModel": "own.Model"}
    settings(folder / "config.json", model_type="own", auto_map=own)


def own_tokeniser(folder: Path, note: Path) -> None:
    with_code(folder, note)
    changes: dict[str, Any] = {"auto_map": {"AutoTokenizer": ["own.Tokenizer", "own.Tokenizer"]}}
    settings(folder / "tokenizer_config.json", tokenizer_class="OwnTokenizer", **changes)
    settings(folder / "config.json", model_type="own")


def pickled(folder: Path, note: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(note)))


def pickled_shard(folder: Path, note: Path) -> None:
    pickled(folder, note)
    (folder / "other.safetensors").touch()
    settings(folder / "model.safetensors.index.json", metadata={}, weight_map={"a": "pytorch_model.bin"})


def shard_elsewhere(folder: Path, note: Path) -> None:
    (folder / "model.safetensors").rename(folder.parent / "elsewhere.safetensors")
    settings(folder / "model.safetensors.index.json", metadata={}, weight_map={"a": "../elsewhere.safetensors"})


def adapter(folder: Path, note: Path) -> None:
    settings(folder / "adapter_config.json", base_model_name_or_path="/elsewhere", peft_type="LORA")


def weights_by_name(folder: Path, note: Path) -> None:
    (folder / "model.safetensors").rename(folder / ".hidden.safetensors")
    settings(folder / "config.json", transformers_weights=".hidden.safetensors")


def tokeniser_by_name(folder: Path, note: Path) -> None:
    settings(folder / "tokenizer_config.json", fast_tokenizer_files=["../elsewhere/tokenizer.1.0.0.json"])
