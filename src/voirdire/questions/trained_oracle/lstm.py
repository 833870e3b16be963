"""An LSTM over a tree of beginnings, with its gradient.

    i, f, g, o = x + U h;   c' = σ(f) c + σ(i) tanh(g);   h' = σ(o) tanh(c')

x  the rows of `inputs` (a row a word: W · embedding + b), h and c of the node above.

The gradient is written out, because torch would make one of U at every level and add them up, which takes a third
of a step of a small batch: here the levels are put together first, and the gradient of U is one product.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from voirdire.questions.trained_oracle.prefixes import Levels

__all__ = ["read_tree"]


def read_tree(inputs: Tensor, recurrent: Tensor, levels: Levels) -> Tensor:
    """h at the end of each question, (questions, n), from `inputs` (words, 4n) and `recurrent` (4n, n)."""
    read: Tensor = _Tree.apply(inputs, recurrent, levels)  # type: ignore[no-untyped-call]
    return read


class _Tree(Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, recurrent: Tensor, levels: Levels) -> Tensor:
        kept: list[tuple[Tensor, ...]] = []
        hidden: list[Tensor] = []
        cell = stems = parents = empty = torch.empty(0)
        for depth, words in enumerate(levels.words):
            gates = inputs[torch.from_numpy(words)]
            above, carried = empty, empty
            if depth:
                stems = torch.from_numpy(levels.stems[depth - 1])
                parents = torch.from_numpy(levels.parents[depth - 1])
                above = hidden[-1][stems]
                gates += (above @ recurrent.T)[parents]
                carried = cell[stems[parents]]
            enter, forget, change, leave = gates.chunk(4, dim=1)
            enter.sigmoid_(), forget.sigmoid_(), change.tanh_(), leave.sigmoid_()
            cell = enter * change
            if depth:
                cell += forget * carried
            bent = cell.tanh()
            hidden.append(leave * bent)
            kept.append((gates, bent, above, carried))
        ctx.kept, ctx.levels, ctx.recurrent, ctx.shape = kept, levels, recurrent, inputs.shape
        return torch.cat(hidden)[torch.from_numpy(levels.ends)]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        levels, recurrent = ctx.levels, ctx.recurrent
        (gradient,) = gradients
        size = gradient.shape[1]
        whole = gradient.new_zeros(sum(map(len, levels.words)), size)
        whole.index_add_(0, torch.from_numpy(levels.ends), gradient)
        of_hidden = list(torch.split(whole, [len(words) for words in levels.words]))
        of_inputs = gradient.new_zeros(ctx.shape)
        of_cell = torch.zeros_like(of_hidden[-1])
        steps: list[Tensor] = []
        aboves: list[Tensor] = []
        for depth in range(len(levels.words) - 1, -1, -1):
            gates, bent, above, carried = ctx.kept[depth]
            enter, forget, change, leave = gates.chunk(4, dim=1)
            of_cell = of_cell + of_hidden[depth] * leave * (1 - bent * bent)
            of_gates = torch.empty_like(gates)
            to_enter, to_forget, to_change, to_leave = of_gates.chunk(4, dim=1)
            to_enter.copy_(of_cell * change * enter * (1 - enter))
            to_change.copy_(of_cell * enter * (1 - change * change))
            to_leave.copy_(of_hidden[depth] * bent * leave * (1 - leave))
            if depth:
                to_forget.copy_(of_cell * carried * forget * (1 - forget))
            else:
                to_forget.zero_()
            of_inputs.index_add_(0, torch.from_numpy(levels.words[depth]), of_gates)
            if depth:
                stems = torch.from_numpy(levels.stems[depth - 1])
                parents = torch.from_numpy(levels.parents[depth - 1])
                step = gates.new_zeros(len(stems), gates.shape[1]).index_add_(0, parents, of_gates)
                of_hidden[depth - 1].index_add_(0, stems, step @ recurrent)
                of_cell = torch.zeros_like(of_hidden[depth - 1]).index_add_(0, stems[parents], of_cell * forget)
                steps.append(step)
                aboves.append(above)
        of_recurrent = torch.cat(steps).T @ torch.cat(aboves) if steps else torch.zeros_like(recurrent)
        return of_inputs, of_recurrent, None
