"""Checkpoints in the layout of MUTAN's authors' code."""

import pickle
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_networks import SIZES

from voirdire.errors import InputError
from voirdire.models.architectures import ARCHITECTURES
from voirdire.models.cadene_checkpoint import read_cadene_checkpoint

NAMES = ["mlb-att", "mutan", "mutan-att"]


def state(name: str) -> "OrderedDict[str, torch.Tensor]":
    """As their code has it: convolutions over one place, and what else is in its layout."""
    arrays = ARCHITECTURES[name].build(SIZES[name], 9, 11, 6, seed=4).arrays()
    return OrderedDict((key, torch.from_numpy(array.copy())) for key, array in arrays.items())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before", ["", "module."])
def test_a_checkpoint_comes_back(tmp_path: Path, name: str, before: str) -> None:
    path, whole = tmp_path / "ckpt_model.pth.tar", state(name)
    assert "seq2vec.rnn.gru_cell.weight_ir.weight" in whole
    if name != "mutan":
        assert whole["conv_att.weight"].shape[2:] == (1, 1)
        assert "list_linear_v_fusion.1.bias" in whole
    torch.save(OrderedDict((before + key, value) for key, value in whole.items()), path)
    network = read_cadene_checkpoint(path, ARCHITECTURES[name])
    arrays = network.arrays()
    assert set(arrays) == set(whole)
    assert all(np.array_equal(arrays[key], value.numpy()) for key, value in whole.items())


def test_the_checkpoint_of_another_network_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "ckpt_model.pth.tar"
    torch.save(state("mlb-att"), path)
    with pytest.raises(InputError, match=r"Is it of mutan-att\?"):
        read_cadene_checkpoint(path, ARCHITECTURES["mutan-att"])
    whole = state("mlb-att")
    whole["linear_classif.bias"] = torch.zeros(12)
    torch.save(whole, path)
    expected = r"`linear_classif\.bias`: found a weight of shape \(12,\), expected a weight of shape \(11,\)"
    with pytest.raises(InputError, match=expected):
        read_cadene_checkpoint(path, ARCHITECTURES["mlb-att"])
    del whole["linear_classif.bias"]
    torch.save(whole, path)
    with pytest.raises(InputError, match=r"`linear_classif\.bias`: found no such weight"):
        read_cadene_checkpoint(path, ARCHITECTURES["mlb-att"])


class Planted:
    """Something that a pickle would run."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("run",)


def test_nothing_but_tensors_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ckpt_model.pth.tar"
    for contents in ({"a": Planted()}, {"a": "text"}, [1, 2]):
        torch.save(contents, path)
        with pytest.raises(InputError, match="expected weights by name"):
            read_cadene_checkpoint(path, ARCHITECTURES["mutan"])
    for data in (b"", b"no file of torch", pickle.dumps(Planted(), protocol=2)):
        path.write_bytes(data)
        with pytest.raises(InputError, match="expected weights by name"):
            read_cadene_checkpoint(path, ARCHITECTURES["mutan"])
    with pytest.raises(InputError, match="no such file"):
        read_cadene_checkpoint(tmp_path / "none.pth.tar", ARCHITECTURES["mutan"])
    assert "run" not in capsys.readouterr().out
