"""Checkpoints as the code of MUTAN's authors (Cadene/vqa.pytorch) writes them: a state of torch, by its own names.

They are read without unpickling anything but tensors (`weights_only`). The networks translate the names: see
`vqa_network.VqaNetwork.set`. Words and classes are not in them; their authors keep these beside the questions.
"""

import pickle
from pathlib import Path
from zipfile import BadZipFile

import torch

from voirdire.errors import InputError, Problem, shorten_text
from voirdire.models.architectures import Architecture
from voirdire.models.trainer import Weights
from voirdire.models.vqa_network import VqaNetwork

EXPECTED = "weights by name, as torch.save writes a network's state"
PARALLEL = "module."
"""What stands before every name where a network was saved inside torch's DataParallel."""


def read_cadene_checkpoint(path: str | Path, architecture: Architecture) -> VqaNetwork:
    """The network of a checkpoint; another network's, or another file, is an error."""
    made = architecture.network
    weights = _read_weights(Path(path))
    try:
        network = made(*made.sizes_of({name: array.shape for name, array in weights.items()}))
        wanted = {name: array.shape for name, array in network.arrays().items()}
    except ValueError:
        wanted = {}
    found = {name: array.shape for name, array in weights.items()}
    if found != wanted:
        odd = next((name for name in {**wanted, **found} if wanted.get(name) != found.get(name)), "")
        problem = Problem("", odd, _shape(found.get(odd)), _shape(wanted.get(odd)), f"Is it of {architecture.name}?")
        raise InputError(str(path), [problem])
    network.set(weights)
    return network


def _read_weights(path: Path) -> Weights:
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
            raise ValueError("it holds other things than tensors")
    except FileNotFoundError:
        raise InputError(str(path), [Problem("", "", "no such file", EXPECTED)]) from None
    except (pickle.UnpicklingError, BadZipFile, RuntimeError, ValueError, EOFError, KeyError, OSError) as error:
        found = f"no such file ({shorten_text(str(error))})"
        raise InputError(str(path), [Problem("", "", found, EXPECTED)]) from None
    before = PARALLEL if all(name.startswith(PARALLEL) for name in state) else ""
    return {name.removeprefix(before): value.float().numpy() for name, value in state.items()}


def _shape(shape: tuple[int, ...] | None) -> str:
    return "no such weight" if shape is None else f"a weight of shape {shape}"
