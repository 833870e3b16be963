"""The oracle's network, in torch.

    i, f, g, o = W x + U h + b;   c' = σ(f) c + σ(i) tanh(g);   h' = σ(o) tanh(c')        for each word x
    hidden = ReLU(A h + B category + C spatial + D crop + a);   scores = V hidden + v

Every matrix is drawn from the uniform distribution within ±1/√(its inputs), embeddings from the standard normal one;
the forget gate starts at 1 more, so that a fresh LSTM remembers.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from voirdire.questions.trained_oracle.lstm import read_tree
from voirdire.questions.trained_oracle.prefixes import Levels
from voirdire.questions.trained_oracle.spatial import FEATURES

__all__ = ["CATEGORIES", "CLASSES", "Network", "Sizes"]

CATEGORIES = 90
CLASSES = 3


@dataclass(frozen=True)
class Sizes:
    """How wide the network is; the defaults are the paper's.

    words  numbers of words, the unknown one among them
    crops  how many features a crop has; 0 for an oracle without crops
    """

    words: int
    word: int = 300
    lstm: int = 512
    category: int = 512
    hidden: int = 512
    crops: int = 0


class Network(nn.Module):
    """Scores of yes, no and n/a."""

    def __init__(self, sizes: Sizes, seed: int | None = None) -> None:
        super().__init__()
        self.sizes = sizes
        self.word = nn.Embedding(sizes.words, sizes.word)
        self.input = nn.Linear(sizes.word, 4 * sizes.lstm)
        self.recurrent = nn.Linear(sizes.lstm, 4 * sizes.lstm, bias=False)
        self.category = nn.Embedding(CATEGORIES + 1, sizes.category)
        self.from_question = nn.Linear(sizes.lstm, sizes.hidden)
        self.from_category = nn.Linear(sizes.category, sizes.hidden, bias=False)
        self.from_spatial = nn.Linear(FEATURES, sizes.hidden, bias=False)
        self.from_crop = nn.Linear(sizes.crops, sizes.hidden, bias=False) if sizes.crops else None
        self.output = nn.Linear(sizes.hidden, CLASSES)
        if seed is not None:
            self._draw(torch.Generator().manual_seed(seed))

    def _draw(self, generator: torch.Generator) -> None:
        with torch.no_grad():
            for part in self.children():
                if isinstance(part, nn.Embedding):
                    part.weight.normal_(generator=generator)
                elif isinstance(part, nn.Linear):
                    bound = part.in_features**-0.5
                    for parameter in part.parameters():
                        parameter.uniform_(-bound, bound, generator=generator)
            self.input.bias[self.sizes.lstm : 2 * self.sizes.lstm] += 1.0

    def read(self, levels: Levels) -> Tensor:
        """What the LSTM has read at the end of each question, (questions, lstm)."""
        table = self.input(self.word(torch.from_numpy(levels.vocabulary)))
        return read_tree(table, self.recurrent.weight, levels)

    def of_questions(self, levels: Levels) -> Tensor:
        """The part of the hidden layer that comes from the questions, (questions, hidden)."""
        part: Tensor = self.from_question(self.read(levels))
        return part

    def of_objects(
        self,
        categories: npt.NDArray[np.int64],
        spatial: npt.NDArray[np.float32],
        crops: npt.NDArray[np.float32] | None = None,
    ) -> Tensor:
        """The part of the hidden layer that comes from the objects, (objects, hidden)."""
        used, rows = np.unique(categories, return_inverse=True)
        parts: Tensor = self.from_category(self.category(torch.from_numpy(used)))[torch.from_numpy(rows)]
        parts = parts + self.from_spatial(torch.from_numpy(spatial))
        if self.from_crop is not None:
            if crops is None:
                raise ValueError("crops: none; this network was made for them")
            parts = parts + self.from_crop(torch.from_numpy(crops))
        return parts

    def scores(self, questions: Tensor, objects: Tensor) -> Tensor:
        """Scores (n, 3) from the two parts, (n, hidden) each."""
        made: Tensor = self.output(torch.relu(questions + objects))
        return made

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """All weights by name."""
        return {name: value.detach().numpy() for name, value in self.state_dict().items()}

    def set(self, arrays: dict[str, npt.NDArray[np.float32]]) -> None:
        """Take all weights from arrays."""
        self.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
