"""An epoch of the probe beside the plain module, at the paper's size.

    python benchmarks/probe.py [--part 0.1] [--dialogues 95369]
    python benchmarks/probe.py --propositions P --states S [--encoder minilm] [--epochs 30] [--seeds 3]

95,369 dialogues, 344,988 propositions of 27,011 sentences and 3,794,868 points with random vectors, 512 numbers a state
and 768 a sentence, batches of 512 grouped by dialogue on both sides, one thread each. The plain module is a chain of
torch's layers on [r; z] with torch's fused Adam; it is given the masks of dropout, whose making is on our clock alone.
Both take turns, 50 steps each, over the stated part of the epoch; then ours goes on to its end. Bars: 2 times as fast
(aim 3), the same loss in each step to 1e-4, under 6 GiB. The bar is judged on CPU time, which other programs on the
machine disturb less; wall time is printed beside it.

With files, the second form: what grouping does to accuracy, the same probes trained on shuffled and on grouped batches.
"""

import argparse
import resource
import sys
import time
from dataclasses import replace

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from voirdire.engine.threads import one_thread
from voirdire.models.trainer import Trainer
from voirdire.scorekeeping.exam import ProbeOptions, ProbeTraining
from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.probe.network import ProbeLearner
from voirdire.scorekeeping.probe.sample import ProbeSample

DIALOGUES, PROPOSITIONS, SENTENCES, TURNS = 95_369, 344_988, 27_011, 11
STATE, SENTENCE = 512, 768
TURNS_EACH = 50
BAR, AIM, CLOSE, MEMORY = 2.0, 3.0, 1e-4, 6.0


def made(dialogues: int, rng: np.random.Generator) -> ProbeSample:
    """Points of propositions that are shared out among the dialogues, at least one each, as their sentences are."""
    propositions = PROPOSITIONS * dialogues // DIALOGUES
    of = np.sort(np.concatenate([np.arange(dialogues), rng.integers(0, dialogues, propositions - dialogues)]))
    law = 1 / (np.arange(SENTENCES) + 10.0)
    sentence = rng.choice(SENTENCES, propositions, p=law / law.sum())
    true, said = rng.random(propositions) < 0.5, rng.integers(0, TURNS, propositions)
    # In the order of dialogue, turn and proposition.
    proposition = np.repeat(np.arange(propositions), TURNS)
    turn = np.tile(np.arange(TURNS), propositions)
    order = np.lexsort((proposition, turn, of[proposition]))
    proposition, turn = proposition[order], turn[order]
    states = rng.standard_normal((dialogues * TURNS, STATE), np.float32)
    sentences = rng.standard_normal((SENTENCES, SENTENCE), np.float32)
    label = TASKS["TFxPS"].label(true[proposition], turn >= said[proposition])
    group = of[proposition]
    return ProbeSample(states, sentences, group * TURNS + turn, sentence[proposition].astype(np.int32), label, group)


def clocks() -> np.ndarray:
    """CPU time and wall time."""
    return np.array([time.process_time(), time.perf_counter()])


class Given(torch.nn.Module):
    """Dropout whose mask is given."""

    def __init__(self) -> None:
        super().__init__()
        self.mask = torch.ones(1)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden * self.mask


class Plain:
    """The plain module with our first weights."""

    def __init__(self, learner: ProbeLearner) -> None:
        self.sample, self.options = learner.sample, learner.options
        self.layers = learner.network.sequential()
        self.layers[2] = self.dropout = Given()
        self.adam = torch.optim.Adam(self.layers.parameters(), lr=self.options.rate, fused=True)
        self.states, self.sentences = torch.from_numpy(self.sample.states), torch.from_numpy(self.sample.sentences)
        self.labels = torch.from_numpy(self.sample.label)

    def step(self, rows: np.ndarray) -> float:
        points = self.states[self.sample.state[rows]], self.sentences[self.sample.sentence[rows]]
        self.adam.zero_grad()
        loss = cross_entropy(self.layers(torch.cat(points, dim=1)), self.labels[rows])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.layers.parameters(), self.options.clip)
        self.adam.step()
        return loss.item()


def race(dialogues: int, part: float) -> int:
    """Both sides on the same batches."""
    sample = made(dialogues, np.random.default_rng(0))
    options = ProbeTraining(batches="grouped")
    learner = ProbeLearner(sample, sample, 4, options)
    training, plain = Trainer(learner, options.schedule()), Plain(learner)
    batches = list(training.batches(0))
    both = max(2 * TURNS_EACH, round(part * len(batches)))
    took, losses = {"ours": np.zeros(2), "plain": np.zeros(2)}, {"ours": [], "plain": []}
    Trainer(ProbeLearner(sample, sample, 4, options), options.schedule()).step(batches[0])
    for start in range(0, both, TURNS_EACH):
        rows = batches[start : min(start + TURNS_EACH, both)]
        masks = []
        for ahead, some in enumerate(rows):
            mask = torch.ones(len(some), options.hidden)
            learner.dropout(start + ahead).apply(mask)
            masks.append(mask)
        begun = clocks()
        losses["ours"] += [training.step(some) for some in rows]
        took["ours"] += clocks() - begun
        for some, plain.dropout.mask in zip(rows, masks, strict=True):
            begun = clocks()
            losses["plain"].append(plain.step(some))
            took["plain"] += clocks() - begun
    begun = clocks()
    for some in batches[both:]:
        training.step(some)
    epoch = took["ours"] + clocks() - begun
    apart = float(np.abs(np.subtract(losses["ours"], losses["plain"])).max())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ratio, wall = took["plain"] / took["ours"]
    ours, theirs = (1000 * took[side] / both for side in ("ours", "plain"))
    print(f"{len(sample):,} points, {len(batches):,} steps of {options.batch}; both sides {both:,} steps")
    print(f"  CPU:  ours {ours[0]:.1f} ms a step, the plain module {theirs[0]:.1f} ms; ratio {ratio:.2f}")
    print(f"  wall: ours {ours[1]:.1f} ms a step, the plain module {theirs[1]:.1f} ms; ratio {wall:.2f}")
    print(f"  bar {BAR:.0f}, aim {AIM:.0f}; the whole epoch, ours: {epoch[0]:.0f} s of CPU, {epoch[1]:.0f} s")
    print(f"  losses differ by at most {apart:.1e}, bar {CLOSE:.0e}; most memory {peak:.2f} GiB, bar {MEMORY:.0f}")
    return int(ratio < BAR or apart > CLOSE or peak > MEMORY)


def grouping(propositions: str, states: str, encoder: str, epochs: int, seeds: int) -> int:
    """Accuracy of probes that learnt from shuffled and from grouped batches."""
    from voirdire.formats.propositions import read_propositions
    from voirdire.formats.states import read_states
    from voirdire.scorekeeping.probe.score import compare_items, probe_states

    train = read_propositions(propositions), read_states(states)
    options = ProbeOptions(encoder=encoder, seeds=seeds, epochs=epochs)
    runs = {}
    for batches in ("shuffled", "grouped"):
        begun = time.perf_counter()
        runs[batches] = probe_states(*train, options=replace(options, batches=batches))
        for name in ("accuracy@5", "accuracy"):
            figure, spread = runs[batches].measures[name], runs[batches].measures.get(f"{name}:std")
            wide = f" ± {spread.value:.4f} over {spread.n} seeds" if spread else ""
            print(f"{batches}: {name} {figure.value:.4f} [{figure.low:.4f}, {figure.high:.4f}]{wide}")
        print(f"  {time.perf_counter() - begun:.0f} s")
    tested = compare_items(runs["shuffled"].items, runs["grouped"].items)
    print(f"shuffled − grouped, accuracy@5: {tested.difference:+.4f}, p {tested.p:.3f}")
    return 0


def main() -> int:
    """1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=DIALOGUES)
    parser.add_argument("--part", type=float, default=0.1)
    parser.add_argument("--propositions")
    parser.add_argument("--states")
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    if given.propositions and given.states:
        return grouping(given.propositions, given.states, given.encoder, given.epochs, given.seeds)
    with one_thread():
        return race(given.dialogues, given.part)


if __name__ == "__main__":
    sys.exit(main())
