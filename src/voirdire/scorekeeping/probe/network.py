"""The probe's network, in torch, with its inner loops, and its training. Import this module late: it brings torch and
numba.

    h = σ(W [r; z] + b),  scores = V dropout(h) + c        W = [W_r, W_z]

At the paper's sizes (r of 512, z of 768, h of 1,024 numbers) it has 1,315,844, 1,314,819 and 1,313,794 parameters for
4, 3 and 2 classes. Without a hidden layer (the paper's shallow variant) scores = W [r; z] + b; with several (its deep
one) each further layer is dropout(σ(U h + d)) of the one before, of the same size. Every matrix and its bias are drawn
from the uniform distribution within ±1/√(its inputs), as torch's own layers are. (scorekeeping, appendix B.)

With one hidden layer all of it behind its two matrix products, with its gradient, is one function:

    scores_i = V dropout(σ(A[a_i] + B[b_i])) + c

A  W_r r of the batch's states, B  W_z z + b of its sentences; a_i and b_i say which of them point i has. The hidden
layer is made and left in one pass each way, and a row of A or B gathers the gradients of all of its points on the way
back. (p is rounded to a multiple of 2⁻¹⁶.) Its loops, which run over rows that fit in the first cache:

    add_rows    out_i = A[a_i] + B[b_i]
    drop        h_k = h_k · [u_k >= p] / (1 − p)          u_k from a hash of the key and of k, so that no state is kept
    pull_back   x_i = (g_i V) ∘ d_i ∘ (1 − (1 − p) d_i),  added to A'[a_i] and to B'[b_i]

`pull_back` goes back through dropout and sigmoid at once: with s the sigmoid, d = s / (1 − p) where it was kept and 0
where it was dropped, so d (1 − (1 − p) d) is dropout's factor times s (1 − s) in both cases.

A trained probe has the weights after the epoch with the best accuracy on the validation points, the first of them where
several are equal (`voirdire.models.trainer` has the loop). Order and dropout come from the seed, the epoch and the
step, so that the next step depends on the state alone; a training that had ended is not run again.
"""

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.autograd import Function

from voirdire.engine.threads import one_thread
from voirdire.models import Epoch
from voirdire.models.grouped_order import GroupedOrder
from voirdire.models.trainer import EVERY, Ended, Rows, Trainable, ignore_epoch, train
from voirdire.progress import Progress, silent
from voirdire.scorekeeping.exam import ProbeTraining
from voirdire.scorekeeping.probe.sample import ProbeSample
from voirdire.stats.compiled import compiled

HIDDEN = 1024
STEPS = 2**16
PIECES = 4
"""Numbers of 16 bits in one hash."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@compiled
def add_rows(first: Any, second: Any, a: Any, b: Any, out: Any) -> None:
    """out (n, h) = first[a] + second[b]."""
    for i in range(len(a)):
        left, right, row = first[a[i]], second[b[i]], out[i]
        for j in range(len(row)):
            row[j] = left[j] + right[j]


@compiled
def drop(hidden: Any, key: Any, threshold: Any, scale: Any) -> None:
    """Multiply each number of `hidden` (flat) by `scale`, or by 0 where its 16 random bits are below `threshold`."""
    zero = scale - scale
    words = np.empty((len(hidden) + PIECES - 1) // PIECES, np.uint64)
    for place in range(len(words)):
        # SplitMix64: the number of the place, spread by an odd constant and mixed.
        bits = key + np.uint64(place + 1) * GOLDEN
        bits = (bits ^ (bits >> np.uint64(30))) * FIRST
        bits = (bits ^ (bits >> np.uint64(27))) * SECOND
        words[place] = bits ^ (bits >> np.uint64(31))
    # A loop of its own, which the compiler can make wide.
    drawn = words.view(np.uint16)
    for k in range(len(hidden)):
        hidden[k] *= scale if drawn[k] >= threshold else zero


@compiled(fastmath={"contract"})
def pull_back(gradient: Any, output: Any, dropped: Any, keep: Any, a: Any, b: Any, to_a: Any, to_b: Any) -> None:
    """From the gradient of the scores (n, c) to that of the rows that were added; `dropped` is what dropout left."""
    pulled = np.empty(dropped.shape[1], dropped.dtype)
    unit = keep / keep
    for i in range(len(a)):
        row, left, right = dropped[i], to_a[a[i]], to_b[b[i]]
        for j in range(len(row)):
            pulled[j] = gradient[i, 0] * output[0, j]
        for c in range(1, output.shape[0]):
            for j in range(len(row)):
                pulled[j] += gradient[i, c] * output[c, j]
        for j in range(len(row)):
            x = pulled[j] * row[j] * (unit - keep * row[j])
            left[j] += x
            right[j] += x


@dataclass(frozen=True, slots=True)
class Dropout:
    """Which numbers of a hidden layer are left out: a share, and the key of the draw."""

    share: float
    key: int

    def of_layer(self, number: int) -> "Dropout":
        """The same share of another hidden layer, the first of which is 0."""
        return Dropout(self.share, (self.key + number) % 2**64)

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
    scores: Tensor = _Head.apply(states, sentences, output, bias, a, b, dropout)  # type: ignore[no-untyped-call]
    return scores


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


class ProbeNetwork(Trainable):
    """Scores of the classes of points.

    state, sentence  how many numbers r and z have
    seed             of the first weights
    layers           hidden layers
    """

    def __init__(
        self,
        state: int,
        sentence: int,
        classes: int,
        hidden: int = HIDDEN,
        seed: int | None = None,
        layers: int = 1,
    ) -> None:
        super().__init__()
        first = hidden if layers else classes
        self.from_state = nn.Linear(state, first, bias=False)
        self.from_sentence = nn.Linear(sentence, first)
        self.after = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(layers - 1))
        self.output = nn.Linear(hidden, classes) if layers else None
        if seed is not None:
            self._draw(torch.Generator().manual_seed(seed))

    def _draw(self, generator: torch.Generator) -> None:
        inside = (self.from_state.in_features + self.from_sentence.in_features) ** -0.5
        # All layers after the first have as many inputs as that has outputs.
        outside = self.from_state.out_features**-0.5
        first = (self.from_state.weight, self.from_sentence.weight, self.from_sentence.bias)
        with torch.no_grad():
            for parameter in self.parameters():
                bound = inside if any(parameter is weight for weight in first) else outside
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
        if self.output is not None and not len(self.after):
            return scores_of(of_states, of_sentences, self.output.weight, self.output.bias, state, sentence, dropout)
        hidden: Tensor = of_states[torch.from_numpy(state)] + of_sentences[torch.from_numpy(sentence)]
        if self.output is None:
            return hidden
        for number, layer in enumerate((*self.after, self.output)):
            hidden = hidden.sigmoid()
            if dropout is not None:
                kept = torch.ones_like(hidden)
                dropout.of_layer(number).apply(kept)
                hidden = hidden * kept
            hidden = layer(hidden)
        return hidden

    def sequential(self, dropout: float = 0.0) -> nn.Sequential:
        """The same network as a chain of torch's own layers, which takes [r; z]: for other programs, and for tests."""
        inputs = self.from_state.in_features + self.from_sentence.in_features
        first = nn.Linear(inputs, self.from_state.out_features, dtype=self.dtype)
        with torch.no_grad():
            first.weight.copy_(torch.cat([self.from_state.weight, self.from_sentence.weight], dim=1))
            first.bias.copy_(self.from_sentence.bias)
        chain: list[nn.Module] = [first]
        for layer in () if self.output is None else (*self.after, self.output):
            chain += [nn.Sigmoid(), nn.Dropout(dropout), deepcopy(layer)]
        return nn.Sequential(*chain)

    @property
    def dtype(self) -> torch.dtype:
        """The type of the weights."""
        return self.from_state.weight.dtype

    def clip_gradients(self, longest: float) -> None:
        """Scale all gradients together, if they are longer than that; torch's own function goes through them always.

        0 leaves them as they are.
        """
        if not longest:
            return
        gradients = [parameter.grad for parameter in self.parameters() if parameter.grad is not None]
        length = float(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]).norm())
        # The small number is torch's, against division by zero.
        scale = longest / (length + 1e-6)
        if scale < 1:
            for gradient in gradients:
                gradient.mul_(scale)


ASKED = 4096
"""Points that are predicted at once; part of the definition, since the last bits of a product depend on its shape."""


@dataclass(frozen=True, eq=False)
class TrainedProbe:
    """A probe's network; `epoch`, from 1, is the one after which its weights were taken."""

    network: ProbeNetwork
    epoch: int
    history: tuple[Epoch, ...]


def train_probe(
    sample: ProbeSample,
    valid: ProbeSample,
    classes: int,
    options: ProbeTraining | None = None,
    *,
    identity: dict[str, Any] | None = None,
    checkpoint: Path | None = None,
    every: float = EVERY,
    progress: Progress = silent,
    ended: Ended = ignore_epoch,
) -> TrainedProbe:
    """A probe trained on `sample`.

    identity    what else identifies this training, such as the fingerprints of its files
    checkpoint  where the state is kept every so many seconds and after each epoch, and taken up again
    progress    counts points, over all epochs
    ended       called after each epoch
    """
    if not len(sample) or not len(valid):
        raise ValueError(f"`sample` and `valid` must have points, got {len(sample)} and {len(valid)}")
    options = options or ProbeTraining()
    learner = ProbeLearner(sample, valid, classes, options)
    whole = {**options.plain(), "points": len(sample), "validation points": len(valid), **(identity or {})}
    network = train(
        learner, options.schedule(), identity=whole, checkpoint=checkpoint, every=every, progress=progress, ended=ended
    )
    learner.network.set(network.weights)
    return TrainedProbe(learner.network, network.epoch, network.history)


def predict(network: ProbeNetwork, sample: ProbeSample) -> npt.NDArray[np.int64]:
    """The class with the highest score for each point."""
    with one_thread(), torch.no_grad():
        return _predicted(network, sample)


def _predicted(network: ProbeNetwork, sample: ProbeSample) -> npt.NDArray[np.int64]:
    predicted = np.empty(len(sample), np.int64)
    for start in range(0, len(sample), ASKED):
        rows = np.arange(start, min(start + ASKED, len(sample)))
        predicted[rows] = _scores(network, sample, rows).argmax(dim=1).numpy()
    return predicted


def _scores(network: ProbeNetwork, sample: ProbeSample, rows: Rows, dropout: Dropout | None = None) -> Tensor:
    """Scores of some points; each state and each sentence goes through the first layer once."""
    states, state = np.unique(sample.state[rows], return_inverse=True)
    sentences, sentence = np.unique(sample.sentence[rows], return_inverse=True)
    scores: Tensor = network(
        torch.from_numpy(sample.states[states]),
        torch.from_numpy(sample.sentences[sentences]),
        state.reshape(-1),
        sentence.reshape(-1),
        dropout,
    )
    return scores


class ProbeLearner:
    """A probe's network with the points that it learns from and those that choose its epoch."""

    def __init__(self, sample: ProbeSample, valid: ProbeSample, classes: int, options: ProbeTraining) -> None:
        self.sample, self.valid, self.options = sample, valid, options
        sizes = sample.states.shape[1], sample.sentences.shape[1]
        self.network = ProbeNetwork(*sizes, classes, options.hidden, options.seed, options.layers)
        self._grouped = GroupedOrder(sample.group) if options.batches == "grouped" else None

    def __len__(self) -> int:
        return len(self.sample)

    def order(self, rng: np.random.Generator) -> Rows:
        """The points of an epoch: in any order, or in groups that are in any order."""
        return rng.permutation(len(self.sample)) if self._grouped is None else self._grouped.draw(rng)

    def dropout(self, step: int) -> Dropout | None:
        """What the step of this number leaves out."""
        if not self.options.dropout:
            return None
        key = np.random.SeedSequence([self.options.seed, step]).generate_state(1, np.uint64)
        return Dropout(self.options.dropout, int(key[0]))

    def scores(self, rows: Rows, step: int) -> tuple[Tensor, Tensor]:
        """Scores of some points in a step, and their classes."""
        labels = torch.from_numpy(self.sample.label[rows])
        return _scores(self.network, self.sample, rows, self.dropout(step)), labels

    def validate(self) -> tuple[float | None, float | None]:
        """The share of the validation points that are predicted wrongly; the loss is not taken."""
        return None, float((_predicted(self.network, self.valid) != self.valid.label).mean())
