"""The hidden states of a model at the ends of a dialogue's turns.

    pool last    h_n, the state at the last token of what has been heard
    pool mean    1/n · Σ_i h_i, over all n tokens of what has been heard

Each pass goes alone, without padding and on one thread, so a state's bytes depend on its own dialogue only. On a
processor a batch of so long texts is no faster (see docs/design/scorekeeping.md).
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from voirdire.text.hidden.heard import HeardDialogue
from voirdire.text.hidden.model import StateModel
from voirdire.text.hidden.tokens import Pass, form_of, passes, tokens_of

Pool = Literal["last", "mean"]
Floats = npt.NDArray[np.float32]
CLOSE = 1e-4
"""The largest relative difference between states of one pass and of one pass per turn."""


class StateReader:
    """Reads the states of some layers.

    shared  whether one pass may give the states of several turns, as it may where the model is causal
    """

    def __init__(self, model: StateModel, layers: Sequence[int], pool: Pool = "last", shared: bool = True) -> None:
        self.model, self.layers, self.pool, self.shared = model, tuple(layers), pool, shared
        self.form = form_of(model.tokeniser, str(model.path))

    def read(self, told: HeardDialogue) -> tuple[Floats, int]:
        """float32[layers, turns, d], and in how many passes they were made."""
        made = passes(tokens_of(self.model.tokeniser, told, self.form), self.shared)
        states = np.empty((len(self.layers), len(told.turns), self.model.dimension), np.float32)
        for one in made:
            states[:, one.turns] = self.go(one)
        return states, len(made)

    def is_causal(self, told: HeardDialogue) -> bool:
        """Whether states do not depend on what follows, looked at in the longest tokens of this dialogue."""
        longest, *_ = passes(tokens_of(self.model.tokeniser, told, self.form))
        tokens = longest.tokens
        # Half of it, too: a template may be such that no turn is the beginning of another.
        ends = sorted({*longest.ends, (len(tokens) + 1) // 2})
        once = self.go(Pass(tokens, tuple(range(len(ends))), tuple(ends)))
        alone = np.concatenate([self.go(Pass(tokens[:end], (0,), (end,))) for end in ends], axis=1)
        return relative_difference(once, alone) <= CLOSE

    def go(self, one: Pass) -> Floats:
        """float32[layers, ends, d]: the states at the ends of one pass."""
        import torch

        ids = torch.tensor([one.tokens])
        with torch.inference_mode():
            found = self.model.network(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True)
            states = [self._pooled(found.hidden_states[layer][0], one.ends) for layer in self.layers]
        return np.stack(states)

    def _pooled(self, states: Any, ends: Sequence[int]) -> Floats:
        import torch

        counts = torch.tensor(ends)
        if self.pool == "last":
            found: Floats = states[counts - 1].float().numpy()
            return found
        total = states.double().cumsum(0)[counts - 1]
        mean: Floats = (total / counts[:, None]).float().numpy()
        return mean


def relative_difference(ours: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> float:
    """max over vectors of ‖a − b‖ / ‖b‖."""
    apart = np.linalg.norm(ours.astype(np.float64) - theirs, axis=-1)
    return float((apart / np.linalg.norm(theirs.astype(np.float64), axis=-1)).max())
