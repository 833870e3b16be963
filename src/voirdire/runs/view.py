"""Views: rows of a run's items, and the measures that read them; and how much of what was asked is scored.

An exam states its views once. Its own figures are made from them, and so is everything that is computed from a stored
run later: comparisons, slices, the sample size for an interval of a given width.

Coverage counts where a dataset's file and a model's output do not have the same entries.

    asked     what the dataset's file asks; it may be a sample of a split, which is normal
    answered  of that, what the output has: this is scored
    beyond    what the output has and the dataset's file does not: it is ignored

A sample costs a model nothing. A missing answer does: each figure of what was answered also has a variant in which
missing answers count as wrong, `accuracy:asked`, so that skipping what is hard earns nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

import msgspec

from voirdire.errors import EXAMPLES, InputError, Problem
from voirdire.figures import counted
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure
from voirdire.runs.estimate import Measures, estimate
from voirdire.stats.bootstrap import Seed

T = TypeVar("T")

ASKED = "asked"
"""The variant of a measure in which missing answers count as wrong."""


class Coverage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many rounds, questions, … (`noun`) were asked, answered, and answered without being asked."""

    noun: str
    asked: int
    answered: int
    beyond: int = 0

    @property
    def complete(self) -> bool:
        """Whether both files have the same entries."""
        return self.answered == self.asked and not self.beyond

    def __str__(self) -> str:
        beyond = f", {self.beyond:,} others left aside" if self.beyond else ""
        return f"{self.short}{beyond}"

    @property
    def short(self) -> str:
        """How much was answered of what was asked: "2,064 of 20,640 rounds"."""
        return f"{self.answered:,} of {counted(self.asked, self.noun)}"

    @property
    def missing(self) -> int:
        """What was asked and not answered."""
        return self.asked - self.answered


def cover(
    noun: str,
    names: tuple[str, str],
    asked: int,
    missing: Sequence[T],
    beyond: Sequence[T],
    label: Callable[[T], str] = str,
    *,
    strict: bool,
    hint: str,
    of_model: bool = True,
) -> tuple[Coverage, tuple[str, ...]]:
    """How much two files have in common and, where that is not everything, one line that says how much.

    names     of the dataset's file and the model's output, the latter with its role: rankings (`ranks`)
    asked     how many entries the dataset's file has
    label     the name of an entry in a message
    strict    refuse files that do not have the same entries
    hint      why nothing, or little, may be in common
    of_model  whether the output is a model's, so that missing entries count as wrong
    """
    dataset, source = names
    output = source.partition(" (")[0]
    coverage = Coverage(noun, asked, asked - len(missing), len(beyond))
    if not coverage.answered:
        nothing = f"none of the {counted(asked, noun)} of the {dataset}, but {counted(len(beyond), 'other')}"
        raise InputError(source, [Problem("", "", nothing, f"{noun}s that the {dataset} hold", hint)])
    if coverage.complete:
        return coverage, ()
    if strict:
        lacking = [Problem(label(entry), "", "nothing", f"what the {dataset} ask", hint) for entry in missing]
        foreign = [
            Problem(label(entry), "", f"this {noun}", f"a {noun} that the {dataset} ask", hint) for entry in beyond
        ]
        raise InputError(source, lacking + foreign)
    sentences = [f"{counted(coverage.answered, noun)} of {asked:,} are scored."]
    if coverage.missing:
        some = "; ".join(map(label, missing[:EXAMPLES])) + ("; …" if coverage.missing > EXAMPLES else "")
        counts = f": `:{ASKED}` counts these as wrong" if of_model else ""
        sentences.append(f"The {output} lack {coverage.missing:,} of the {dataset} ({some}){counts}.")
    if coverage.beyond:
        sentences.append(
            f"The {dataset} are a sample: {coverage.beyond:,} other {noun}s of the {output} are left aside."
        )
    return coverage, (" ".join(sentences),)


Role = Literal["headline", "slice", "aside"]


@dataclass(frozen=True, eq=False)
class View:
    """Some of a run's items and the measures that are made from them.

    items     the rows that count here
    measures  in the exam's order
    unit      the columns that together identify a unit, the thing that two runs have in common
    noun      what a unit is: "round", "question", "game"
    clusters  the column of clusters, which are resampled, and swapped between two runs, as a whole
    roles     of measures when runs are compared; a measure without a role is compared beside the headlines
                  headline  also compared by facet, and shown for the units that changed most
                  slice     of a part of the units already, so compared among the slices
                  aside     not compared: a spread, or a figure that does not depend on the model
    facets    columns that split units into slices: round, type of question, number of objects
    cuts      for headline measures: further columns that split the items of one run; they depend on what the model
              did (the outcome of a game), so two runs are not compared by them
    given     columns that have the same value for a unit in every run, whatever the model did
    words     what a column is, where its name does not say it: {"index": "proposition"}
    did       what two runs have in common with a unit: both were asked it, both played it
    """

    items: "pl.DataFrame"
    measures: tuple[Measure, ...]
    unit: tuple[str, ...]
    noun: str
    clusters: str
    roles: Mapping[Key, Role] = field(default_factory=dict)
    facets: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    cuts: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    did: str = "were asked"

    def word(self, column: str) -> str:
        """What a column is, in a sentence: `image_id` is an image."""
        return self.words.get(column, column.removesuffix("_id").replace("_", " "))


def with_missing_as_wrong(view: View, missing: "pl.Series", wrong: Mapping[str, float]) -> tuple[View, ...]:
    """The same measures over all that was asked, `accuracy:asked`; nothing where no answer is missing.

    missing  whether an item has no answer of the model
    wrong    the value of each column for a wrong answer; measures of other columns are left out
    """
    some = [measure for measure in view.measures if set(measure.of) <= set(wrong) and not measure.key.variant]
    if not some or not missing.any():
        return ()
    items = view.items.with_columns(
        pl.when(missing).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in wrong.items()
    )
    measures = tuple(measure.variant(ASKED) for measure in some)
    return (replace(view, items=items, measures=measures, roles={measure.key: "aside" for measure in measures}),)


def estimate_views(views: Iterable[View], *, seed: Seed) -> Measures:
    """The figures of all views, in their order."""
    figures = Measures()
    for view in views:
        figures |= estimate(view.items, view.measures, seed=seed, clusters=view.clusters)
    return figures
