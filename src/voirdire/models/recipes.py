"""How a network is trained: what its authors' code does, and what we do in small.

    step      rate · decay^steps, doubled at each of `doubled_at`
    epochs    a published number of steps with replacement is `steps`; an epoch is then as many as there are examples

label   of a question with ten answers, those of the K classes only:
        majority   `multiple_choice_answer`
        drawn      one of the ten, by how many people gave it, anew in each epoch
        second     the majority's, or the second commonest with p = its people / 10 if at least three gave it
words   `treebank`: Penn-Treebank tokens in lower case, marks kept; `marks-off`: lower case, marks taken away, - and /
        as blanks, words as blanks part them (the rule that its authors call mcb)
start   `uniform` within ±0.08; `fan-in`: matrices and biases uniform within ±1/√(inputs), embeddings normal
"""

from dataclasses import dataclass, replace
from typing import Literal

from voirdire.models import OptimiserName

LabelRule = Literal["majority", "drawn", "second"]
WordRule = Literal["treebank", "marks-off"]
StartRule = Literal["uniform", "fan-in"]


@dataclass(frozen=True)
class Recipe:
    """One way to train a network.

    classes      K, how many of the commonest answers are classes
    clamp        the largest number of a gradient; 0 for no limit
    decay        what the step is multiplied by after each step
    epochs       passes over the examples, where the authors count those
    steps        steps, where they count those, with questions drawn with replacement
    longest      words after which a question is cut
    doubled_at   steps at which the rate is doubled
    chosen_by    what chooses the epoch; the authors' code does not choose where it is the last
    replacement  whether an epoch draws its questions with replacement
    together     whether the questions about a picture stand together in an epoch
    """

    optimiser: OptimiserName
    rate: float
    batch: int
    classes: int
    label: LabelRule
    words: WordRule
    start: StartRule
    epochs: int | None = None
    steps: int | None = None
    clamp: float = 0.0
    decay: float = 1.0
    doubled_at: tuple[int, ...] = ()
    longest: int | None = 26
    chosen_by: Literal["top-1", "last"] = "last"
    replacement: bool = False
    together: bool = False


LQI = Recipe(
    optimiser="rmsprop",
    rate=3e-4,
    batch=500,
    classes=1000,
    label="majority",
    words="treebank",
    start="uniform",
    steps=150_000,
    clamp=10.0,
    decay=0.99997592083,
    replacement=True,
)
HIECOATT = replace(LQI, rate=4e-4, batch=300, start="fan-in", steps=None, clamp=0.0, decay=10 ** (-1 / 360_000))
"""Its authors name no end: they keep the weights of every 6,000 steps."""
CADENE = Recipe(
    optimiser="adam",
    rate=1e-4,
    batch=128,
    classes=2000,
    label="drawn",
    words="marks-off",
    start="fan-in",
    epochs=99,
    chosen_by="top-1",
)
"""Of MUTAN and MLB in MUTAN's authors' code, with attention."""
MLB_AUTHORS = replace(LQI, batch=100, classes=2000, label="second", steps=250_000, doubled_at=(50_000, 100_000))
SMALL = Recipe(
    optimiser="adam",
    rate=1e-3,
    batch=128,
    classes=1000,
    label="majority",
    words="marks-off",
    start="fan-in",
    epochs=20,
    chosen_by="top-1",
    together=True,
)
"""Ours, for small networks: minutes on one core."""
