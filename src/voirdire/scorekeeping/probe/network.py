"""The probe's network, in torch.

    h = σ(W [r; z] + b),  scores = V dropout(h) + c        W = [W_r, W_z]

At the paper's sizes (r of 512, z of 768, h of 1,024 numbers) it has 1,315,844, 1,314,819 and 1,313,794 parameters for
4, 3 and 2 classes. Every matrix and its bias are drawn from the uniform distribution within ±1/√(its inputs), as
torch's own layers are. (scorekeeping, appendix B.)
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from voirdire.scorekeeping.probe.head import Dropout, scores_of

__all__ = ["HIDDEN", "Network"]

HIDDEN = 1024


class Network(nn.Module):
    """Scores of the classes of points.

    state, sentence  how many numbers r and z have
    seed             of the first weights
    """

    def __init__(self, state: int, sentence: int, classes: int, hidden: int = HIDDEN, seed: int | None = None) -> None:
        super().__init__()
        self.from_state = nn.Linear(state, hidden, bias=False)
        self.from_sentence = nn.Linear(sentence, hidden)
        self.output = nn.Linear(hidden, classes)
        if seed is not None:
            self._draw(torch.Generator().manual_seed(seed))

    def _draw(self, generator: torch.Generator) -> None:
        inside = (self.from_state.in_features + self.from_sentence.in_features) ** -0.5
        outside = self.output.in_features**-0.5
        with torch.no_grad():
            for parameter in self.parameters():
                bound = outside if parameter is self.output.weight or parameter is self.output.bias else inside
                parameter.uniform_(-bound, bound, generator=generator)

    def forward(
        self,
        states: Tensor,
        sentences: Tensor,
        state: npt.NDArray[np.intp],
        sentence: npt.NDArray[np.intp],
        dropout: Dropout | None = None,
    ) -> Tensor:
        """Scores (n, classes) of n points, whose places in `states` and `sentences`, distinct rows, are given."""
        of_states, of_sentences = self.from_state(states), self.from_sentence(sentences)
        return scores_of(of_states, of_sentences, self.output.weight, self.output.bias, state, sentence, dropout)

    def sequential(self, dropout: float = 0.0) -> nn.Sequential:
        """The same network as a chain of torch's own layers, which takes [r; z]: for other programs, and for tests."""
        first = nn.Linear(
            self.from_state.in_features + self.from_sentence.in_features, self.output.in_features, dtype=self.dtype
        )
        last = nn.Linear(self.output.in_features, self.output.out_features, dtype=self.dtype)
        with torch.no_grad():
            first.weight.copy_(torch.cat([self.from_state.weight, self.from_sentence.weight], dim=1))
            first.bias.copy_(self.from_sentence.bias)
            last.weight.copy_(self.output.weight)
            last.bias.copy_(self.output.bias)
        return nn.Sequential(first, nn.Sigmoid(), nn.Dropout(dropout), last)

    @property
    def dtype(self) -> torch.dtype:
        """The type of the weights."""
        return self.output.weight.dtype

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """All weights by name."""
        return {name: value.detach().numpy() for name, value in self.state_dict().items()}

    def set(self, arrays: dict[str, npt.NDArray[np.float32]]) -> None:
        """Take all weights from arrays."""
        self.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
