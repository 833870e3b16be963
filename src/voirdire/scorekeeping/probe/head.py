"""All of the probe behind its two matrix products, with its gradient.

    scores_i = V dropout(σ(A[a_i] + B[b_i])) + c

A  W_r r of the batch's states, B  W_z z + b of its sentences; a_i and b_i say which of them point i has. The hidden
layer is made and left in one pass each way, and a row of A or B gathers the gradients of all of its points on the way
back. (p is rounded to a multiple of 2⁻¹⁶.)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.autograd import Function

from voirdire.scorekeeping.probe.kernels import add_rows, drop, pull_back

__all__ = ["Dropout", "scores_of"]

STEPS = 2**16


@dataclass(frozen=True, slots=True)
class Dropout:
    """Which numbers of a hidden layer are left out: a share, and the key of the draw."""

    share: float
    key: int

    def apply(self, hidden: Tensor) -> None:
        """Leave them out, in place."""
        flat = hidden.numpy().reshape(-1)
        threshold = np.uint16(round(self.share * STEPS))
        drop(flat, np.uint64(self.key), threshold, flat.dtype.type(1 / (1 - self.share)))


def scores_of(
    states: Tensor,
    sentences: Tensor,
    output: Tensor,
    bias: Tensor,
    a: npt.NDArray[np.intp],
    b: npt.NDArray[np.intp],
    dropout: Dropout | None = None,
) -> Tensor:
    """Scores (n, classes) from W_r r (states, hidden) and W_z z + b (sentences, hidden)."""
    made: Tensor = _Head.apply(states, sentences, output, bias, a, b, dropout)  # type: ignore[no-untyped-call]
    return made


class _Head(Function):
    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        sentences: Tensor,
        output: Tensor,
        bias: Tensor,
        a: npt.NDArray[np.intp],
        b: npt.NDArray[np.intp],
        dropout: Dropout | None,
    ) -> Tensor:
        hidden = states.new_empty(len(a), states.shape[1])
        add_rows(states.detach().numpy(), sentences.detach().numpy(), a, b, hidden.numpy())
        hidden.sigmoid_()
        if dropout is not None:
            dropout.apply(hidden)
        ctx.save_for_backward(output, hidden)
        ctx.places, ctx.sizes = (a, b), (len(states), len(sentences))
        ctx.keep = 1.0 if dropout is None else 1 - dropout.share
        return torch.addmm(bias, hidden, output.T)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = gradients
        output, hidden = ctx.saved_tensors
        to_states, to_sentences = (hidden.new_zeros(size, hidden.shape[1]) for size in ctx.sizes)
        whole = gradient.contiguous().numpy()
        keep = whole.dtype.type(ctx.keep)
        weights = output.detach().numpy()
        pull_back(whole, weights, hidden.numpy(), keep, *ctx.places, to_states.numpy(), to_sentences.numpy())
        return to_states, to_sentences, gradient.T @ hidden, gradient.sum(0), None, None, None
