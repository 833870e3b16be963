"""What all networks that answer questions about pictures share; each is one file beside this one.

    scores = join(of_question(questions), of_picture(features))

questions  int64 (n, words), words numbered from 1, zeros behind; padding columns change nothing
features   float32 (n, d) or (n, places, d), places row by row; None where the network sees none

What depends on the picture alone is made by `of_picture`, once per picture however many questions there are, and what
depends on the question alone by `of_question`. Both are tuples of tensors with one row per picture or question, so
rows can be taken (`rows_of`) and joined in any combination. A question without a word is read as the state that no
word has changed: zeros.

A network's file and its authors' checkpoints name weights otherwise than its modules do: `arrays` and `set` translate
by NAMES, from the beginning of our names to the beginning of theirs, and reshape what was a convolution over one place.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import count, takewhile
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from voirdire.models.recipes import StartRule
from voirdire.models.sizes import Sizes
from voirdire.models.trainer import Trainable, Weights

Part = tuple[Tensor, ...]
Shape = Callable[[str], tuple[int, ...]]
"""The shape of a weight of ours; () of one that is not there."""
UNIFORM = 0.08


class VqaNetwork(Trainable, ABC):
    """A network that scores answers to questions about pictures."""

    NAMES: ClassVar[Mapping[str, str]] = {}
    """Beginnings of our names of weights, and what stands for them in files."""
    AT_ONE_PLACE: ClassVar[tuple[str, ...]] = ()
    """Matrices, by their names in files, that are convolutions over one place there: (out, in, 1, 1)."""

    def __init__(self, sizes: Sizes, words: int, classes: int, width: int) -> None:
        super().__init__()
        self.words, self.classes, self.width = words, classes, width

    @abstractmethod
    def of_question(self, questions: Tensor) -> Part:
        """What depends on the questions alone."""

    @abstractmethod
    def of_picture(self, features: Tensor) -> Part:
        """What depends on the pictures alone."""

    @abstractmethod
    def details(self, question: Part, picture: Part) -> dict[str, Tensor]:
        """The scores, (n, classes), and what they were made from, such as weights of attention, by name."""

    def join(self, question: Part, picture: Part) -> Tensor:
        """Scores (n, classes) of pairs of a question's and a picture's part."""
        return self.details(question, picture)["scores"]

    def forward(self, questions: Tensor, features: Tensor | None = None) -> Tensor:
        """Scores (n, classes), one row per question and its picture."""
        return self.join(self.of_question(questions), () if features is None else self.of_picture(features))

    @classmethod
    def sizes_of(cls, shapes: Mapping[str, tuple[int, ...]]) -> tuple[Sizes, int, int, int]:
        """Sizes, words, classes and width of the network whose weights have these shapes, by their names in files."""
        try:
            return cls.sizes_by(lambda name: shapes.get(cls.name_in_files(name), ()))
        except (IndexError, ValueError):
            raise ValueError(f"`shapes` must be those of the weights of a {cls.__name__}, got others") from None

    @classmethod
    @abstractmethod
    def sizes_by(cls, shape: Shape) -> tuple[Sizes, int, int, int]:
        """The same, from our names of weights."""

    @classmethod
    def of_arrays(cls, arrays: Weights) -> "VqaNetwork":
        """The network with these weights."""
        made = cls(*cls.sizes_of({name: array.shape for name, array in arrays.items()}))
        made.set(arrays)
        return made

    def draw(self, seed: int, start: StartRule) -> None:
        """First weights by a rule of `recipes`; rows of padding are zero."""
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for module in self.modules():
                _draw(module, start, generator)

    @classmethod
    def name_in_files(cls, name: str) -> str:
        """What files call a weight of ours."""
        for ours in sorted(cls.NAMES, key=len, reverse=True):
            if name.startswith(ours):
                return cls.NAMES[ours] + name[len(ours) :]
        return name

    def arrays(self) -> Weights:
        """All weights by their names in files."""
        named = {self.name_in_files(name): array for name, array in super().arrays().items()}
        return {name: array[..., None, None] if name in self.AT_ONE_PLACE else array for name, array in named.items()}

    def set(self, arrays: Weights) -> None:
        """Take all weights from arrays by their names in files."""
        ours = {self.name_in_files(name): name for name in self.state_dict()}
        flat = {name: _flat(array) if name in self.AT_ONE_PLACE else array for name, array in arrays.items()}
        super().set({ours.get(name, name): array for name, array in flat.items()})


def _flat(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return array[:, :, 0, 0] if array.shape[2:] == (1, 1) else array


def _draw(module: nn.Module, start: StartRule, generator: torch.Generator) -> None:
    """First weights of a layer."""
    match module:
        case nn.Embedding():
            if start == "uniform":
                module.weight.uniform_(-UNIFORM, UNIFORM, generator=generator)
            else:
                module.weight.normal_(generator=generator)
            if module.padding_idx is not None:
                module.weight[module.padding_idx] = 0
        case nn.Linear() | nn.Conv1d():
            bound = UNIFORM if start == "uniform" else module.weight[0].numel() ** -0.5
            for parameter in module.parameters(recurse=False):
                parameter.uniform_(-bound, bound, generator=generator)


def rows_of(part: Part, rows: Tensor) -> Part:
    """These rows of a part."""
    return tuple(tensor[rows] for tensor in part)


def count_layers(shape: Shape, name: str, first: int = 0) -> int:
    """How many weights there are whose names have a number in place of {}."""
    return len(list(takewhile(shape, (name.format(number) for number in count(first)))))


def weighted_sum(weights: Tensor, rows: Tensor) -> Tensor:
    """Σ_n w_n row_n of rows (b, n, d), with weights (b, n), or (b, glimpses, n) for one sum per glimpse."""
    return weights @ rows if weights.ndim == 3 else (weights[:, None] @ rows)[:, 0]
