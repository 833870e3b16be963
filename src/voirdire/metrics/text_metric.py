"""Text metrics by family, under one signature: what compares texts with sets of references.

    score(compared, resources)  ->  float64[hypotheses, measures]

A family is a few measures that are computed together (`bleu`: `bleu1` … `bleu4`), and a module of this package that has
its name and holds a `TEXT_METRIC`; `MODULES` lists them. It is loaded when the family is asked for, so that the names
cost nothing. Other packages add families through the entry-point group `voirdire.text_metrics`, each point naming a
`TextMetric`. What is scored by default is `FAMILIES`, those of the paper, whatever else can be asked for.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from voirdire.errors import UsageError
from voirdire.progress import Progress, silent
from voirdire.providers import entry_points

if TYPE_CHECKING:
    from voirdire.metrics.cider import Corpus
    from voirdire.metrics.measure import Measure
    from voirdire.metrics.ngrams import ComparedTexts
    from voirdire.stats.aggregate import FloatArray
    from voirdire.text.encoders import Encoder

__all__ = ["FAMILIES", "TEXT_METRICS", "Resources", "TextMetric"]

FAMILIES: tuple[str, ...] = ("cider", "bleu", "meteor", "rouge", "distance")
"""The families that dense-visdial reports, in the order of their columns: the default. No new metric belongs here."""

MODULES: tuple[str, ...] = FAMILIES
"""The families that are modules of this package, in the order of their columns: a new one comes after the paper's."""

GROUP = "voirdire.text_metrics"


@dataclass(frozen=True)
class Resources:
    """What a metric may use beside the texts.

    corpus    where document frequencies come from; None: from the reference sets. Its texts are interned along
    encoders  what makes vectors, each under a name of its own
    progress  called with (done, total) in distinct texts by a slow metric: at the start and on the way
    """

    corpus: "Corpus | None" = None
    encoders: "Sequence[Encoder]" = ()
    progress: Progress = silent


@dataclass(frozen=True)
class TextMetric:
    """A family of measures of texts against sets of references.

    family    its name, in options and on the command line
    measures  from the names of the encoders, which most families do not need, to the measures
    score     one row per hypothesis, one column per measure in the order of `measures`
    prepare   makes and keeps what scoring needs, where that is slow; calls its progress only while it makes it
    weighs    whether it weighs by document frequencies and so uses `Resources.corpus`
    encodes   whether it compares vectors and so uses `Resources.encoders`
    """

    family: str
    measures: "Callable[[Sequence[str]], Sequence[Measure]]"
    score: "Callable[[ComparedTexts, Resources], FloatArray]"
    prepare: Callable[[Progress], None] | None = None
    weighs: bool = False
    encodes: bool = False


class TextMetrics:
    """The table of families: those of this package, then those that others add, by name."""

    def __init__(self) -> None:
        self._added: dict[str, TextMetric] = {}

    def register(self, metric: TextMetric) -> TextMetric:
        """Add a family to this process."""
        if metric.family in self.names():
            raise ValueError(f"`family` must be a new one, got {metric.family!r}, which is registered already")
        self._added[metric.family] = metric
        return metric

    def names(self) -> tuple[str, ...]:
        """The families that can be asked for, in the order of their columns; none is loaded."""
        others = {*self._added, *(point.name for point in entry_points(GROUP))}
        return (*MODULES, *sorted(others.difference(MODULES)))

    def check(self, family: str) -> None:
        """Refuse a name that no family has, without loading any."""
        if family not in (names := self.names()):
            raise UsageError(f"there is no family of measures {family!r}; there are: {', '.join(names)}")

    def choose(self, families: Iterable[str]) -> list[TextMetric]:
        """The metrics of these families, each once, in the order of `names`."""
        wanted = dict.fromkeys(families)
        names = MODULES if wanted.keys() <= set(MODULES) else self.names()
        for family in wanted:
            if family not in names:
                self.check(family)
        return [self._load(family) for family in names if family in wanted]

    def measures(self, families: Iterable[str], encoders: "Sequence[str]") -> "tuple[Measure, ...]":
        """The measures of these families, in their order; `encoders` names those of the distances."""
        return tuple(measure for metric in self.choose(families) for measure in metric.measures(encoders))

    def _load(self, family: str) -> TextMetric:
        if family in MODULES:
            metric: TextMetric = import_module(f"voirdire.metrics.{family}").TEXT_METRIC
        elif family in self._added:
            metric = self._added[family]
        else:
            metric = next(iter(entry_points(GROUP, family))).load()
        return metric


TEXT_METRICS = TextMetrics()
