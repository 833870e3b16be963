"""MUTAN with attention at the paper's size: its training beside the same equations written plainly, and a whole epoch.

    python benchmarks/networks.py [--batch 128] [--batches 3]

Features of 14 × 14 places and 2,048 numbers, 2,000 classes, 14,770 words, questions of 3 to 15 words (6.3 on average,
about VQA v1's length), Adam, one thread. The plain side has one linear layer per term of the fusion and a GRU that goes
through the padded words, as the authors' module does; it takes our weights, and without dropout both must give the same
scores.
Both take turns, batch by batch. Bar: ours is not slower. It is judged on CPU time, which other programs on the machine
disturb less; wall time is printed beside it. From the same batches an epoch of 248,349 questions is projected.
"""

import argparse
import sys
import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from voirdire.engine.threads import one_thread
from voirdire.models.architectures import ARCHITECTURES
from voirdire.models.mutan import MutanAtt

WORDS, CLASSES, WIDTH, PLACES, EPOCH = 14_770, 2_000, 2_048, 196, 248_349
BAR, CLOSE = 1.0, 1e-4


class Plain(nn.Module):
    """The equations as they stand, on the weights of a network of ours by the names of files."""

    def __init__(self, network: MutanAtt) -> None:
        super().__init__()
        self.names = {name.replace(".", "-"): name for name in network.arrays()}
        for kept, name in self.names.items():
            self.register_parameter(kept, nn.Parameter(torch.from_numpy(network.arrays()[name].copy())))
        self.glimpses = network.conv_att.out_features
        self.ranks = len(network.fusion_att.hv), len(network.fusion.hv)

    def weight(self, name: str) -> Tensor:
        return self.get_parameter(name.replace(".", "-"))

    def linear(self, name: str, inputs: Tensor) -> Tensor:
        weight = self.weight(f"{name}.weight").flatten(1)
        bias = self.weight(f"{name}.bias") if f"{name}.bias" in self.names.values() else None
        return nn.functional.linear(inputs, weight, bias)

    def drop(self, inputs: Tensor, share: float = 0.5) -> Tensor:
        return dropout(inputs, share, self.training)

    def read(self, questions: Tensor) -> Tensor:
        """Skip-thoughts' GRU over padded words."""
        cell = "seq2vec.rnn.gru_cell.weight_"
        embedded = self.weight("seq2vec.embedding.weight")[questions]
        h = embedded.new_zeros(len(questions), self.weight(f"{cell}hr.weight").shape[0])
        of_words = [self.drop(torch.ones_like(embedded[:, 0]), 0.25) for _ in range(3)]
        of_state = [self.drop(torch.ones_like(h), 0.25) for _ in range(3)]
        for at in range(questions.shape[1]):
            x = embedded[:, at]
            ir, ii, in_ = (
                self.linear(cell + name, x * mask) for name, mask in zip(("ir", "ii", "in"), of_words, strict=True)
            )
            hr, hi, hn = (
                self.linear(cell + name, h * mask) for name, mask in zip(("hr", "hi", "hn"), of_state, strict=True)
            )
            r, i = torch.sigmoid(ir + hr), torch.sigmoid(ii + hi)
            after = (1 - i) * torch.tanh(in_ + r * hn) + i * h
            h = torch.where((questions[:, at] > 0)[:, None], after, h)
        return h

    def fusion(self, name: str, a: Tensor, b: Tensor, rank: int) -> Tensor:
        terms = [
            self.linear(f"{name}.list_linear_hv.{r}", a) * self.linear(f"{name}.list_linear_hq.{r}", b)
            for r in range(rank)
        ]
        return torch.stack(terms).sum(0)

    def forward(self, questions: Tensor, places: Tensor) -> Tensor:
        q = self.read(questions)
        a = torch.tanh(self.linear("conv_v_att", self.drop(places)))
        b = torch.tanh(self.linear("linear_q_att", self.drop(q)))[:, None]
        fused = self.drop(self.fusion("fusion_att", a, b, self.ranks[0]))
        weights = self.linear("conv_att", fused).softmax(1)
        seen = [(weights[:, :, g, None] * places).sum(1) for g in range(self.glimpses)]
        projected = [torch.tanh(self.linear(f"list_linear_v_fusion.{g}", self.drop(one))) for g, one in enumerate(seen)]
        b = torch.tanh(self.linear("linear_q_fusion", self.drop(q)))
        z = self.fusion("fusion_classif", torch.cat(projected, 1), b, self.ranks[1])
        return self.linear("linear_classif", self.drop(z))


def questions(rng: np.random.Generator, many: int) -> Tensor:
    """Numbers of words, zeros behind."""
    lengths = 3 + rng.binomial(12, 0.275, many)
    words = rng.integers(1, WORDS + 1, (many, lengths.max()))
    return torch.from_numpy(np.where(np.arange(words.shape[1]) < lengths[:, None], words, 0))


def step(network: nn.Module, adam: torch.optim.Optimizer, asked: Tensor, seen: Tensor, labels: Tensor) -> np.ndarray:
    """CPU time and wall time of a step."""
    begun = np.array([time.process_time(), time.perf_counter()])
    adam.zero_grad()
    cross_entropy(network(asked, seen), labels).backward()
    adam.step()
    return np.array([time.process_time(), time.perf_counter()]) - begun


def race(batch: int, batches: int) -> int:
    """Both sides on the same batches; 1 where a bar is missed."""
    architecture, rng = ARCHITECTURES["mutan-att"], np.random.default_rng(0)
    ours = architecture.build(architecture.presets["paper"], WORDS, CLASSES, WIDTH, seed=0)
    plain = Plain(ours)
    sides = {"ours": ours, "plain": plain}
    seen = torch.from_numpy(rng.random((batch, PLACES, WIDTH), np.float32))
    few = questions(rng, 4)
    with torch.no_grad():
        scores = [side.eval()(few, seen[:4]) for side in sides.values()]
    apart = float((scores[0] - scores[1]).abs().max())
    adams = {name: torch.optim.Adam(side.train().parameters(), 1e-4, fused=True) for name, side in sides.items()}
    took = {name: np.zeros(2) for name in sides}
    for name, side in sides.items():  # The first step makes the moments.
        step(side, adams[name], few, seen[:4], torch.zeros(4, dtype=torch.long))
    for _ in range(batches):
        asked, labels = questions(rng, batch), torch.from_numpy(rng.integers(0, CLASSES, batch))
        for name, side in sides.items():
            took[name] += step(side, adams[name], asked, seen, labels)
    (cpu, wall), (their_cpu, their_wall) = took["ours"] / batches, took["plain"] / batches
    ratio = their_cpu / cpu
    print(f"mutan-att, {batches} batches of {batch}: seconds a batch, and an epoch of {EPOCH:,} questions projected")
    for name, one, other in (("CPU", cpu, their_cpu), ("wall", wall, their_wall)):
        hours = one * EPOCH / batch / 3600
        print(f"  {name:<4} ours {one:.2f} s ({hours:.1f} h an epoch), plainly {other:.2f} s; ratio {other / one:.2f}")
    print(f"  bar {BAR:.1f} on CPU time; scores differ by at most {apart:.1e}, bar {CLOSE:.0e}")
    return int(ratio < BAR or apart > CLOSE)


def main() -> int:
    """1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--batches", type=int, default=3)
    given = parser.parse_args()
    with one_thread():
        return race(given.batch, given.batches)


if __name__ == "__main__":
    sys.exit(main())
