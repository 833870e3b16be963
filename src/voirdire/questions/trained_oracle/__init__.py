"""A trained oracle: from a question, an object's category and its box to yes, no or n/a.

    e_q = LSTM(words of the question)        h = ReLU(W [e_q, e_category, spatial, crop] + b)
    A(q, o) = argmax softmax(V h + c)

crop  features of the object's picture, where a file of them is given; the published oracles have none.

That is de Vries et al.'s (2017), which the paper cites. Its scripts load that of Shekhar et al. (2019), GDSE, which has
a second hidden layer; both are presets.

`train_oracle` makes one, `write_oracle` and `read_oracle` keep it, and `ModelOracle` answers with it. The package
itself, with the options, imports nothing heavy; its modules do.
"""

from dataclasses import dataclass
from typing import Literal

from voirdire.errors import shorten
from voirdire.models import TrainingSchedule
from voirdire.options import LARGEST_SEED, OptionError, Options, option

OracleName = Literal["de-vries", "gdse"]


@dataclass(frozen=True)
class PublishedOracle:
    """An oracle's settings as its authors give them.

    hidden   sizes of the hidden layers
    answers  its classes in their order, by which equal scores are decided
    longest  after how many words a question is cut; None where it is not
    """

    hidden: tuple[int, ...]
    answers: tuple[str, ...]
    batch: int
    epochs: int
    longest: int | None


ORACLES: dict[OracleName, PublishedOracle] = {
    "de-vries": PublishedOracle((512,), ("yes", "no", "n/a"), batch=64, epochs=20, longest=None),
    "gdse": PublishedOracle((1024, 128), ("no", "yes", "n/a"), batch=1024, epochs=16, longest=15),
}
"""That of de Vries et al. (2017), which the paper cites, and that of Shekhar et al. (2019), which its scripts load."""
_LARGEST_LAYER = 8_192


@dataclass(frozen=True)
class OracleOptions(Options):
    """How an oracle is trained, and how wide its layers are; the defaults are the paper's."""

    preset: OracleName = option(
        "de-vries", "Whose settings: de Vries et al.'s (2017), which the paper cites, or Shekhar et al.'s (2019, GDSE)."
    )
    epochs: int | None = option(
        None, "At most so many passes over the questions.", least=1, most=100_000, shown="20; 16 as gdse"
    )
    patience: int = option(
        3, "Stop after so many epochs without a smaller error on the validation games.", least=1, most=100_000
    )
    batch: int | None = option(None, "Questions per step.", least=1, most=1_000_000, shown="64; 1024 as gdse")
    rate: float = option(1e-4, "Adam's step.", above=0, most=10)
    decay: float = option(1.0, "What Adam's step is multiplied by after each epoch; 1 leaves it.", above=0, most=1)
    clip: float = option(5.0, "The longest gradient.", above=0, most=1e6)
    min_count: int = option(2, "Words that are rarer than this are unknown words.", least=1, most=1_000_000)
    seed: int = option(0, "Of the first weights and of the order of the questions.", least=0, most=LARGEST_SEED)
    word: int = option(300, "Numbers per word.", least=1, most=8_192)
    lstm: int = option(512, "Numbers per question.", least=1, most=8_192)
    category: int = option(512, "Numbers per category.", least=1, most=8_192)
    hidden: str | None = option(
        None,
        "Sizes of the hidden layers, with commas between them.",
        metavar="N[,N…]",
        shown="512; 1024,128 as gdse",
    )
    longest: int | None = option(
        None, "Words after which a question is cut.", least=1, most=10_000, shown="never; 15 as gdse"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = () if self.hidden is None else self.hidden.split(",")
        if not all(size.strip().isdecimal() and 1 <= int(size) <= _LARGEST_LAYER for size in sizes):
            expected = f"whole numbers from 1 to {_LARGEST_LAYER:,} with commas between them, as in 1024,128"
            raise OptionError("hidden", f"`hidden` must be {expected}, got {shorten(self.hidden)}")

    @property
    def published(self) -> PublishedOracle:
        """The settings of the preset, with what else was given in their place."""
        preset = ORACLES[self.preset]
        layers = preset.hidden if self.hidden is None else tuple(map(int, self.hidden.split(",")))
        return PublishedOracle(
            layers,
            preset.answers,
            self.batch or preset.batch,
            self.epochs or preset.epochs,
            self.longest or preset.longest,
        )

    def schedule(self) -> TrainingSchedule:
        """What the trainer goes by."""
        used = self.published
        return TrainingSchedule(used.epochs, used.batch, self.rate, self.clip, self.seed, self.decay, self.patience)
