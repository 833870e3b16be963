"""What reads the questions: stacked LSTMs with the cells of Lua's torch, and the GRU of Skip-thoughts in two forms.

    LSTM   a = i2h(x) + h2h(h) in blocks i, f, o, g;  c ← σ(f) ⊙ c + σ(i) ⊙ tanh(g),  h ← σ(o) ⊙ tanh(c)
    GRU    r = σ(ir(x) + hr(h)),  z = σ(ii(x) + hi(h)),  h ← (1 − z) ⊙ n + z ⊙ h
           n = tanh(in(x) + r ⊙ hn(h))        reset after the matrix, as Skip-thoughts has it (Kiros et al. 2015)
           n = tanh(in(x) + hn(r ⊙ h))        reset before it (Cho et al. 2014)

Words stand in `PackedWords`: place by place, longest question first, without padding. So nothing is computed at
padding, and padding columns change nothing. Each state begins with zeros; that of a question without words stays there.
(There the code of MUTAN's authors takes the state after all the padding, which depends on how wide that is.)
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

State = tuple[Tensor, ...]


class PackedWords:
    """The words of questions (n, words) that are no padding, which is behind them.

    question, place  of each word
    order            the questions, longest first
    sizes            how many of them have a word at each place; the words are in this order, too
    """

    def __init__(self, questions: Tensor) -> None:
        lengths = (questions > 0).sum(1)
        self.order = torch.argsort(lengths, descending=True, stable=True)
        has_word = torch.arange(questions.shape[1], device=questions.device)[:, None] < lengths[self.order]
        self.place, row = has_word.nonzero(as_tuple=True)
        self.row, self.question = row, self.order[row]
        self.sizes = [size for size in has_word.sum(1).tolist() if size]
        self.shape = questions.shape

    def take(self, padded: Tensor) -> Tensor:
        """One row per word from one per place of each question."""
        return padded[self.question, self.place]

    def spread(self, rows: Tensor) -> Tensor:
        """One row per place of each question, zeros at padding."""
        padded = rows.new_zeros(*self.shape, rows.shape[1])
        padded[self.question, self.place] = rows
        return padded

    def read(self, step: Callable[[Tensor, State], State], inputs: Tensor, *widths: int) -> tuple[Tensor, State]:
        """What a cell makes of words: the last of its states after each word, and all its states after the last one.

        step    from the inputs of some words and the states before to the states after
        widths  numbers of each state
        """
        state: State = tuple(inputs.new_zeros(self.shape[0], width) for width in widths)
        outputs, ended = [], []
        for words in torch.split(inputs, self.sizes):
            ended.append(tuple(part[len(words) :] for part in state))
            state = step(words, tuple(part[: len(words)] for part in state))
            outputs.append(state[-1])
        ended.append(state)
        back = torch.argsort(self.order)
        last = tuple(torch.cat(parts)[back] for parts in zip(*reversed(ended), strict=True))
        return torch.cat(outputs) if outputs else inputs.new_zeros(0, widths[-1]), last


class _LstmLayer(nn.Module):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.i2h, self.h2h = nn.Linear(inputs, 4 * hidden), nn.Linear(hidden, 4 * hidden)

    def after(self, inputs: Tensor, c: Tensor, h: Tensor) -> State:
        """c and h, of i2h(x) and those before."""
        enter, forget, leave, change = (inputs + self.h2h(h)).chunk(4, 1)
        c = forget.sigmoid() * c + enter.sigmoid() * change.tanh()
        return c, leave.sigmoid() * c.tanh()


class LstmLayers(nn.ModuleDict):
    """LSTM layers, numbered from 1; what one gives the next is dropped in part."""

    def __init__(self, inputs: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = [_LstmLayer(hidden if number else inputs, hidden) for number in range(layers)]
        self.update({str(number): layer for number, layer in enumerate(self.layers, start=1)})
        self.hidden, self.drop = hidden, nn.Dropout(dropout)

    def forward(self, inputs: Tensor, packed: PackedWords) -> tuple[Tensor, State]:
        """Of one row per word: the top h after each, and after a question's last one c and h of each layer in turn."""
        return packed.read(self._step, self.layers[0].i2h(inputs), *[self.hidden] * (2 * len(self.layers)))

    def _step(self, inputs: Tensor, state: State) -> State:
        after = self.layers[0].after(inputs, *state[:2])
        for at, layer in enumerate(self.layers[1:], start=1):
            after += layer.after(layer.i2h(self.drop(after[-1])), *state[2 * at : 2 * at + 2])
        return after


class LstmReader(nn.Module):
    """LQI's reader: c and h of all layers after the last word, behind words that are a linear layer on one-hot vectors.

    x_t = tanh(embed(onehot q_t)),  state = [c¹; h¹; c²; h²; …]
    """

    def __init__(self, words: int, embedding: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embed = nn.Linear(words, embedding)
        self.lstm = LstmLayers(embedding, hidden, layers, dropout)
        self.unused = nn.Linear(hidden, 1)
        """In its authors' file and count; nothing asks for it."""
        self.drop = nn.Dropout(dropout)

    def forward(self, questions: Tensor) -> Tensor:
        """States (n, 2 · layers · hidden)."""
        packed = PackedWords(questions)
        embedded = embedding(packed.take(questions) - 1, self.embed.weight.T) + self.embed.bias
        _, states = self.lstm(self.drop(embedded).tanh(), packed)
        return torch.cat(states, 1)


class GruReader(nn.Module):
    """A GRU over embedded words, of whose six inputs training drops the same numbers at all words of a question."""

    def __init__(self, words: int, embedding: int, hidden: int, dropout: float, reset_first: bool = False) -> None:
        super().__init__()
        self.hidden, self.reset_first = hidden, reset_first
        self.embedding = nn.Embedding(words + 1, embedding, padding_idx=0)
        self.cell = nn.ModuleDict({name: nn.Linear(embedding, hidden) for name in ("ir", "ii", "in")})
        self.cell.update({name: nn.Linear(hidden, hidden, bias=False) for name in ("hr", "hi", "hn")})
        self.drop = nn.Dropout(dropout)

    def forward(self, questions: Tensor) -> Tensor:
        """States (n, hidden) after the last word."""
        packed = PackedWords(questions)
        embedded = self.embedding(packed.take(questions))
        masks = self._masks(embedded, len(questions))
        inputs = [self.cell[name](embedded * masks[name][packed.row]) for name in ("ir", "ii", "in")]

        def step(words: Tensor, state: State) -> State:
            (h,) = state
            ir, ii, in_ = words.chunk(3, 1)
            reset = (ir + self._of_state("hr", h, masks)).sigmoid()
            keep = (ii + self._of_state("hi", h, masks)).sigmoid()
            change = (
                self._of_state("hn", reset * h, masks) if self.reset_first else reset * self._of_state("hn", h, masks)
            )
            return ((1 - keep) * (in_ + change).tanh() + keep * h,)

        _, (last,) = packed.read(step, torch.cat(inputs, 1), self.hidden)
        return last

    def _masks(self, like: Tensor, questions: int) -> dict[str, Tensor]:
        """What each matrix's input is multiplied by, per question, longest first."""
        widths = {name: layer.get_parameter("weight").shape[1] for name, layer in self.cell.items()}
        return {name: self.drop(like.new_ones(questions, width)) for name, width in widths.items()}

    def _of_state(self, name: str, h: Tensor, masks: dict[str, Tensor]) -> Tensor:
        product: Tensor = self.cell[name](h * masks[name][: len(h)])
        return product
