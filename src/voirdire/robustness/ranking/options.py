"""How basic questions are ranked, and how questions are made of a ranking; the defaults are the papers'."""

from dataclasses import dataclass
from math import isfinite, isinf

from voirdire.errors import UsageError

__all__ = ["LASSO", "METEOR", "HelpfulOptions", "PerturbOptions", "RankOptions"]

LASSO, METEOR = "lasso", "meteor"


@dataclass(frozen=True)
class RankOptions:
    """How basic questions are ranked.

    ranker     lasso, bleu1 to bleu4, rouge_l, cider or meteor
    lam        λ of ½‖Ax − b‖² + λ‖x‖₁, for lasso
    top        how many neighbours are kept
    encoder    what makes vectors of questions, for lasso
    yes_no     whether only the yes/no questions of the pool are taken
    keep_main  whether a main question that is in the pool is left in it even for itself
    """

    ranker: str = LASSO
    lam: float = 1e-6
    top: int = 21
    encoder: str = "minilm"
    yes_no: bool = False
    keep_main: bool = False

    def __post_init__(self) -> None:
        if self.top < 1:
            raise UsageError(f"`top` must be at least 1, got {self.top}")
        if not (isfinite(self.lam) and self.lam > 0):
            raise UsageError(f"`lam` must be a finite number above 0, got {self.lam}: {_why_not(self.lam)}")


def _why_not(lam: float) -> str:
    if lam == 0:
        return (
            "without a penalty every question of the pool would have a part in the solution, and there would be many "
            "solutions"
        )
    if lam < 0:
        return "a negative penalty would reward large entries, and there would be no least objective"
    return "with an infinite penalty no question has a part" if isinf(lam) else "this is no number"


@dataclass(frozen=True)
class PerturbOptions:
    """How questions with noise are put together.

    max_words  where a question is cut; 0 is nowhere
    seed       of the control's draws
    """

    max_words: int = 26
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("max_words", self.max_words), ("seed", self.seed)):
            if value < 0:
                raise UsageError(f"`{name}` must be at least 0, got {value}")


@dataclass(frozen=True)
class HelpfulOptions:
    """The thresholds above which a basic question may help, and the seed of the resamples."""

    s1: float = 0.60
    s2: float = 0.58
    s3: float = 0.41
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("s1", self.s1), ("s2", self.s2), ("s3", self.s3)):
            if not isfinite(value):
                raise UsageError(f"`{name}` must be a finite number, got {value}")
