"""A model's folder that a user names: what of it is used, and what is refused because it could be, or name, code.

Weights   safetensors alone; every other kind is a pickle, and a pickle can hold code
classes   those of transformers and sentence-transformers alone; code beside the model is never imported
settings  none that lead to a file elsewhere, so that the folder's digest covers all that has a say in the vectors
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from voirdire.errors import InputError, Problem, VoirDireError, shorten, shorten_text

PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle", "*.joblib", "*.h5", "*.msgpack")
SAVE = "If you trust it, load it with its library and save it again: that writes model.safetensors."
# By file, the settings that hold names of files, and those that are handed on to functions which take some.
NAME_FILES = {"config.json": ("transformers_weights",), "tokenizer_config.json": ("fast_tokenizer_files",)}
HANDED_ON = ("model_args", "model_kwargs", "tokenizer_args", "processor_kwargs", "config_args", "config_kwargs")


def check_modules(folder: Path) -> None:
    """Refuse a folder of sentence-transformers' that holds or names code, or a file elsewhere."""
    path = folder / "modules.json"
    modules = _json(path)
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise _fault(path, "", shorten(modules), "a list of modules")
    for place, module in enumerate(modules):
        kind, inside = module.get("type"), module.get("path")
        if not isinstance(kind, str) or not kind.startswith("sentence_transformers."):
            raise _fault(
                path, f"{place}.type", shorten(kind), "a class of sentence_transformers", "Other code is never run."
            )
        parts = PurePosixPath(inside).parts if isinstance(inside, str) and "\\" not in inside else ("..",)
        if PurePosixPath(*parts).is_absolute() or any(part.startswith(".") for part in parts):
            raise _fault(path, f"{place}.path", shorten(inside), "a folder beside this file")
        part = folder.joinpath(*parts)
        check_model(part)
        if kind.endswith(".Dense"):
            # sentence-transformers would take another function in its place.
            function = read_settings(part / "config.json").get("activation_function", "torch.")
            if not isinstance(function, str) or not function.startswith("torch."):
                raise _fault(part / "config.json", "activation_function", shorten(function), "a class of torch")


def check_model(folder: Path) -> None:
    """Refuse weights that are no safetensors, and settings that lead to files elsewhere."""
    if (folder / "adapter_config.json").exists():
        raise _fault(folder, "", "an adapter, adapter_config.json", "a whole model", "Merge it into its model first.")
    for index in folder.glob("*.safetensors.index.json"):
        shards = read_settings(index).get("weight_map")
        for shard in shards.values() if isinstance(shards, dict) else [shards]:
            if not isinstance(shard, str) or not (folder / shard).parent == folder or not _safe(shard):
                raise _fault(index, "weight_map", shorten(shard), "the name of a safetensors file beside it", SAVE)
    pickles = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    if pickles and not any(folder.glob("*.safetensors")):
        raise _fault(folder, "", f"weights as a pickle, {pickles[0]}, which can hold code", "model.safetensors", SAVE)
    for name, fields in NAME_FILES.items():
        settings = read_settings(folder / name) if (folder / name).exists() else {}
        for field in fields:
            if field in settings:
                raise _fault(folder / name, field, shorten(settings[field]), "no such setting")
    for path in folder.glob("sentence_*_config.json"):
        settings = read_settings(path)
        for field in HANDED_ON:
            for text in _texts(settings.get(field)):
                if "/" in text or "\\" in text:
                    raise _fault(path, field, shorten(text), "nothing that lies elsewhere")


def read_settings(path: Path) -> dict[str, Any]:
    """The object of a JSON file."""
    settings = _json(path)
    if not isinstance(settings, dict):
        raise _fault(path, "", shorten(settings), "a JSON object")
    return settings


@contextlib.contextmanager
def loading(folder: Path, expected: str) -> Iterator[None]:
    """Turn whatever a library raises while it loads the folder into one line."""
    try:
        yield
    except VoirDireError:
        raise
    except Exception as error:
        reason = shorten_text(str(error), 400) or type(error).__name__
        found, hint = f"a folder that cannot be loaded ({reason})", ""
        if "trust_remote_code" in str(error):
            found, hint = "a model that needs code of its own (auto_map in its settings)", "Such code is never run."
        raise _fault(folder, "", found, expected, hint) from None


def _safe(name: str) -> bool:
    return name.endswith(".safetensors") and not name.startswith(".")


def _texts(value: object) -> Iterator[str]:
    """Every string inside a value of JSON."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(inner)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise _fault(path, "", f"what cannot be read ({error})", "JSON") from None


def _fault(path: Path, field: str, found: str, expected: str, hint: str = "") -> InputError:
    return InputError(str(path), [Problem("", field, found, expected, hint)])
