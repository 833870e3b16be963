"""Folders of models that were made to run code, or that name files elsewhere: `bert:PATH` and `st:PATH` refuse them.

What would be run notes that in a file, which must not come to be.
"""

import json
import pickle
import shutil
from pathlib import Path

import pytest
from model_folders import (
    Change,
    Runs,
    adapter,
    own_model,
    own_tokeniser,
    pickled,
    pickled_shard,
    settings,
    shard_elsewhere,
    tokeniser_by_name,
    weights_by_name,
    with_code,
)

from voirdire.errors import InputError
from voirdire.text.encoders import encoder

pytestmark = pytest.mark.slow

BERT: dict[str, tuple[Change, str]] = {
    "a model's code": (own_model, "needs code of its own"),
    "a tokeniser's code": (own_tokeniser, "a transformers model"),
    "a pickle": (pickled, "weights as a pickle, pytorch_model.bin, which can hold code"),
    "a pickle as a shard": (pickled_shard, "'pytorch_model.bin', expected the name of a safetensors file"),
    "a shard elsewhere": (shard_elsewhere, "'../elsewhere.safetensors', expected the name of a safetensors file"),
    "an adapter": (adapter, "Merge it into its model first"),
    "weights by name": (weights_by_name, "field `transformers_weights`"),
    "a tokeniser by name": (tokeniser_by_name, "field `fast_tokenizer_files`"),
}


@pytest.mark.parametrize(("change", "message"), BERT.values(), ids=BERT)
def test_bert(change: Change, message: str, tiny_bert: Path, tmp_path: Path) -> None:
    refused("bert", tiny_bert, tmp_path, change, message)


def own_module(folder: Path, note: Path) -> None:
    with_code(folder, note)
    modules = json.loads((folder / "modules.json").read_bytes())
    (folder / "modules.json").write_text(
        json.dumps([*modules, {"idx": 2, "name": "2", "path": "", "type": "own.Tanh"}])
    )


def dense(folder: Path, function: str) -> Path:
    """A dense layer at the end, with its weights."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    model = SentenceTransformer(str(folder), device="cpu")
    model.append(Dense(32, 8))
    model.save(str(folder))
    (part,) = folder.glob("*_Dense")
    settings(part / "config.json", activation_function=function)
    return part


def own_function(folder: Path, note: Path) -> None:
    dense(folder, "own.Tanh")
    with_code(folder, note)


def pickled_layer(folder: Path, note: Path) -> None:
    part = dense(folder, "torch.nn.modules.activation.Tanh")
    (part / "model.safetensors").unlink()
    (part / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(note)))


def told_to_trust(folder: Path, note: Path) -> None:
    own_model(folder, note)
    trust = {"trust_remote_code": True, "use_safetensors": False, "weights_only": False}
    settings(folder / "sentence_bert_config.json", model_args=trust, config_args=trust, tokenizer_args=trust)


def told_of_a_file(folder: Path, note: Path) -> None:
    settings(folder / "sentence_bert_config.json", processor_kwargs={"tokenizer_file": "/elsewhere/tokenizer.json"})


def moved(where: str) -> Change:
    def change(folder: Path, note: Path) -> None:
        target = folder / where
        target.parent.mkdir(exist_ok=True)
        (folder / "1_Pooling").rename(target)
        modules = json.loads((folder / "modules.json").read_bytes())
        modules[1]["path"] = where
        (folder / "modules.json").write_text(json.dumps(modules))

    return change


def linked(folder: Path, note: Path) -> None:
    (folder / "1_Pooling").rename(folder.parent / "elsewhere")
    (folder / "1_Pooling").symlink_to(folder.parent / "elsewhere")


ST: dict[str, tuple[Change, str]] = {
    "a module's code": (own_module, "field `2.type`: found 'own.Tanh', expected a class of sentence_transformers"),
    "a function's code": (own_function, "field `activation_function`: found 'own.Tanh', expected a class of torch"),
    "a model's code": (told_to_trust, "needs code of its own"),
    "a pickle": (pickled, "weights as a pickle, pytorch_model.bin, which can hold code"),
    "a layer's pickle": (pickled_layer, "weights as a pickle, pytorch_model.bin, which can hold code"),
    "a file elsewhere": (told_of_a_file, "found '/elsewhere/tokenizer.json', expected nothing that lies elsewhere"),
    "a module elsewhere": (moved("../elsewhere"), "found '../elsewhere', expected a folder beside this file"),
    "a hidden module": (moved(".hidden"), "found '.hidden', expected a folder beside this file"),
    "a linked module": (linked, "found 1_Pooling, a link to a folder"),
}


@pytest.mark.parametrize(("change", "message"), ST.values(), ids=ST)
def test_st(change: Change, message: str, tiny_st: Path, tmp_path: Path) -> None:
    refused("st", tiny_st, tmp_path, change, message)


def refused(provider: str, model: Path, tmp_path: Path, change: Change, message: str) -> None:
    note, folder = tmp_path / "run", tmp_path / "model"
    shutil.copytree(model, folder)
    change(folder, note)
    with pytest.raises(InputError) as caught:
        encoder(f"{provider}:{folder}").encode(["a dog"])
    assert not note.exists()
    assert message in str(caught.value)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("provider", ["bert", "st"])
def test_code_that_a_known_model_does_not_need_is_left_alone(
    provider: str, tiny_bert: Path, tiny_st: Path, tmp_path: Path
) -> None:
    note, folder, model = tmp_path / "run", tmp_path / "model", tiny_bert if provider == "bert" else tiny_st
    shutil.copytree(model, folder)
    with_code(folder, note)
    settings(folder / "config.json", auto_map={"AutoConfig": "own.Config", "AutoModel": "own.Model"})
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(note)))
    assert (encoder(f"{provider}:{folder}").encode(["a dog"]) == encoder(f"{provider}:{model}").encode(["a dog"])).all()
    assert not note.exists()


@pytest.mark.parametrize("provider", ["bert", "st"])
def test_every_file_has_a_say_in_the_signature(provider: str, tiny_bert: Path, tiny_st: Path, tmp_path: Path) -> None:
    folder, model = tmp_path / "model", tiny_bert if provider == "bert" else tiny_st
    shutil.copytree(model, folder)
    (folder / "README.md").touch()
    before = encoder(f"{provider}:{folder}").signature
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} < set(names)
    assert provider == "bert" or {"modules.json", "1_Pooling/config.json", "sentence_bert_config.json"} < set(names)
    for name in names:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data + b" ")
        assert (encoder(f"{provider}:{folder}").signature == before) == (name == "README.md"), name
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("text", ["", "{", "3", '[{"type": 3, "path": ""}]', '[{"type": "sentence_transformers.a"}]'])
def test_a_list_of_modules_that_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text(text)
    with pytest.raises(InputError, match=r"modules\.json: "):
        encoder(f"st:{tmp_path}")
